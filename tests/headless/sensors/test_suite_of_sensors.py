"""Who sends when, and under which header."""

from __future__ import annotations

import pytest

from bestrand_drive.headless.versions import known_versions, load_version
from tests.headless.sensors.stage import CATALOG, Stage

SILENT = {"sensor.other.lane_invasion", "sensor.other.rss"}


def test_headers_say_type_frame_time_and_place() -> None:
    stage = Stage()
    stage.add("sensor.other.gnss", (1.5, -2.5, 3.25), (4.0, 5.0, 6.0))
    ((stream, header, _),) = stage.step(stage.suite(), 0.25)
    assert stream == 101
    assert header == (4, 1, 0.25, 1.5, -2.5, 3.25, 4.0, 5.0, 6.0)


@pytest.mark.parametrize("version", known_versions())
def test_every_sensor_of_the_catalogue_sends_or_is_the_clients(version: str) -> None:
    stage = Stage()
    for blueprint in CATALOG.blueprints:
        if blueprint.id.startswith("sensor."):
            stage.add(blueprint.id)
    stage.add("static.prop.container", (2.0, 0.0, 0.0))
    types = load_version(version).sensor_types
    sent = {stream: header[0] for stream, header, _ in stage.step(stage.suite(version))}
    for actor in stage.actors.values():
        if actor.type_id in SILENT | {"sensor.other.collision"} or not actor.stream_id:
            assert actor.stream_id not in sent
        else:
            assert sent[actor.stream_id] == types[actor.type_id]


def test_nobody_measures_for_nobody() -> None:
    stage = Stage()
    stage.add("sensor.other.gnss")
    wanted = stage.add("sensor.other.imu")
    suite = stage.suite(listened=lambda stream: stream == wanted.stream_id)
    assert [stream for stream, _, _ in stage.step(suite)] == [wanted.stream_id]


def test_a_sensor_without_a_stream_is_left_alone() -> None:
    stage = Stage()
    stage.add("sensor.other.gnss").stream_id = 0
    assert stage.step(stage.suite()) == []


def test_sensors_come_and_go() -> None:
    stage = Stage()
    suite = stage.suite()
    assert stage.step(suite) == []
    first = stage.add("sensor.other.gnss")
    assert [stream for stream, _, _ in stage.step(suite)] == [first.stream_id]
    stage.remove(first)
    second = stage.add("vehicle.tesla.model3")
    assert stage.step(suite) == []
    stage.remove(second)
    third = stage.add("sensor.other.imu")
    assert [stream for stream, _, _ in stage.step(suite)] == [third.stream_id]


@pytest.mark.parametrize(
    ("tick", "due"),
    [
        ("0.0", "##########"),
        ("0.05", "##########"),
        ("0.1", "#.#.#.#.#."),
        ("0.12", "#..#.#..#."),  # at 0, 0.12, 0.24, 0.36: the phase is kept
        ("0.5", "#........."),
        ("0.001", "##########"),
    ],
)
def test_sensor_tick(tick: str, due: str) -> None:
    stage = Stage()
    stage.add("sensor.other.gnss", sensor_tick=tick)
    suite = stage.suite()
    assert "".join("#" if stage.step(suite) else "." for _ in range(10)) == due


def test_a_break_is_not_caught_up() -> None:
    stage = Stage()
    stage.add("sensor.other.gnss", sensor_tick="0.1")
    suite = stage.suite()
    stage.step(suite)
    assert stage.step(suite, 5.0)
    assert [bool(stage.step(suite)) for _ in range(4)] == [False, True, False, True]


def test_a_moved_sensor_reports_its_new_place() -> None:
    stage = Stage()
    sensor = stage.add("sensor.other.imu")
    suite = stage.suite()
    stage.step(suite)
    stage.bodies.state[:3, sensor.slot] = (7.0, 8.0, 9.0)
    ((_, header, _),) = stage.step(suite)
    assert header[3:6] == (7.0, 8.0, 9.0)


def test_what_renders_nothing_says_so_once_at_its_first_listener(capsys: pytest.CaptureFixture[str]) -> None:
    stage, listened = Stage(), set()
    camera, radar = stage.add("sensor.camera.rgb"), stage.add("sensor.other.radar")
    for type_id in ("sensor.lidar.ray_cast", "sensor.other.gnss", "sensor.other.imu"):
        listened.add(stage.add(type_id).stream_id)
    suite = stage.suite(listened=listened.__contains__)
    stage.step(suite)
    assert capsys.readouterr().err == ""
    listened |= {camera.stream_id, radar.stream_id}
    for _ in range(3):
        stage.step(suite)
    lines = capsys.readouterr().err.splitlines()
    assert [f"sensor {actor.id} ({actor.type_id}): nothing is rendered" in line
            for actor, line in zip((camera, radar), lines, strict=True)] == [True, True]  # fmt: skip


def test_many_cameras_do_not_fill_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage()
    for _ in range(50):
        stage.add("sensor.other.radar")
    stage.step(stage.suite())
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 17
    assert "further sensors" in lines[-1]


def test_a_sensor_that_cannot_measure_is_retired_once_and_alone(capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage()
    broken = stage.add("sensor.other.gnss", noise_lat_stddev="word")
    good = stage.add("sensor.other.gnss")
    suite = stage.suite()
    for _ in range(3):
        stage.add("static.prop.container")
        assert [stream for stream, _, _ in stage.step(suite)] == [good.stream_id]
    err = capsys.readouterr().err
    assert err.count(f"sensor {broken.id} ") == err.count("out of service") == 1
