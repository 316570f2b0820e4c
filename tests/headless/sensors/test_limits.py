"""Absurd attributes are refused before a sensor exists, those of every blueprint are not."""

from __future__ import annotations

import msgpack
import pytest

from bestrand_drive.headless.sensors.limits import LIMITS, check_attributes, number
from bestrand_drive.headless.sensors.suite import make_model
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.world.errors import WorldError
from tests.headless.fakes import HERE, serving
from tests.headless.sensors.stage import CATALOG, Stage

ABSURD = [
    ("image_size_x", "200000"), ("image_size_x", "0"), ("image_size_y", "-600"), ("image_size_y", "1e9"),
    ("channels", "1e8"), ("channels", "0"), ("points_per_second", "1e12"), ("points_per_second", "-5"),
    ("range", "1e30"), ("range", "-1"), ("range", "inf"), ("sensor_tick", "1e-12"), ("sensor_tick", "-0.1"),
    ("sensor_tick", "nan"), ("fov", "word"), ("fov", ""), ("horizontal_fov", "1e6"), ("noise_seed", "1e40"),
    ("noise_stddev", "-1"), ("dropoff_general_rate", "1.5"), ("distance", "1e9"), ("hit_radius", "-2"),
    ("noise_gyro_bias_z", "1e300"), ("noise_lat_stddev", "inf"), ("rotation_frequency", "\udcff"),
]  # fmt: skip
SENSORS = [blueprint for blueprint in CATALOG.blueprints if blueprint.id.startswith("sensor.")]


@pytest.mark.parametrize(("name", "value"), ABSURD)
def test_the_message_names_attribute_value_and_limit(name: str, value: str) -> None:
    with pytest.raises(WorldError) as refused:
        check_attributes({"role_name": (3, "front"), name: (2, value)})
    message = str(refused.value)
    assert name in message
    assert repr(value) in message
    assert str(LIMITS[name]) in message


@pytest.mark.parametrize("blueprint", SENSORS, ids=lambda blueprint: blueprint.id)
def test_every_blueprint_is_within_its_limits_and_reads_nothing_that_has_none(blueprint) -> None:
    check_attributes(blueprint.defaults())
    stage = Stage()
    make_model(stage.add(blueprint.id), load_version("0.9.16"))  # a number without a limit would be a KeyError


def test_what_evaluators_ask_for_is_allowed() -> None:
    for name, value in (("sensor_tick", "0.05"), ("sensor_tick", "0"), ("image_size_x", "3840"), ("range", "85"),
                        ("points_per_second", "2400000"), ("channels", "128"), ("fov", "110.0f")):  # fmt: skip
        check_attributes({name: (2, value)})
    assert number({"fov": (2, "110.5f")}, "fov") == 110.5


@pytest.mark.parametrize("value", ["200000", "\udcfe"])
def test_a_client_is_told_and_nothing_is_spawned(value: str) -> None:
    camera = [9, "sensor.camera.rgb", [["image_size_x", 2, value]]]
    with serving() as running:
        client = running.client()
        before = len(running.world.actors)
        client.socket.sendall(
            msgpack.packb([0, 1, "spawn_actor", [[False], camera, HERE]], unicode_errors="surrogateescape")
        )
        _, _, error, ((kind, (message,)),) = client.receive()
        assert (error, kind) == (None, 0)
        assert "image_size_x" in message
        assert "1 to 4096" in message
        parts = {"description": camera, "transform": HERE, "parent": [False], "attachment_type": 0,
                 "socket_name": "", "do_after": []}  # fmt: skip
        if value.isascii():
            command = [[0, load_version("0.9.16").pack("SpawnActor", parts)]]
            ((kind, (message,)),) = client.call("apply_batch", [command], False)[0]
            assert kind == 0
            assert "image_size_x" in message
        assert len(running.world.actors) == before
        other = client.call("spawn_actor", [9, "vehicle.tesla.model3", [["range", 2, "1e30"]]], HERE)
        assert other[0][0] == 1  # the control, and: only sensors are limited
