"""Which class plays which scenario type of the route files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bestrand_drive.evaluator.scenarios.scenario import Scenario, ScenarioConfig
from bestrand_drive.evaluator.stage import Stage

TYPES: Mapping[str, Callable[[Stage, ScenarioConfig], Scenario]] = {}
"""Type -> what makes it; a type that is absent is skipped, shown and counted."""
