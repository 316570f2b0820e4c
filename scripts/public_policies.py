"""Policies with public results on the driving benchmarks, and which of them are related."""

from __future__ import annotations

BENCH2DRIVE = {
    "PDM-Lite": ["PDM-Lite"],
    "SimLingo": ["SimLingo", "SimLingo-repeat"],
    "Zoo": ["UniAD-Base", "UniAD-Tiny", "VAD"],
    "MindDrive": ["MindDrive-0.5B"],
    "ORION": ["ORION"],
    "LEAD": ["LEAD-TFv6"],
    "TCP": ["TCP-traj"],
    "TransFuser": ["TransFuser++"],
}
"""Family -> members, those with at least 200 records."""
BENCH2DRIVE_RELATED = {family: members for family, members in BENCH2DRIVE.items() if len(members) > 1}
BENCH2DRIVE_POLICIES = tuple(name for members in BENCH2DRIVE.values() for name in members)
BENCH2DRIVE_SHORT = {"UniAD-30bc-sharded": "Zoo"}
"""Policy -> family, those with fewer records."""
FAIL2DRIVE_POLICIES = ("AlignDrive", "BevAD", "TFv6")
