"""Bench2Drive's rules for one record.

Source: the benchmark's merge and efficiency scripts. Driving score = score_composed; success = status Completed or
Perfect and no infraction other than min_speed; efficiency = mean of the logged percentages of the surrounding
traffic's speed, those above 1000 % dropped.
"""

from __future__ import annotations

import math
from statistics import fmean

from bestrand_drive.benchmarks.outcomes import SUCCESS_STATUSES
from bestrand_drive.benchmarks.record_parsing import SPEED_KIND, RouteRecord, percentages

RECORD_METRICS = ("driving_score", "success", "efficiency", "route_completion")
_MAX_SPEED_PERCENT = 1000.0


def is_success(record: RouteRecord) -> bool:
    """Bench2Drive's success: completed, and no infraction except speed checkpoints (lanes count)."""
    clean = not any(messages for kind, messages in record.infractions.items() if kind != SPEED_KIND)
    return record.status in SUCCESS_STATUSES and clean


def efficiency_percent(record: RouteRecord) -> float:
    """Mean speed relative to the surrounding traffic, in percent; NaN when no checkpoint was logged."""
    speeds = [speed for speed in percentages(record, SPEED_KIND) if speed <= _MAX_SPEED_PERCENT]
    return fmean(speeds) if speeds else math.nan


def measure(record: RouteRecord) -> dict[str, float]:
    """The metrics that a record alone tells, by name; efficiency may be NaN.

    The record must not be an infrastructure failure.
    """
    return {
        "driving_score": record.driving_score,
        "success": 100.0 * is_success(record),
        "efficiency": efficiency_percent(record),
        "route_completion": record.route_completion,
    }
