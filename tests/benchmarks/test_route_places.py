"""Places of routes and of their scenarios, as a route file has them."""

from pathlib import Path

import pytest

from bestrand_drive.benchmarks.route_places import RoutePlaces, ScenarioPlaces, read_places
from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.errors import DataRefused

FLOW = '<start_actor_flow x="5" y="6" z="7"/><direction value="left"/><speed value="3"/>'


def places(scenarios: str) -> RoutePlaces:
    """What is read of the second route of a file."""
    points = '<waypoints><position x="1.5" y="-2" z="3"/><position x="4" y="0" z="1e1"/></waypoints>'
    first = f'<route id="1" town="Town01">{points}<scenarios/></route>'
    text = f'<routes>{first}\n<route id="2" town="Town02">{points}<scenarios>{scenarios}</scenarios></route></routes>'
    file = parse_routes(Path("r.xml"), text.encode())
    return read_places(file, file.routes[1])


def scenario(inside: str, kind: str = "ControlLoss") -> str:
    return f'<scenario name="{kind}_1" type="{kind}">{inside}</scenario>'


def test_waypoints_and_scenarios_in_order() -> None:
    trigger = '<trigger_point x="2" y="3" z="4" yaw="-90.5"/>'
    found = places(scenario(trigger + FLOW, "EnterActorFlow") + scenario(trigger))
    assert found.waypoints == ((1.5, -2.0, 3.0), (4.0, 0.0, 10.0))
    both = {"trigger_point": (2.0, 3.0, 4.0), "start_actor_flow": (5.0, 6.0, 7.0)}
    assert found.scenarios == (
        ScenarioPlaces("EnterActorFlow", (2.0, 3.0, 4.0), -90.5, "left", both),
        ScenarioPlaces("ControlLoss", (2.0, 3.0, 4.0), -90.5, "", {"trigger_point": (2.0, 3.0, 4.0)}),
    )


def test_a_route_may_have_no_scenario() -> None:
    assert places("").scenarios == ()


@pytest.mark.parametrize(
    ("inside", "word"),
    [
        ("", "no trigger_point"),
        ('<trigger_point x="2" y="3" z="4"/>', "with a yaw"),
        ('<trigger_point x="2" y="3" z="4" yaw="north"/>', "with a yaw"),
        ('<trigger_point x="2" y="3" z="4" yaw="0"/><start_actor_flow x="a" y="1" z="1"/>', "<start_actor_flow> needs"),
    ],
)
def test_what_is_no_place_is_refused_with_file_and_line(inside: str, word: str) -> None:
    with pytest.raises(DataRefused, match=rf"r\.xml, line 2: .*{word}"):
        places(scenario(inside))
