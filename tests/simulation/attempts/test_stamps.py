"""F17: a clock that is set, and time zones, reach the stamps at most."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

import pytest

from bestrand_drive.simulation.attempts.stamps import Stopwatch, utc_stamp
from tests.simulation.attempts.made import scored


@pytest.mark.parametrize("jump", [-7200.0, 0.0, 86400.0])
def test_a_jump_of_the_clock_does_not_reach_the_duration(monkeypatch, jump):
    now = {"wall": 1_800_000_000.0, "monotonic": 50.0}
    monkeypatch.setattr(time, "time", lambda: now["wall"])
    monkeypatch.setattr(time, "monotonic", lambda: now["monotonic"])
    watch = Stopwatch.start()
    now["monotonic"] += 12.5
    now["wall"] += 12.5 + jump
    span = watch.stop()
    assert span.wall_s == 12.5
    between = datetime.fromisoformat(span.ended) - datetime.fromisoformat(span.started)
    assert between == timedelta(seconds=12.5 + jump)
    assert scored(started=span.started, ended=span.ended, wall_s=span.wall_s).wall_s == 12.5


def test_stamps_are_utc_in_any_time_zone(monkeypatch):
    seen = set()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: 1_800_000_000.0)
            for zone in ("UTC", "Asia/Kathmandu", "America/New_York"):
                patch.setenv("TZ", zone)
                time.tzset()
                seen.add(utc_stamp())
    finally:
        time.tzset()  # as whoever runs the tests has it
    assert seen == {"2027-01-15T08:00:00.000+00:00"}
