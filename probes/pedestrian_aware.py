"""Brakes for people and for what drives ahead; ignores lights, signs and crossing traffic."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "PedestrianAware"


class PedestrianAware(ProbeAgent):
    """The agent."""

    style = Style(
        obeys_lights=False,
        obeys_stops=False,
        yields=False,
        makes_way=False,
        overtakes=False,
        speed_share=0.7,
        horizon_s=5.0,
        side_m=0.8,
    )
