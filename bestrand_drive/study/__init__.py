"""Replays of the whole method on full score matrices, to measure how wrong it is."""
