"""A CPU-only server that speaks CARLA's wire protocol to the unmodified ``carla`` client; a program of its own.

Nothing is rendered and vehicles are kinematic: scores from it are not CARLA's.
"""
