"""How two drives of one route are compared."""

from __future__ import annotations

from dataclasses import replace

from tests.real_evaluator.compare import cells, differences, summary
from tests.real_evaluator.driving import Row

ONE = Row("bench2drive", "expert", "1", "Town01", "Accident", "Completed", 60.0, 100.0, 20.0, 9.0, True, "", 0, 0,
          {"collisions_vehicle": ["a"], "min_speed_infractions": ["slow"]})  # fmt: skip


def test_equal_drives_differ_in_nothing_but_what_is_not_compared():
    other = replace(ONE, evaluator="builtin", wall_s=2.0, infractions={"collisions_vehicle": ["elsewhere"]})
    assert differences(ONE, other) == "20.0 / 20.0 s"
    said = summary([(ONE, other)])
    assert said.startswith("1 drives a side; driving scores within a point on 1, the same status on 1;")


def test_what_differs_is_named_the_official_side_first():
    other = replace(
        ONE, status="Failed - TickRuntime", driving_score=10.0, completion=40.0, game_s=200.0,
        infractions={"collisions_vehicle": ["a", "b"], "red_light": ["c"]}, left_out="Accident_1: no room",
    )  # fmt: skip
    said = differences(ONE, other)
    assert said == (
        "Completed / Failed - TickRuntime; collisions_vehicle 1 / 2; red_light 0 / 1; completion 100 / 40 %; "
        "20.0 / 200.0 s; Accident_1: no room"
    )
    assert cells((ONE, other))[4:6] == ["60.0", "10.0"]
    assert "on 0, the same status on 0; mean driving score 60.0 official, 10.0 built in" in summary([(ONE, other)])
