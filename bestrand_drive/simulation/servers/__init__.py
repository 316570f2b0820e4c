"""Servers of ours: ports, start and readiness, GPUs, and the CARLA_ROOT that an evaluator is given."""
