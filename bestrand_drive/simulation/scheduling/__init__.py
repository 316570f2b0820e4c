"""How long routes are expected to take, and in which order they are run (docs/scheduling.md)."""
