"""Stopping early: in which order a suite's items are run, and when enough of them are there."""
