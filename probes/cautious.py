"""Can do everything but pass, slowly and with long gaps: waits behind what stands until it is timed out."""

from __future__ import annotations

from probe_driving.agent import ProbeAgent
from probe_driving.style import Style


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "Cautious"


class Cautious(ProbeAgent):
    """The agent."""

    style = Style(
        overtakes=False,
        speed_share=0.45,
        top_m_s=9.0,
        lateral_m_s2=1.2,
        accel_m_s2=1.4,
        brake_m_s2=2.0,
        time_gap_s=2.2,
        standstill_m=5.0,
        side_m=1.2,
        gap_s=2.5,
        horizon_s=6.0,
        stop_s=1.5,
        yields_s=40.0,
    )
