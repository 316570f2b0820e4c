"""Crews: who makes attempts, on this machine or elsewhere."""
