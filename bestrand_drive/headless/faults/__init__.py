"""Faults on order: a server that crashes, hangs, floods or lies when it was told to, for testing those who run it."""
