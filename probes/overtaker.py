"""Passes whatever stands or crawls, at once and closely; obeys lights, ignores signs, people and crossing traffic."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "Overtaker"


class Overtaker(ProbeAgent):
    """The agent."""

    style = Style(
        sees_walkers=False,
        obeys_stops=False,
        yields=False,
        makes_way=False,
        speed_share=0.95,
        patience_s=0.5,
        side_m=0.35,
        gap_s=0.2,
        passing_m_s=10.0,
    )
