"""The command that measures the methods."""
