"""Who is driven and walked, and for how long."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

carla = pytest.importorskip("carla")

from bestrand_drive.evaluator.state import State  # noqa: E402
from bestrand_drive.evaluator.traffic import Traffic  # noqa: E402


def test_what_is_gone_from_the_scene_gets_no_command():
    box = SimpleNamespace(extent=SimpleNamespace(x=2.0, y=1.0))
    ego, car, walker = (SimpleNamespace(id=number, bounding_box=box) for number in (1, 2, 3))
    there = {2: car, 3: walker}
    scene = SimpleNamespace(
        world=None,
        delta_s=0.05,
        ego=ego,
        plan=SimpleNamespace(distances=[0.0, 9.0], xs=[0.0, 9.0], ys=[0.0, 0.0]),
        plan_index=0,
        state=lambda _: State(carla.Location(), carla.Rotation(), carla.Vector3D(), 0.0),
        others=lambda: list(there.values()),
        exists=lambda actor: actor.id in there,
    )
    traffic = Traffic(scene)
    path = [carla.Location(x=float(x)) for x in range(0, 40, 2)]
    traffic.drive(car, path, 5.0, respects_lights=False)
    traffic.walk(walker, carla.Location(x=9.0), 1.0)
    assert len(traffic.tick()) == 3, "velocity and turn of the car, and the walker's"
    del there[car.id]
    assert len(traffic.tick()) == 1
    del there[walker.id]
    assert traffic.tick() == []
