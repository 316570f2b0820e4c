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
_FORM = "give NAME=VALUE, the name of letters, digits and _"


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Variables by name; of two with one name the later holds.

    Raises:
        UsageError: One is not of the form NAME=VALUE, or follows from another option.
    """
    variables = {}
    for text in given:
        name, equals, value = text.partition("=")
        fault = variable_fault(name, value) if equals else _FORM
        if fault:
            raise UsageError(f"--env {text}: {fault}.")
        variables[name] = value
    return variables


def variable_fault(name: str, value: str) -> str | None:
    """Why an evaluator cannot be given a variable, None where it can."""
    if not _NAME.fullmatch(name) or "\0" in value:
        return _FORM
    if name in _OURS:
        return f"{name} follows from {_OURS[name]}; use that"
    return f"names with {_MARKS} are this command's own" if name.startswith(_MARKS) else None
