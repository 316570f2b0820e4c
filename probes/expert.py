"""Can do everything, briskly."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "Expert"


class Expert(ProbeAgent):
    """The agent."""

    style = Style()
