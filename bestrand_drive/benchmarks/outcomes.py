"""Whose result a route's status is: the policy's, or the infrastructure's.

Source: the status strings of the CARLA leaderboard 2.0, Bench2Drive and Fail2Drive evaluators.
"""

from __future__ import annotations

from enum import Enum


class Outcome(str, Enum):
    """How a record of one route counts."""

    SCORED = "scored"
    """The policy drove; the score counts as written."""
    AGENT_CRASHED = "agent_crashed"
    """The policy's own code failed; scored as written, but counted apart."""
    INFRASTRUCTURE = "infrastructure"
    """The simulator, the setup or the job failed; missing, never scored."""
    AGENT_HUNG = "agent_hung"
    """The policy's own code never came back. Of attempts only: no record tells it, so it is missing, never scored."""


OF_RECORDS = (Outcome.SCORED, Outcome.AGENT_CRASHED, Outcome.INFRASTRUCTURE)
"""What a record can tell."""
WITH_SCORE = frozenset({Outcome.SCORED, Outcome.AGENT_CRASHED})
AGENT_CRASHED_STATUS = "Failed - Agent crashed"
SUCCESS_STATUSES = frozenset({"Completed", "Perfect"})
_SCORED_STATUSES = SUCCESS_STATUSES | {
    "Failed",
    "Failed - Agent timed out",
    "Failed - Agent deviated from the route",
    "Failed - Agent got blocked",
    "Failed - TickRuntime",
}
_REASONS = {
    "Failed - Simulation crashed": "simulation crashed",
    "Failed - Agent couldn't be set up": "agent could not be set up",
    "Failed - Agent's sensors were invalid": "agent's sensors were invalid",
    "Started": "interrupted",
    "": "no status",
}


def classify(status: str) -> tuple[Outcome, str]:
    """Outcome of a status, and why it is missing ("" when it counts).

    Args:
        status: As the evaluator wrote it.
    """
    if status in _SCORED_STATUSES:
        return Outcome.SCORED, ""
    if status == AGENT_CRASHED_STATUS:
        return Outcome.AGENT_CRASHED, ""
    return Outcome.INFRASTRUCTURE, _REASONS.get(status, f"unknown status {status[:60]!r}")
