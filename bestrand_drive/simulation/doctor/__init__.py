"""What would fail in a run, found before it starts: one file a group of checks, joined in ``examine``."""
