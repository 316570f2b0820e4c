"""Closed-loop evaluation of driving policies on a small, representative suite of routes."""
