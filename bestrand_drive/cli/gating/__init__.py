"""The command that gates a change."""
