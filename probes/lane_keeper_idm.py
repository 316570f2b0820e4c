"""Keeps its lane and its distance; looks at nothing but the vehicle ahead."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "LaneKeeperIdm"


class LaneKeeperIdm(ProbeAgent):
    """The agent."""

    style = Style(
        sees_walkers=False,
        sees_props=False,
        obeys_lights=False,
        obeys_stops=False,
        yields=False,
        makes_way=False,
        overtakes=False,
        speed_share=1.0,
    )
