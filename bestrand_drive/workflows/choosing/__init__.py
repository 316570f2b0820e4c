"""From evidence to a suite in a folder."""
