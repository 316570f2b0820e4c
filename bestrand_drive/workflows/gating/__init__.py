"""Gating a change: the candidate against references, and the verdict as JSON, JUnit and Markdown."""
