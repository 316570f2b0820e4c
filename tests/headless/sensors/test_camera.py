"""Cameras and radar: the layout of each kind, and that the content says what it is."""

from __future__ import annotations

from struct import unpack_from

import numpy as np
import pytest

from bestrand_drive.headless.sensors.banner import banner
from tests.headless.sensors.stage import Stage

BGRA = ["rgb", "depth", "normals", "semantic_segmentation", "instance_segmentation"]


def image(kind: str, width: int, height: int, fov: str = "90.0") -> tuple[tuple[int, int, float], bytes]:
    stage = Stage()
    stage.add(f"sensor.camera.{kind}", image_size_x=str(width), image_size_y=str(height), fov=fov)
    body = stage.body(stage.suite())
    return unpack_from("<IIf", body), body[12:]


@pytest.mark.parametrize("kind", BGRA)
def test_images_have_their_size_and_words(kind: str) -> None:
    head, pixels = image(kind, 320, 180, "75.5")
    assert head == (320, 180, 75.5)
    array = np.frombuffer(pixels, dtype=np.uint8).reshape(180, 320, 4)
    assert (array[..., 3] == 255).all()
    red = array[..., 2]
    dark, light = red.min(), red.max()
    np.testing.assert_array_equal(red == light, banner(320, 180))
    assert dark < light
    if "segmentation" in kind:
        assert set(np.unique(array[..., :3])) == {0, 22}  # only tags that a palette knows


def test_optical_flow_is_two_floats_a_pixel() -> None:
    head, pixels = image("optical_flow", 200, 100)
    flow = np.frombuffer(pixels, dtype="<f4").reshape(100, 200, 2)
    np.testing.assert_array_equal(flow[..., 0] == 1.0, banner(200, 100))
    assert head[:2] == (200, 100)


def test_events_are_the_dots_of_the_words() -> None:
    stage = Stage()
    stage.add("sensor.camera.dvs", image_size_x="200", image_size_y="100")
    suite = stage.suite()
    for tick in (1, 2):
        body = stage.body(suite)
        events = np.frombuffer(body[12:], dtype=[("x", "<u2"), ("y", "<u2"), ("t", "<i8"), ("polarity", "?")])
        lit = np.zeros((100, 200), dtype=bool)
        lit[events["y"], events["x"]] = True
        np.testing.assert_array_equal(lit, banner(200, 100))
        assert set(events["t"].tolist()) == {tick * 50_000_000}


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (71, 7), (72, 8), (2000, 5)])
def test_small_images_are_cut_not_refused(size: tuple[int, int]) -> None:
    head, pixels = image("rgb", *size)
    assert head[:2] == size
    assert len(pixels) == 4 * size[0] * size[1]


def test_the_words_can_be_read() -> None:
    rows = ["".join("#" if dot else "." for dot in row) for row in banner(96, 14)[3:10]]
    assert rows[0].strip(".").startswith("#...#..###..#####")  # N O T
    assert rows[6].strip(".").endswith("####")  # the foot of D


def test_a_size_beyond_reason_is_bounded() -> None:
    head, pixels = image("rgb", 10**9, 1)
    assert head[:2] == (8192, 1)
    assert len(pixels) == 4 * 8192


def test_radar_frames_are_empty() -> None:
    stage = Stage()
    stage.add("vehicle.tesla.model3", (10.0, 0.0, 0.0))
    stage.add("sensor.other.radar", (0.0, 0.0, 1.0))
    assert stage.body(stage.suite()) == b""
