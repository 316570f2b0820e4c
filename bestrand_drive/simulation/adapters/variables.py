"""``--env NAME=VALUE``: variables for the evaluator, such as ``PLANNER_TYPE=only_traj``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bestrand_drive.errors import UsageError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = {
    "CARLA_ROOT": "--carla-root",
    "CUDA_VISIBLE_DEVICES": "--gpus",
    "GPU_RANK": "--gpus",
    "LEADERBOARD_ROOT": "--root",
    "SCENARIO_RUNNER_ROOT": "--root",
    "ROUTES": "--routes",
    "TEAM_AGENT": "--agent",
    "TEAM_CONFIG": "--agent-config",
    "CHALLENGE_TRACK_CODENAME": "--track",
}
"""Variables that follow from an option."""
_MARKS = "BESTRAND_"


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Variables by name; of two with one name the later holds.

    Raises:
        UsageError: One is not of the form NAME=VALUE, or follows from another option.
    """
    variables = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not _NAME.fullmatch(name) or "\0" in value:
            raise UsageError(f"--env {text}: give NAME=VALUE.")
        if name in _OURS:
            raise UsageError(f"--env {text}: {name} follows from {_OURS[name]}; use that.")
        if name.startswith(_MARKS):
            raise UsageError(f"--env {text}: names with {_MARKS} are this command's own.")
        variables[name] = value
    return variables
