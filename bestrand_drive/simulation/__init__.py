"""Running policies: what was tried and how it ended."""
