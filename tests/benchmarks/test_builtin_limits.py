"""What the built-in evaluator cannot drive is named with its routes."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks.builtin_limits import SCENARIO_TYPES, refuse_towns, refuse_types
from bestrand_drive.errors import DataRefused


def test_the_names_are_those_of_the_catalog():
    pytest.importorskip("carla")
    from bestrand_drive.evaluator.scenarios.catalog import TYPES

    assert set(TYPES) == SCENARIO_TYPES


def test_unknown_types_are_named_with_their_routes():
    refuse_types({"1": ["Accident", "T_Junction"], "2": []})
    with pytest.raises(DataRefused, match=r"'Saucer' \(routes 1, 3\); '' \(route 2\)\."):
        refuse_types({"1": ["Saucer", "Accident", "Saucer"], "2": [""], "3": ["Saucer"]})


def test_many_routes_are_counted():
    with pytest.raises(DataRefused, match=r"\(routes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more\)"):
        refuse_types({str(number): ["Saucer"] for number in range(12)})


def test_towns_that_are_not_there_are_named_with_their_routes():
    refuse_towns({"1": "Town01"}, {"Town02"}, "")
    with pytest.raises(DataRefused, match=r"no town 'Town01' \(routes 1, 3\): look there"):
        refuse_towns({"1": "Town01", "2": "Town02", "3": "Town01"}, {"Town01"}, "look there")
