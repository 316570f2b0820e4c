"""The command that exports."""
