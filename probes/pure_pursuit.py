"""Blind: follows the path at one speed, whatever is there."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "PurePursuit"


class PurePursuit(ProbeAgent):
    """The agent."""

    style = Style(
        sees_vehicles=False,
        sees_walkers=False,
        sees_props=False,
        obeys_lights=False,
        obeys_stops=False,
        yields=False,
        makes_way=False,
        overtakes=False,
        slows_in_curves=False,
        speed_m_s=7.0,
    )
