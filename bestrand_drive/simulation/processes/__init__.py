"""Processes of ours: known by id and start, supervised, and ended with everything they left behind."""
