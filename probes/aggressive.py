"""Can do everything, but over the limit, close behind others and through short gaps."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "Aggressive"


class Aggressive(ProbeAgent):
    """The agent."""

    style = Style(
        obeys_stops=False,
        makes_way=False,
        speed_share=1.3,
        top_m_s=28.0,
        lateral_m_s2=5.0,
        accel_m_s2=4.0,
        brake_m_s2=6.0,
        time_gap_s=0.4,
        standstill_m=1.5,
        side_m=0.2,
        gap_s=0.1,
        horizon_s=2.0,
        patience_s=0.3,
        yields_s=2.0,
        passing_m_s=12.0,
    )
