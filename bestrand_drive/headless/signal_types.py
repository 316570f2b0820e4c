"""OpenDRIVE's signal types as CARLA reads them (``SignalType.cpp`` of LibCarla)."""

from __future__ import annotations

LIGHT_TYPE, STOP_TYPE, YIELD_TYPE, SPEED_TYPE = "1000001", "206", "205", "274"
