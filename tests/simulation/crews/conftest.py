"""Runs of stand-ins."""

from tests.faults.conftest import base, make_runs, runs

__all__ = ["base", "make_runs", "runs"]
