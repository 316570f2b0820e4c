"""A server lives on, in its town, whatever OpenDRIVE a client sends it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("carla")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestrand_drive.headless.maps import proof
from tests.headless.live import Live
from tests.headless.processes import ROAD, ROOT, Serving
from tests.headless.world.mini import MINI_XODR

LINE, SIGNAL = "<line/>", '<signals><signalReference s="1" t="0" id="404" orientation="+"/></signals></road>'
HOSTILE = {
    "no shape": ROAD.replace(LINE, ""),
    "a late geometry": ROAD.replace('<geometry s="0.0"', '<geometry s="50"'),
    "a missing signal": ROAD.replace("</road>", SIGNAL),
    "a long road": ROAD.replace('length="200.0"', 'length="1e9"'),
    "no curvature": ROAD.replace(LINE, '<arc curvature="0"/>'),
    "no text": ROAD.replace('name="a"', 'name="\udcff"'),
    "nothing": "",
}
SEARCH = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
VALUES = st.sampled_from(["", "-1", "0", "1", "-9", "0.5", "1e308", "-1e308", "nan", "1e7", "404", "x", "left"])


TRIALS = """
import os, sys
from bestrand_drive.headless.maps.trial import main
for line in sys.stdin:
    given, answer, cpu_s, memory_bytes = line.split()
    child = os.fork()
    if not child:
        os.dup2(os.open(given, os.O_RDONLY), 0)
        os.dup2(os.open(answer, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        main(int(cpu_s), int(memory_bytes))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def quick_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Maps are tried in forks of one process that has loaded carla, not each in an interpreter of its own."""
    given, answer = tmp_path / "given", tmp_path / "answer"
    with subprocess.Popen(
        [sys.executable, "-c", TRIALS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as server:
        assert server.stdin
        assert server.stdout
        asked, told = server.stdin, server.stdout

        def ran(
            command: list[str], data: bytes, _limit_s: float, _look: Callable[[], None]
        ) -> subprocess.CompletedProcess[bytes]:
            given.write_bytes(data)
            print(given, answer, *command[3:5], file=asked, flush=True)
            return subprocess.CompletedProcess(command, int(told.readline()), answer.read_bytes(), b"")

        monkeypatch.setattr(proof, "_ran", ran)
        yield
        asked.close()


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    """A folder with one town."""
    (tmp_path / "Town01.xodr").write_text(ROAD)
    return tmp_path


def test_a_server_as_a_process_survives_what_kills_the_library(tmp_path: Path, maps: Path) -> None:
    with Serving(tmp_path, maps) as server:
        client = server.client()
        for name, text in HOSTILE.items():
            answer = client.call("copy_opendrive_to_file", text.encode("utf-8", "surrogateescape"), [])
            assert answer[0][0] is True, name
            assert client.call("load_new_episode", "OpenDriveMap", False, 0)[0][0] is True, name
            assert client.call("tick_cue")[0][0] == 1, name
        assert client.call("copy_opendrive_to_file", MINI_XODR, []) == [[False]]
        assert client.call("load_new_episode", "OpenDriveMap", False, 0) == [[False]]
        assert client.call("tick_cue")[0][0] == 1
        assert "Traceback" not in server.errors


def attributes(text: str) -> Iterator[tuple[int, int]]:
    """Where the values of attributes begin and end."""
    quotes = [index for index, letter in enumerate(text) if letter == '"']
    for begin, end in itertools.pairwise(quotes):
        if text[begin - 1] == "=":
            yield begin + 1, end


@pytest.mark.usefixtures("quick_trials")
def test_any_value_of_an_attribute_is_a_map_or_refused(capfd: pytest.CaptureFixture[str]) -> None:
    live, spots, answers = Live(), list(attributes(MINI_XODR)), []

    @SEARCH
    @given(st.sampled_from(spots), VALUES)
    def answered(spot: tuple[int, int], value: str) -> None:
        text = MINI_XODR[: spot[0]] + value + MINI_XODR[spot[1] :]
        answers.append(live.answer("copy_opendrive_to_file", text, []))
        if answers[-1] == [[False]]:
            assert live.answer("load_new_episode", "OpenDriveMap", False, 0) == [[False]]
            assert all(abs(part) <= 1e6 for (place, _) in live.answer("get_map_info")[0][1][1] for part in place)
            live.world.settings.synchronous_mode = True
            assert live.answer("tick_cue")[0][0] == 1
            live.world.snapshot_rows().tobytes()

    answered()
    refused = sum(answer != [[False]] for answer in answers)
    assert 10 < refused < len(answers) - 10
    said = capfd.readouterr().err
    assert "defect" not in said, said[:3000]


def test_the_search_changes_values_of_attributes_only() -> None:
    text = '<a b="1" c="two"/>'
    assert [text[begin:end] for begin, end in attributes(text)] == ["1", "two"]
