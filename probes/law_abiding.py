"""Obeys lights and signs and follows; does not look at people or crossing traffic."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "LawAbiding"


class LawAbiding(ProbeAgent):
    """The agent."""

    style = Style(
        sees_walkers=False,
        yields=False,
        makes_way=False,
        overtakes=False,
        speed_share=0.75,
    )
