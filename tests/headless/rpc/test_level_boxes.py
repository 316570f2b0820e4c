"""World boxes by semantic class, beside what ``carla.BoundingBox`` makes of the actors' own."""

import pytest

carla = pytest.importorskip("carla")

from tests.headless.live import CAR, Live  # noqa: E402

CARS, WALKERS, SIGNS, ANY = 14, 12, 8, 255


def test_a_box_encloses_its_actor_in_the_world():
    live = Live()
    car = live.world.actors[live.answer("spawn_actor", [1, CAR, []], [[100.0, 1.75, 0.5], [0.0, 60.0, 0.0]])[0][1][0]]
    own = carla.BoundingBox(carla.Location(*car.box_centre), carla.Vector3D(*car.extent))
    (pitch, yaw, roll), place = car.transform.rotation, carla.Location(*car.transform.location)
    corners = own.get_world_vertices(carla.Transform(place, carla.Rotation(pitch, yaw, roll)))
    location, extent, rotation, actor_id = live.answer("get_all_level_BBs", CARS)[0][1][-1]
    world_box = carla.BoundingBox(carla.Location(*location), carla.Vector3D(*extent))
    world_box.rotation = carla.Rotation(*rotation)
    assert actor_id == car.id
    for mine, its in zip(world_box.get_world_vertices(carla.Transform()), corners, strict=True):
        assert mine.distance(its) < 1e-3


def test_boxes_are_of_the_class_that_is_asked_for():
    live = Live()
    assert [box[3] for box in live.answer("get_all_level_BBs", CARS)[0][1]] == [live.car]
    assert [box[3] for box in live.answer("get_all_level_BBs", WALKERS)[0][1]] == [live.walker]
    assert live.answer("get_all_level_BBs", 16)[0][1] == []
    assert {live.car, live.walker} < {box[3] for box in live.answer("get_all_level_BBs", ANY)[0][1]}


def test_a_signs_plate_stands_over_its_place():
    live = Live()
    signs = {
        a.id: a for a in live.world.actors.values() if a.type_id.startswith("traffic.") and a.semantic_tag == SIGNS
    }
    plates = {box[3]: box for box in live.answer("get_all_level_BBs", SIGNS)[0][1]}
    assert plates.keys() == signs.keys() != set()
    for number, (location, extent, *_) in plates.items():
        assert location[:2] == pytest.approx(signs[number].transform.location[:2], abs=1e-6)
        assert location[2] > signs[number].transform.location[2] + 1.0
        assert max(extent) < 1.0
