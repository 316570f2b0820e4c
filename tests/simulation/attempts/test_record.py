"""Records of attempts: strict in, the same bytes out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.errors import DataRefused
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import EvaluatorCheckout, Load, NewerSchema, parse_attempt
from tests.simulation.attempts.made import failed, hung, scored

FULL = scored(
    2,
    started="2027-01-15T08:00:00.000+00:00",
    ended="2027-01-15T08:01:00.000+00:00",
    wall_s=60.0,
    game_s=20.0,
    ticks=400,
    speed=1 / 3,
    load=Load(servers=4, servers_per_gpu=2, loadavg=3.5),
    ports=(30000, 30001, 30002, 50000),
    evaluator=EvaluatorCheckout(root="/b2d", commit="7ec25d1"),
    result_file="2.result.json",
    result_sha256="c" * 64,
    logs=("a.log",),
)


@pytest.mark.parametrize("attempt", [FULL, scored(), failed(), hung()])
def test_a_record_comes_back_as_it_was(attempt):
    again = parse_attempt(attempt.to_json(), Path("1.json"))
    assert again == attempt
    assert again.to_json() == attempt.to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"reason": "tick_hang"},
        {"outcome": "infrastructure"},
        {"outcome": "agent_hung"},
        {"outcome": "agent_hung", "reason": "no_progress"},
        {"outcome": "infrastructure", "reason": "agent_hang"},
        {"result_sha256": None},
        {"result_file": "3.result.json"},
        {"result_file": "../2.result.json"},
        {"number": 0},
        {"started": "2027-01-15T08:00:00+02:00"},
        {"started": "2027-01-15T08:00:00"},
        {"outcome": "won"},
        {"mood": "good"},
        {"wall_s": "NaN"},
        {"schema_version": 0},
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change):
    raw = json.loads(FULL.to_json()) | change
    with pytest.raises(DataRefused, match=r"x/2\.json: .*edited or damaged"):
        parse_attempt(json.dumps(raw).encode(), Path("x/2.json"))


def test_numbers_that_are_none_cannot_be_written():
    with pytest.raises(ValidationError):
        scored(wall_s=float("nan"))


def test_a_later_schema_asks_for_an_upgrade():
    """F18: such a record is not damaged, so it must not be treated as if."""
    raw = json.loads(FULL.to_json()) | {"schema_version": 2, "mood": "good"}
    with pytest.raises(NewerSchema, match="pip install --upgrade"):
        parse_attempt(json.dumps(raw).encode(), Path("2.json"))


def test_outcomes_that_count():
    assert scored().counts
    assert scored(outcome=Outcome.AGENT_CRASHED).counts
    assert not failed(reason=Reason.TM_STALL).counts
    assert not hung().counts


def test_outcomes_of_the_policy():
    """F3: a hang is its own doing though it has no result."""
    assert scored().of_policy
    assert hung().of_policy
    assert not failed().of_policy
