"""Ways to choose a subset of items, one a file."""
