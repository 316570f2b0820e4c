"""A server lives on, in its town, whatever OpenDRIVE a client sends it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("carla")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.headless.live import Live
from tests.headless.processes import ROAD, Serving
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
SEARCH = settings(
    max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
VALUES = st.sampled_from(["", "-1", "0", "1", "-9", "0.5", "1e308", "-1e308", "nan", "1e7", "404", "x", "left"])


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


def test_any_value_of_an_attribute_is_a_map_or_refused(capfd: pytest.CaptureFixture[str]) -> None:
    live, spots = Live(), list(attributes(MINI_XODR))

    @SEARCH
    @given(st.sampled_from(spots), VALUES)
    def answered(spot: tuple[int, int], value: str) -> None:
        text = MINI_XODR[: spot[0]] + value + MINI_XODR[spot[1] :]
        if live.answer("copy_opendrive_to_file", text, []) == [[False]]:
            assert live.answer("load_new_episode", "OpenDriveMap", False, 0) == [[False]]
            assert all(abs(part) <= 1e6 for (place, _) in live.answer("get_map_info")[0][1][1] for part in place)
            live.world.settings.synchronous_mode = True
            assert live.answer("tick_cue")[0][0] == 1
            live.world.snapshot_rows().tobytes()

    answered()
    said = capfd.readouterr().err
    assert "defect" not in said, said[:3000]


def test_the_search_changes_values_of_attributes_only() -> None:
    text = '<a b="1" c="two"/>'
    assert [text[begin:end] for begin, end in attributes(text)] == ["1", "two"]
