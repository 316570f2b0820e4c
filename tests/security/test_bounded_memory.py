"""What calls leave behind: no argument, however large, and no repetition makes the server keep more and more."""

from __future__ import annotations

import contextlib
import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("carla")

from bestrand_drive.headless.maps import library
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.rpc import decoding
from bestrand_drive.headless.rpc.dispatch import HANDLERS
from tests.headless.live import CAR, Live, at
from tests.headless.rpc.test_every_call import calls
from tests.headless.world.mini import MINI_XODR
from tests.security.test_hostile_calls import places, plain, replaced

MANY = 5_000
LONG = "k" * 400_000
MOST_KEPT = 64 << 10
"""Bytes that a call may leave behind: an actor with its attributes and tables is some 10 KB, an argument 400 KB."""


def inflated(good: list[Any]) -> Iterator[list[Any]]:
    """The arguments of a good call with one part at a time made large: texts, arrays, and numbers that are texts."""
    for path in places(good):
        part: Any = good
        for index in path:
            part = part[index]
        if isinstance(part, str | bytes):
            yield replaced(good, path, LONG)
        elif isinstance(part, list):
            yield replaced(good, path, [*part, *part[-1:] * MANY]) if part else replaced(good, path, [0] * MANY)
        elif path:
            yield replaced(good, path, LONG)


def kept_bytes() -> int:
    """Traced memory in use now."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@contextlib.contextmanager
def tracing() -> Iterator[None]:
    """Counts what Python allocates; collections look only at what a test makes, not at every module there is."""
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
        gc.unfreeze()


def too_much_kept(name: str, most: int = MOST_KEPT) -> str:
    """What a call was given when it left too much behind; nothing, if it never did.

    Each argument meets a world that took none before it: a port, a place or an id that is taken would keep it out.
    """
    with tracing():
        live = Live()
        good = plain(calls(live)[name][0])
        for arguments in inflated(good):
            before = kept_bytes()
            taken = not refused(live.answer(name, *arguments))
            if (kept := kept_bytes() - before) >= most:
                return f"{kept:,} bytes: {str(arguments)[:200]}"
            if taken:
                live = Live()
    return ""


def refused(answer: list[Any]) -> bool:
    """Whether a call was answered by an error: in place of a value, or of nothing (see ``wire/responses.py``)."""
    return len(answer) == 1 and (answer[0][0] is True or (answer[0][0] == 0 and answer[0][0] is not False))


def too_much_kept_in_a_new_process(name: str, most: int = MOST_KEPT) -> str:
    """The same where nothing else ran before.

    Python's table of interned strings, one for the whole process, is made anew now and then, at whichever string comes
    next: 3.8 MB in one that has loaded torch and pandas, 7.7 MB with ray as well. No call keeps them.
    """
    program = f"from tests.security.test_bounded_memory import *; print(too_much_kept({name!r}, {most}), end='')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_no_call_keeps_a_large_argument(name: str) -> None:
    if too_much_kept(name):
        assert too_much_kept_in_a_new_process(name) == ""


def test_the_measure_would_notice_a_call_that_keeps_its_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "LONGEST_HOST", 1 << 30)
    assert f"[['{LONG[:100]}" in too_much_kept("add_traffic_manager_running")


def test_a_new_process_measures_too() -> None:
    assert "bytes: [[1, 'vehicle.tesla.model3'" in too_much_kept_in_a_new_process("spawn_actor", most=-(1 << 30))


def test_what_is_unknown_to_a_blueprint_is_not_kept_and_a_long_value_is_refused() -> None:
    live = Live()
    role, unknown = ["role_name", 6, "hero"], ["made_up", 6, "x"]
    number = live.answer("spawn_actor", [1, CAR, [role, unknown]], at(100.0))[0][1][0]
    kept = live.world.actor(number).attributes
    assert kept["role_name"][1] == "hero"
    assert "made_up" not in kept
    long = "x" * (decoding.LONGEST_TEXT + 1)
    ((slot, (said,)),) = live.answer("spawn_actor", [1, CAR, [["role_name", 6, long]]], at(140.0))
    assert (slot, "257 characters" in said) == (0, True)
    assert live.answer("spawn_actor", [1, CAR, [["role_name", 6, long[1:]]]], at(140.0))[0][0] == 1


@pytest.mark.parametrize(
    ("field", "one", "most"),
    [(0, [0.0, 400.0], decoding.MOST_POINTS), (14, [0.0, 1.0], decoding.MOST_POINTS), (10, None, 32), (15, None, 32)],
)
def test_curves_gears_and_wheels_are_as_many_as_a_vehicle_may_have(field: int, one: list[float], most: int) -> None:
    live = Live()
    physics = live.answer("get_physics_control", live.car)[0][1]
    element = one or physics[field][0]
    for count, taken in ((most, True), (most + 1, False)):
        physics[field] = [element] * count
        answer = live.answer("apply_physics_control", live.car, physics)
        assert (answer == [[False]]) == taken, answer


@pytest.mark.parametrize(
    "place", [["x", -1], ["x", 65536], ["x", 8.0], ["x", True], ["x", "8000"], ["x" * 256, 1], [5, 1]]
)
def test_a_traffic_manager_has_a_port_and_a_name_of_a_machine(place: list[Any]) -> None:
    live = Live()
    assert live.answer("add_traffic_manager_running", place)[0][0] == 0
    assert live.context.traffic_managers == {}


def test_traffic_managers_are_one_a_port() -> None:
    live = Live()
    for _ in range(3):
        for port in range(0, 65536, 4096):
            live.answer("add_traffic_manager_running", ["127.0.0.1", port])
    assert len(live.context.traffic_managers) == 16


def test_texts_of_maps_are_kept_up_to_a_size_the_last_one_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "KEPT_CHARACTERS", 3 * len(MINI_XODR) + 100)
    maps = MapLibrary([])
    texts = [MINI_XODR.replace('max="30"', f'max="{speed}"') for speed in range(31, 37)]
    for text in texts:
        maps.from_text("mini", text)
    assert [kept.xodr for kept in maps._loaded.values()] == texts[-3:]
    long = MINI_XODR.replace("<link/>", f"<link/><!--{'x' * 4 * len(MINI_XODR)}-->")
    maps.from_text("mini", long)
    assert [kept.xodr for kept in maps._loaded.values()] == [long]


def test_a_refused_text_is_not_kept(tmp_path: Path) -> None:
    live = Live()
    live.answer("copy_opendrive_to_file", MINI_XODR, [])
    assert live.answer("copy_opendrive_to_file", "<nothing", [])[0][0] is True
    assert live.context.pending_opendrive == MINI_XODR


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_an_answer_does_not_send_a_large_argument_back(name: str) -> None:
    live = Live()
    most = len(LONG) if name == "apply_batch" else len(LONG) // 10  # an outcome for each of thousands of commands
    for arguments in inflated(plain(calls(live)[name][0])):
        said = str(live.answer(name, *arguments))
        assert LONG[:1000] not in said
        assert len(said) < most
