"""What a run calls the folders that agents save under."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("carla")

from bestrand_drive.evaluator.runner import save_name


@pytest.mark.parametrize(("scenario", "shown"), [("Accident_1", "Accident_1"), ("../../x", ".._.._x")])
def test_it_is_one_folder_whatever_a_route_file_calls_its_scenario(scenario, shown):
    name = save_name("RouteScenario_7_rep0", "Town01", scenario)
    assert re.fullmatch(rf"RouteScenario_7_rep0_Town01_{re.escape(shown)}_None(_[0-9]{{2}}){{5}}", name)
