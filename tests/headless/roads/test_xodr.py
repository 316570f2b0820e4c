"""The text: lengths that float32 can hold, ids that are unique, the same bytes for the same route."""

import struct
from pathlib import PurePosixPath
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.opendrive import parse_opendrive
from bestrand_drive.headless.roads.request import Place, Route, Scenario
from bestrand_drive.headless.roads.towns import files_of
from bestrand_drive.headless.roads.xodr_parts import road_length


@given(st.floats(1.0, 20_000.0))
def test_a_length_is_not_below_its_float32_and_not_beyond_the_geometry(metres: float) -> None:
    written = road_length(metres)
    assert struct.unpack("f", struct.pack("f", written))[0] <= written
    assert metres - 0.005 < written < metres


def crossing(route_id: str = "7", x: float = 0.0, kind: str = "BlockedIntersection") -> Route:
    """A right turn: 20 places up to a junction and 20 after it."""
    before: list[Place] = [(x + 2.0 * i, 0.0, 0.0) for i in range(20)]
    after: list[Place] = [(x + 53.0, 15.0 + 2.0 * i, 0.0) for i in range(20)]
    return Route(route_id, "Town12", (*before, *after), (Scenario(kind, (x + 10.0, 0.0, 0.0), 0.0),))


def test_ids_of_roads_junctions_and_signals_are_unique() -> None:
    (text,) = files_of([crossing(), crossing("8", 2000.0)]).values()
    root = ElementTree.fromstring(text)
    for tag in ("road", "signal", "junction", "controller[@name]"):
        ids = [element.get("id") for element in root.iterfind(f".//{tag}")]
        assert len(ids) == len(set(ids)) > 0, tag
    assert len(parse_opendrive(text).junctions) == 2


def test_the_same_routes_give_the_same_bytes() -> None:
    assert files_of([crossing()]) == files_of([crossing()])


def test_routes_that_keep_clear_share_a_file_and_others_get_one_each() -> None:
    together = files_of([crossing("1"), crossing("2", 2000.0)])
    assert list(together) == [PurePosixPath("Town12.xodr")]
    apart = files_of([crossing("1"), crossing("2", 100.0)])
    assert list(apart) == [PurePosixPath("1/Town12.xodr"), PurePosixPath("2/Town12.xodr")]
    assert apart[PurePosixPath("1/Town12.xodr")] == files_of([crossing("1")])[PurePosixPath("Town12.xodr")]


@pytest.mark.parametrize(("apart_m", "files"), [(45.0, 2), (101.0, 1)])
@pytest.mark.parametrize("shift_m", range(0, 50, 7))
@pytest.mark.parametrize("beside", [True, False])
def test_roads_within_fifty_metres_never_share_a_file_and_from_a_hundred_always(
    apart_m: float, files: int, shift_m: int, beside: bool
) -> None:
    """Beside each other, or end to end, where each has 150 m more at its end."""
    x, y = (0.0, apart_m) if beside else (118.0 + 2 * 150.0 + apart_m, 0.0)
    places = [(2.0 * i + shift_m, float(shift_m), 0.0) for i in range(60)]
    moved = [(place[0] + x, place[1] + y, 0.0) for place in places]
    assert len(files_of([Route("1", "Town12", tuple(places)), Route("2", "Town12", tuple(moved))])) == files


HOME = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "places",
    [
        ((0.0, 0.0, 0.0),),
        ((0.0, 0.0, 0.0),) * 4,
        ((0.0, 0.0, 0.0), (1e9, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), (1e300, 1e300, 0.0)),
    ],
)
def test_what_is_no_road_is_refused(places: tuple[Place, ...]) -> None:
    with pytest.raises(DataRefused, match="Route 9"):
        files_of([Route("9", "Town12", places)])


def test_one_id_twice_is_refused() -> None:
    with pytest.raises(DataRefused, match="same id"):
        files_of([crossing("1"), crossing("1", 2000.0)])
