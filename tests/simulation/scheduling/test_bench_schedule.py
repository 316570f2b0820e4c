"""The script of docs/scheduling.md, held against ends on paper."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.simulation.scheduling.test_durations import route


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "scripts"))
    import bench_schedule  # type: ignore[import-not-found]

    yield bench_schedule
    for name in ("bench_schedule", "schedule_cases", "data_folder", "documents", "public_policies"):
        sys.modules.pop(name, None)


@pytest.fixture
def cases(script):
    """What it replays."""
    import schedule_cases  # type: ignore[import-not-found]  # on the path by the fixture above

    return schedule_cases


def test_ends_on_two_servers(script, cases):
    """Drives of 1, 2, 3 and 6, in that order in the file; a fifth was not driven and keeps its place in a split."""
    routes = {str(number): route(str(number), "Cut", 10.0 * number) for number in range(1, 6)}
    run = cases.Run("bench2drive", "a", "a", "0", {"1": 1.0, "2": 2.0, "3": 3.0, "4": 6.0})
    case = cases.Case(run, -1, routes, ({"1": 9.0, "2": 8.0, "3": 1.0, "4": 2.0},), ())
    assert case.driven == ["1", "2", "3", "4"]
    assert script.bound(case, 2) == 6.0
    ends = {
        order: script.METHODS[order](case, 2) for order in ("clairvoyant", "length", "file", "contiguous", "expected")
    }
    assert ends == {"clairvoyant": 6.0, "length": 6.0, "file": 8.0, "contiguous": 6.0, "expected": 7.0}


def test_a_world_is_loaded_where_a_server_begins_or_changes_its_town(script, cases):
    routes = {str(number): route(str(number), "Cut", 10.0) for number in range(1, 5)}
    run = cases.Run("fail2drive", "a", "a", "1", dict.fromkeys(routes, 2.0))
    case = cases.Case(run, -1, routes, (), ())
    jobs = [script.Job(1.0, "Town12") for _ in routes]
    assert script.replay(script.Queue(jobs, 2, by_town=True), list(routes), case, 2, 30.0) == (34.0, 2)


def test_means_are_one_a_policy(cases):
    runs = [cases.Run("f", "a", "a", label, {"1": seconds}) for label, seconds in (("1", 2.0), ("2", 4.0))]
    assert cases.means_of([*runs, cases.Run("f", "b", "b", "1", {"2": 7.0})]) == ({"1": 3.0}, {"2": 7.0})
