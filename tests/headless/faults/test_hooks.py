"""What the hooks make of several faults, and a crash's core file."""

import subprocess
import sys

import pytest

from bestrand_drive.headless.faults import deeds
from bestrand_drive.headless.faults.hooks import FLOOD_PERIOD_S, FaultHooks
from bestrand_drive.headless.faults.order import TIMED, parse_faults
from bestrand_drive.headless.server import PATIENCE_S
from tests.headless.processes import surroundings


@pytest.fixture
def struck(monkeypatch):
    """Names and arguments of what was done, which is not done."""
    found = []
    monkeypatch.setattr(deeds, "wait", lambda _, seconds=None: found.append(("wait", seconds)))
    monkeypatch.setattr(deeds, "flood", lambda *_: found.append(("flood",)))
    monkeypatch.setattr(deeds, "crash", lambda: found.append(("crash",)))
    monkeypatch.setattr(deeds, "run_out_of_memory", lambda: found.append(("memory",)))
    return found


def hooks(*texts):
    return FaultHooks(parse_faults(texts))


def test_slow_starts_add_up(struck):
    hooks("slow-start=0.7", "slow-start=20").before_listening()
    assert struck == [("wait", 20.7)]


def test_faults_of_one_tick_strike_in_their_order_and_once(struck):
    made = hooks("hang@tick=2", "oom-exit@tick=2", "drop-stream@tick=2", "crash@tick=3")
    made.drop_streams = lambda: struck.append(("drop",))
    made.ticked()
    assert struck == []
    made.ticked()
    assert struck == [("wait", None), ("memory",), ("drop",)]
    made.ticked()
    made.ticked()
    assert struck[3:] == [("crash",)]


def test_a_load_strikes_its_own_town_each_time(struck):
    made = hooks("crash@load=Town02")
    for name in ("Town01", "Carla/Maps/Town02_Opt", "Town02", "Town020", ""):
        made.loading(name)
    assert struck == [("crash",)] * 2


def test_without_faults_nothing_is_done_at_any_moment(struck):
    made = hooks()
    made.before_listening()
    made.ticked()
    made.loading("")
    assert made.goes_on()
    assert struck == [("wait", 0)]


@pytest.mark.parametrize("turn_s", [0.001, 0.05, PATIENCE_S])
def test_a_flood_is_as_strong_in_a_server_without_work(struck, monkeypatch, turn_s):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    made = hooks("stderr-flood")
    while now[0] < 120.0:
        now[0] += turn_s
        assert made.goes_on()
    assert len(struck) == pytest.approx(20.0 / FLOOD_PERIOD_S, abs=6)


def test_a_flood_makes_up_for_no_long_halt(struck, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    made = hooks("stderr-flood")
    now[0] += 3600.0
    assert made.goes_on()
    assert 0 < len(struck) < 1.0 / FLOOD_PERIOD_S
    before = len(struck)
    assert made.goes_on()
    assert len(struck) == before


@pytest.mark.parametrize("kind", TIMED)
def test_every_kind_that_strikes_at_a_moment_does_something_of_its_own(struck, kind):
    made = hooks(f"{kind}@tick=1")
    made.drop_streams = lambda: struck.append(("drop",))
    made.ticked()
    done = {"crash": ("crash",), "hang": ("wait", None), "oom-exit": ("memory",), "drop-stream": ("drop",)}
    assert struck == [done[kind]]


def test_a_crash_leaves_no_core_file():
    program = (
        "import os, resource\n"
        "from bestrand_drive.headless.faults.deeds import crash\n"
        "hard = resource.getrlimit(resource.RLIMIT_CORE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))\n"
        "def look(*_):\n"
        "    print(resource.getrlimit(resource.RLIMIT_CORE)[0], flush=True)\n"
        "    os._exit(0)\n"
        "os.kill = look\n"
        "crash()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], env=surroundings(), capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == "0\n"
