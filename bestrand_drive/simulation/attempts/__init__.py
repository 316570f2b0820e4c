"""Attempts: one run of one policy on one route; kept for ever, never overwritten."""
