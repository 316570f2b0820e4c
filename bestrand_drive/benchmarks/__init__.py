"""Driving benchmarks as data: route files, result files, and the rules that turn records into scores."""
