"""What is expected of routes, held against sums on paper."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks.route_scan import RouteElement
from bestrand_drive.simulation.scheduling.durations import OWN_SHARE, expect


def route(name: str, kind: str, length: float) -> RouteElement:
    return RouteElement(name, "Town12", (kind,) if kind else (), 1, 0, 1, "a" * 64, length, 2)


ROUTES = {
    one.id: one
    for one in (route("1", "Cut", 100), route("2", "Cut", 50), route("3", "Door", 80), route("4", "Cut", 10))
}


def test_nothing_known_is_length():
    found = expect(ROUTES, [{}, {"99": 5.0}], "x")
    assert found.expected == {"1": 100, "2": 50, "3": 80, "4": 10}
    assert (found.unit, found.known) == ("m", 0)
    assert found.said == "order: longest route first, by route length"


def test_means_drawn_towards_the_type_and_the_unknown_by_its_pace():
    found = expect(ROUTES, [{"1": 20.0, "2": 40.0, "3": 90.0, "99": 1e9}], "runs/a")
    own, rest = OWN_SHARE, 1 - OWN_SHARE
    want = {"1": own * 20 + rest * 30, "2": own * 40 + rest * 30, "3": 90.0, "4": 10 * (20 + 40) / 150}
    assert found.expected == pytest.approx(want)
    assert (found.unit, found.known) == ("s", 3)
    assert found.said == "order: longest expected route first, by runs/a; 1 without one by their length"


def test_a_type_that_nobody_drove_has_everybodys_pace():
    found = expect(ROUTES, [{"1": 20.0, "2": 40.0}], "x")
    assert found.expected["3"] == pytest.approx(80 * 60 / 150)


def test_a_slow_policys_gap_does_not_make_a_route_short():
    """The slow one is ten times slower and has no result of route 1, which takes the quick one twice its mean."""
    quick, slow = {"1": 12.0, "2": 4.0, "3": 2.0}, {"2": 40.0, "3": 20.0}
    found = expect({name: route(name, name, 1) for name in quick}, [quick, slow], "x")
    assert found.expected == pytest.approx({"1": (12 + 12 / 6 * 30) / 2, "2": 22.0, "3": 11.0})


def test_routes_of_no_length_or_type():
    routes = {"1": route("1", "", 0.0), "2": route("2", "", 0.0)}
    assert expect(routes, [], "").expected == {"1": 0.0, "2": 0.0}
    assert expect(routes, [{"1": 5.0}], "x").expected == {"1": 5.0, "2": 0.0}
