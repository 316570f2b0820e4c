"""Texts that kill, hang or fill the process that loads them: that is another one, and the reason is told."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.errors import DataRefused, EnvironmentFault
from bestrand_drive.headless.maps import proof
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.maps.road_map import RoadMap
from tests.headless.world.mini import MINI_XODR

LINE = "<line/>"
LANE = '<lane id="-1" type="driving" level="false">'
NEXT = '<link><successor elementType="road" elementId="7" contactPoint="start"/></link>'
ROAD_END = "</road>"
CONTROLLER = '<controller id="c"><control signalId="404"/></controller>'
KILLS = [
    ([("<link/>", NEXT), (LANE, LANE + '<link><successor id="-9"/></link>')], "goes on as lane '-9' of road '7'"),
    (
        [("</laneSection>", '</laneSection><laneSection s="200"><center/></laneSection>'),
         (LANE, LANE + '<link><successor id="-1"/></link>')],
        "goes on as lane '-1' of road '7'",
    ),
    (
        [(ROAD_END, f'{ROAD_END}{CONTROLLER}<junction id="1" name="j"><controller id="c" type="0"/></junction>')],
        "controller 'c' names signal '404'",
    ),
    (
        [("</signals>", '<signalReference s="10" t="0" id="404" orientation="+"/></signals>')],
        "road '7' names signal '404'",
    ),
]  # fmt: skip
UNUSABLE = [
    (LINE, '<arc curvature="1e300"/>', "distance"),
    ('<elevation s="200" a="0" b="0.05"', '<elevation s="200" a="0" b="1e300"', "no finite direction"),
    ('<elevation s="200" a="0" b="0.05"', '<elevation s="200" a="0" b="1e6"', "not within"),
    ('<elevation s="0"', '<elevation s="50"', "elevation"),
    ("<lanes>", '<lanes><laneOffset s="0" a="1e30" b="0" c="0" d="0"/>', "not within"),
    ("+lat_0=42", "+lat_0=north", "stod"),
]


def changed(*changes: tuple[str, str]) -> str:
    """The mini town with parts replaced, each of which is there."""
    text = MINI_XODR
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(("changes", "reason"), KILLS)
def test_what_kills_the_library_is_refused_with_the_reason(changes: list[tuple[str, str]], reason: str) -> None:
    with pytest.raises(DataRefused, match="SIGSEGV") as caught:
        RoadMap("mini", changed(*changes))
    assert reason in str(caught.value)


@pytest.mark.parametrize(("old", "new", "reason"), UNUSABLE)
def test_what_leads_to_no_finite_places_is_refused(old: str, new: str, reason: str) -> None:
    with pytest.raises(DataRefused, match=reason):
        RoadMap("mini", changed((old, new)))


def test_a_text_of_half_a_character_is_refused() -> None:
    with pytest.raises(DataRefused, match="cannot be read"):
        MapLibrary([]).from_text("mini", changed(('name="main"', 'name="\udcff"')))


@pytest.mark.parametrize("name", ["Town01", "Town02", "Town04", "Town06", "Town07", "Town10HD"])
def test_carla_s_own_towns_are_sound_and_need_no_tenth_of_the_limits(
    towns: MapLibrary, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = towns.find(name)
    assert path is not None
    text = path.read_text()
    monkeypatch.setattr(proof, "CPU_S", 1 + proof.CPU_S // 10)
    monkeypatch.setattr(proof, "_PATIENCE", 100)  # the processor's time is limited here, a busy machine's is not
    monkeypatch.setattr(proof, "MEMORY_BYTES", proof.MEMORY_BYTES // 10)
    assert proof._tried(name, text) == ""


def test_what_takes_too_long_or_too_much_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A road of a thousand kilometres fits into the limits; with less time or memory it does not."""
    long = changed(('length="400"', 'length="1e6"'), ('length="400"', 'length="1e6"'))
    monkeypatch.setattr(proof, "CPU_S", 1)
    monkeypatch.setattr(proof, "_PATIENCE", 100)  # the processor's time is limited here, a busy machine's is not
    assert "more than 1 s" in proof._tried("long", long)
    monkeypatch.undo()
    monkeypatch.setattr(proof, "MEMORY_BYTES", 1 << 27)
    assert "memory" in proof._tried("long", long)


def test_each_text_is_tried_once_and_its_verdict_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def tries(_name: str, text: str, _look: proof.Look) -> str:
        tried.append(text)
        return "it is bad" if text == "bad" else ""

    monkeypatch.setattr(proof, "_tried", tries)
    monkeypatch.setattr(proof, "_KEPT", 2)
    monkeypatch.setattr(proof, "_verdicts", type(proof._verdicts)())
    for _ in range(2):
        proof.prove("town", "good")
        with pytest.raises(DataRefused, match="of town: it is bad"):
            proof.prove("town", "bad")
    assert tried == ["good", "bad"]
    for text in "xyz":
        proof.prove("town", text)
    assert len(proof._verdicts) == 2


def test_a_trial_that_cannot_run_is_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(proof.sys, "executable", str(tmp_path / "none"))
    with pytest.raises(EnvironmentFault, match="cannot be tried"):
        proof._tried("mini", MINI_XODR)
    monkeypatch.undo()
    monkeypatch.setattr(proof, "_PROGRAM", "raise SystemExit('broken installation')")
    with pytest.raises(EnvironmentFault, match="broken installation"):
        proof._tried("mini", MINI_XODR)


class Told(BaseException):
    """What a server raises that is to end."""


def test_who_is_told_to_end_waits_for_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[subprocess.Popen[bytes]] = []

    def look() -> None:
        raise Told

    def started(*args: Any, **named: Any) -> subprocess.Popen[bytes]:
        trials.append(subprocess.Popen(*args, **named))
        return trials[-1]

    monkeypatch.setattr(proof, "_PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(proof, "_NAP_S", 0.01)
    monkeypatch.setattr(proof, "Popen", started)
    with pytest.raises(Told):
        MapLibrary([], look).from_text("mini", changed((LINE, "<line></line>")))
    assert [trial.returncode for trial in trials] == [-signal.SIGKILL]


def test_a_trial_takes_a_text_of_any_size_and_ends_with_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "_NAP_S", 0.001)
    monkeypatch.setattr(proof, "_PROGRAM", "import sys; print(len(sys.stdin.buffer.read()), end='')")
    assert proof._tried("long", "x" * 3_000_000) == "3000000"
    monkeypatch.setattr(proof, "_PATIENCE", 0)
    monkeypatch.setattr(proof, "_PROGRAM", "import time; time.sleep(60)")
    with pytest.raises(DataRefused, match="more than 0 s"):
        proof._tried("mini", MINI_XODR)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGXCPU, signal.SIGKILL])
def test_every_death_has_words(number: signal.Signals) -> None:
    said = proof._death(number, 10, MINI_XODR)
    late = number in (signal.SIGXCPU, signal.SIGKILL)
    assert ("10 s" in said) == late
    assert (number.name in said) != late
