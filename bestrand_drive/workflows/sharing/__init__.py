"""Suites between labs."""
