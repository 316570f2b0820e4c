"""Engines: where attempts run. Each takes cells that are to be run, and tells how their attempts ended."""
