"""What of a route file the evaluator cannot drive is refused, with file and line, before anything is driven."""

from __future__ import annotations

import pytest

carla = pytest.importorskip("carla")

from bestrand_drive.errors import DataRefused, UsageError  # noqa: E402
from bestrand_drive.evaluator.route_file import read_routes  # noqa: E402
from bestrand_drive.evaluator.scenarios.scenario import ScenarioConfig  # noqa: E402

POINTS = '<waypoints><position x="1" y="2" z="0"/><position x="3" y="2" z="0"/></waypoints>'
TRIGGER = '<trigger_point x="1" y="2" z="0" yaw="90"/>'
WEATHER = '<weather route_percentage="0" cloudiness="5" sky="blue"/>'


def read(tmp_path, trigger=TRIGGER, weather=WEATHER, subset="", name="T_1"):
    scenario = f'<scenario name="{name}" type="T">{trigger}<distance value="9"/></scenario>'
    inside = f"{POINTS}<scenarios>{scenario}</scenarios><weathers>{weather}</weathers>"
    routes = "\n".join(f'<route id="{number}" town="Town01">{inside}</route>' for number in (7, 3, 12))
    text = f'<?xml version="1.0" encoding="ISO-8859-1"?>\n<routes>{routes}</routes>'
    (tmp_path / "r.xml").write_bytes(text.encode("latin-1"))
    return read_routes(tmp_path / "r.xml", subset)


@pytest.mark.parametrize(("subset", "ids"), [("", ["7", "3", "12"]), ("12, 7", ["7", "12"]), ("3-12", ["3", "12"])])
def test_the_wanted_routes_in_the_file_s_order(tmp_path, subset, ids):
    found = read(tmp_path, subset=subset)
    assert [one.id for one in found] == ids
    (scenario,), ((percent, weather),) = found[0].scenarios, found[0].weathers
    assert (scenario.number("distance", 1.0), scenario.trigger.rotation.yaw) == (9.0, 90.0)
    assert (percent, weather.cloudiness, weather.sun_altitude_angle) == (0.0, 5.0, 70.0)


def test_a_file_in_another_encoding(tmp_path):
    assert len(read(tmp_path, name="Überholen")) == 3


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"trigger": TRIGGER.replace('"90"', '"north"')}, "<trigger_point> has yaw='north', which is no number"),
        ({"trigger": ""}, "scenario 'T_1' has no trigger_point"),
        ({"weather": WEATHER.replace('"5"', '"much"')}, "<weather> has cloudiness='much', which is no number"),
        ({"weather": '<weather cloudiness="5"/>'}, "<weather> has route_percentage='', which is no number"),
    ],
)
def test_what_is_no_number_is_refused_with_its_place(tmp_path, changed, said):
    with pytest.raises(DataRefused, match=rf"r\.xml, line 2: {said}"):
        read(tmp_path, **changed)


@pytest.mark.parametrize("subset", ["4", "3,", "12-3"])
def test_a_subset_that_is_not_there(tmp_path, subset):
    with pytest.raises(UsageError, match="--routes-subset"):
        read(tmp_path, subset=subset)


def test_a_scenario_s_parameter_that_is_no_number():
    config = ScenarioConfig("T_1", "T", carla.Transform(), {"distance": {"value": "far"}, "speed": {}})
    with pytest.raises(DataRefused, match="scenario 'T_1': <distance> has value='far', which is no number"):
        config.number("distance", 1.0)
    assert config.number("speed", 4.0) == 4.0
