"""Policies and probes driven on routes."""
