"""The command that plans a suite before it is chosen."""
