"""Knows the rules, but steers with a trembling hand and reacts late."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "Novice"


class Novice(ProbeAgent):
    """The agent."""

    style = Style(
        makes_way=False,
        speed_share=0.7,
        noise=0.05,
        reaction_s=0.6,
        patience_s=6.0,
        passing_m_s=4.0,
        lookahead_s=0.35,
    )
