"""Only the options of a plan, as ``agents.navigation.local_planner``."""

from bestrand_drive.evaluator.plan import RoadOption

__all__ = ["RoadOption"]
