"""The world of an asynchronous server follows the clock, told here by hand."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from bestrand_drive.headless.server import HeadlessServer
from bestrand_drive.headless.versions import load_version
from tests.headless.fakes import FakeSensors, FakeWorld

STEP_S = 0.05


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def server(clock: list[float]) -> Iterator[HeadlessServer]:
    """One that nobody runs."""
    world = FakeWorld(synchronous=False)
    world.settings.fixed_delta_seconds = STEP_S
    made = HeadlessServer(
        world,  # type: ignore[arg-type]
        load_version("0.9.16"),
        lambda *_: FakeSensors(),
        host="127.0.0.1",
        port=0,
    )
    yield made
    made.close()


def frames(server: HeadlessServer, turns: int) -> int:
    """How many ticks so many turns of the loop make at this moment."""
    before = server._world.frame
    for _ in range(turns):
        server._run_free()
    return server._world.frame - before


@pytest.mark.parametrize("turn_s", [0.001, 0.03, STEP_S])
def test_it_ticks_once_a_step_however_often_it_looks(server: HeadlessServer, clock: list[float], turn_s: float) -> None:
    count = 0
    while clock[0] < 110.0:
        count += frames(server, 1)
        assert server._sleep_s() <= STEP_S + 1e-9
        clock[0] += turn_s
    assert count == pytest.approx(10.0 / STEP_S, abs=2)


def test_a_long_halt_is_not_made_up_for(server: HeadlessServer, clock: list[float]) -> None:
    assert frames(server, 5) == 1
    clock[0] += 600.0
    assert 1 <= frames(server, 50) <= 2
    assert server._sleep_s() == pytest.approx(STEP_S)
