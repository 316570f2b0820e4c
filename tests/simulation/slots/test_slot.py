"""What a slot makes of what was seen of an attempt."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts.log_place import LogPlace
from bestrand_drive.simulation.attempts.outcome import Judgement
from bestrand_drive.simulation.processes.supervised import Ended
from bestrand_drive.simulation.slots.attendance import Attended
from bestrand_drive.simulation.slots.slot import _of_judgement
from bestrand_drive.simulation.watchdog import NO_LINES
from tests.simulation.attempts.made import scored


@pytest.mark.parametrize(("system_s", "speed"), [(40.0, 0.5), (1e-310, None), (None, 0.25)])
def test_a_speed_is_a_number_or_is_not_told(tmp_path, system_s, speed):
    """An evaluator may write any number; the record of its attempt holds finite ones only."""
    judged = Judgement(Outcome.SCORED, None, "Completed", game_s=20.0, system_s=system_s)
    attended = Attended(Ended(0), LogPlace(tmp_path / "log"), b"", speed=0.25)
    told = _of_judgement(judged, attended, NO_LINES)
    assert told["speed"] == speed
    assert scored(speed=told["speed"])
