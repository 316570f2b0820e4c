"""Ways to tell the full score from a subset, one a file."""
