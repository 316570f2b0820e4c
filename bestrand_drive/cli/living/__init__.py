"""The commands that keep a suite up to date."""
