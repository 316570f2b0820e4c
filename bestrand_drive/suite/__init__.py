"""The suite and its file."""
