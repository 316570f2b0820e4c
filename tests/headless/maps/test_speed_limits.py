"""Which limit wins: lane, road, neighbours of a junction, the road's type."""

import pytest

from bestrand_drive.headless.maps.opendrive import Road, SpeedRecord
from bestrand_drive.headless.maps.speed_limits import SpeedLimits


def road(number: int, **kwargs: object) -> Road:
    fields: dict[str, object] = {"junction": -1, "types": (), "speeds": (), "lane_speeds": {}, "neighbours": ()}
    return Road(id=number, **{**fields, **kwargs})  # type: ignore[arg-type]


def test_a_lane_record_wins_from_its_place_on() -> None:
    limits = SpeedLimits(
        {
            1: road(
                1, speeds=(SpeedRecord(0, 50.0),), lane_speeds={-1: (SpeedRecord(20.0, 30.0), SpeedRecord(40.0, 10.0))}
            )
        }
    )
    assert [limits.at(1, -1, s) for s in (0.0, 19.9, 20.0, 45.0)] == [50.0, 50.0, 30.0, 10.0]
    assert limits.at(1, 1, 45.0) == 50.0


def test_the_last_road_record_before_a_place_holds() -> None:
    limits = SpeedLimits({1: road(1, speeds=(SpeedRecord(0, 50.0), SpeedRecord(100.0, 80.0)))})
    assert [limits.at(1, -1, s) for s in (99.0, 100.0)] == [50.0, 80.0]


def test_a_connecting_road_takes_the_limit_of_a_road_it_joins() -> None:
    roads = {
        1: road(1),
        2: road(2, speeds=(SpeedRecord(0, 64.0),)),
        5: road(5, junction=3, neighbours=(1, 2)),
        6: road(6, neighbours=(2,)),
    }
    limits = SpeedLimits(roads)
    assert limits.at(5, -1, 1.0) == 64.0
    assert limits.at(6, -1, 1.0) == 50.0


@pytest.mark.parametrize(
    ("kind", "limit"), [("lowSpeed", 30.0), ("town", 50.0), ("", 50.0), ("rural", 90.0), ("motorway", 90.0)]
)
def test_without_a_record_the_type_decides(kind: str, limit: float) -> None:
    limits = SpeedLimits({1: road(1, types=((0.0, kind),), speeds=(SpeedRecord(0.0, None),))})
    assert limits.at(1, -1, 0.0) == limit


def test_an_unknown_road_has_a_town_limit() -> None:
    assert SpeedLimits({}).at(4, 1, 0.0) == 50.0
