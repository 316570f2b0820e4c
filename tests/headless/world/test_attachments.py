"""Rigid attachments, checked against ``carla.Transform``."""

from typing import TYPE_CHECKING

import carla
import numpy as np
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.attachments import attitudes, rotation_matrices

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CAR, CAMERA = "vehicle.tesla.model3", "sensor.camera.rgb"


def as_carla(place: Transform) -> carla.Transform:
    pitch, yaw, roll = place.rotation
    return carla.Transform(carla.Location(*place.location), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))


def test_matrices_are_carlas() -> None:
    angles = np.random.default_rng(0).uniform(-180.0, 180.0, (200, 3))
    for row, matrix in zip(angles, rotation_matrices(angles.T), strict=True):
        expected = np.array(as_carla(Transform((0.0, 0.0, 0.0), tuple(row))).get_matrix())[:3, :3]
        assert np.allclose(matrix, expected, rtol=0.0, atol=1e-5)
        assert np.allclose(matrix @ matrix.T, np.eye(3), rtol=0.0, atol=1e-12)
    assert rotation_matrices(np.zeros((3, 0))).shape == (0, 3, 3)


def test_attitudes_are_read_back_from_matrices() -> None:
    angles = np.random.default_rng(3).uniform((-80.0, -180.0, -170.0), (80.0, 180.0, 170.0), (20, 3))
    assert np.allclose(attitudes(rotation_matrices(angles.T)).T, angles, atol=1e-9)


def test_a_camera_rides_on_its_parent(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((300.0, 1.75, 5.0), (0.0, 0.0, 0.0)))
    relative = Transform((1.5, -0.4, 2.0), (-10.0, 30.0, 5.0))
    camera = world.spawn(CAMERA, {}, relative, parent=car.id)
    world.set_target_velocity(car.id, (7.0, 0.0, 0.0))
    for _ in range(5):
        world.tick()
    expected = as_carla(car.transform).transform(carla.Location(*relative.location))
    assert camera.transform.location == pytest.approx((expected.x, expected.y, expected.z), abs=1e-3)
    both = np.array(as_carla(car.transform).get_matrix())[:3, :3] @ np.array(as_carla(relative).get_matrix())[:3, :3]
    assert np.allclose(np.array(as_carla(camera.transform).get_matrix())[:3, :3], both, atol=1e-4)
    assert camera.velocity == car.velocity
    assert (camera.parent, camera.attachment) == (car.id, relative)


def test_chains_follow_in_the_same_tick(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    arm = world.spawn("static.prop.trafficcone01", {}, Transform((0.0, 0.0, 2.0)), parent=car.id)
    camera = world.spawn(CAMERA, {}, Transform((0.0, 0.0, 1.0)), parent=arm.id)
    world.set_target_velocity(car.id, (5.0, 0.0, 0.0))
    world.tick()
    x, y, z = car.transform.location
    assert camera.transform.location == pytest.approx((x, y, z + 3.0))


def test_a_transform_of_an_attached_actor_is_relative(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    camera = world.spawn(CAMERA, {}, Transform((0.0, 0.0, 2.0)), parent=car.id)
    world.set_transform(camera.id, Transform((1.0, 0.0, 3.0)))
    assert camera.transform.location == pytest.approx((51.0, 1.75, 3.0))
    world.set_location(camera.id, (2.0, 0.0, 3.0))
    assert camera.transform.location == pytest.approx((52.0, 1.75, 3.0))


def test_an_attached_prop_never_collides(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    world.spawn("static.prop.streetbarrier", {}, Transform((1.0, 0.0, 0.5)), parent=car.id)
    world.set_target_velocity(car.id, (5.0, 0.0, 0.0))
    world.tick()
    assert not world.events
