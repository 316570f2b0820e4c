"""Cameras and radar: the layout of each kind, and that the content says what it is."""

from __future__ import annotations

from struct import iter_unpack, unpack_from

import numpy as np
import pytest

from bestrand_drive.headless.sensors.banner import banner
from tests.headless.sensors.stage import HEADER, Stage

BGRA = ["rgb", "depth", "normals", "semantic_segmentation", "instance_segmentation"]


def lit(width: int, height: int) -> np.ndarray:
    """Where the words are [height, width]."""
    rows, counts = zip(*banner(width, height), strict=True)
    return np.repeat(rows, counts, axis=0)


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
    np.testing.assert_array_equal(red == light, lit(320, 180))
    assert dark < light
    if "segmentation" in kind:
        assert set(np.unique(array[..., :3])) == {0, 22}  # only tags that a palette knows


def test_optical_flow_is_two_floats_a_pixel() -> None:
    head, pixels = image("optical_flow", 200, 100)
    flow = np.frombuffer(pixels, dtype="<f4").reshape(100, 200, 2)
    np.testing.assert_array_equal(flow[..., 0] == 1.0, lit(200, 100))
    assert head[:2] == (200, 100)


def test_events_are_the_dots_of_the_words() -> None:
    stage = Stage()
    stage.add("sensor.camera.dvs", image_size_x="200", image_size_y="100")
    suite = stage.suite()
    for tick in (1, 2):
        body = stage.body(suite)
        events = np.frombuffer(body[12:], dtype=[("x", "<u2"), ("y", "<u2"), ("t", "<i8"), ("polarity", "?")])
        shown = np.zeros((100, 200), dtype=bool)
        shown[events["y"], events["x"]] = True
        np.testing.assert_array_equal(shown, lit(200, 100))
        assert set(events["t"].tolist()) == {tick * 50_000_000}


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (71, 7), (72, 8), (2000, 5)])
def test_small_images_are_cut_not_refused(size: tuple[int, int]) -> None:
    head, pixels = image("rgb", *size)
    assert head[:2] == size
    assert len(pixels) == 4 * size[0] * size[1]


def test_the_words_can_be_read() -> None:
    rows = ["".join("#" if dot else "." for dot in row) for row in lit(96, 14)[3:10]]
    assert rows[0].strip(".").startswith("#...#..###..#####")  # N O T
    assert rows[6].strip(".").endswith("####")  # the foot of D


@pytest.mark.parametrize("size", [(72, 14), (320, 180), (1600, 900), (4096, 4096), (4096, 1)])
def test_rows_are_the_words_enlarged(size: tuple[int, int]) -> None:
    """Against a picture that is built dot by dot from the smallest banner."""
    width, height = size
    shown = lit(width, height)
    assert shown.shape == (height, width)
    scale = max(1, min(width * 3 // 4 // 71, height // 2 // 7))
    smallest = lit(71, 7)
    big = np.kron(smallest, np.ones((scale, scale), dtype=bool))[:height]
    top, left = (height - len(big)) // 2, (width - big.shape[1]) // 2
    assert big.any()
    assert shown.sum() == big.sum()
    np.testing.assert_array_equal(shown[top : top + len(big), left : left + big.shape[1]], big)


@pytest.mark.parametrize(("kind", "pixel"), [("rgb", 4), ("optical_flow", 8)])
def test_the_largest_image_takes_little_memory_and_all_cameras_of_its_size_share_it(kind: str, pixel: int) -> None:
    stage = Stage()
    for _ in range(3):
        stage.add(f"sensor.camera.{kind}", image_size_x="4096", image_size_y="4096")
    stage.frame += 1
    frames = [pieces for _, pieces in stage.suite().frames()]
    assert [sum(map(len, pieces)) for pieces in frames] == [HEADER.size + 12 + pixel * 4096 * 4096] * 3
    held = {id(piece): len(piece) for pieces in frames for piece in pieces}
    assert sum(held.values()) < 2 << 20


@pytest.mark.parametrize("others", [[], ["vehicle.tesla.model3"]])
def test_a_radar_has_one_echo_from_nowhere_whatever_stands_before_it(others: list[str]) -> None:
    stage = Stage()
    for type_id in others:
        stage.add(type_id, (10.0, 0.0, 0.0))
    stage.add("sensor.other.radar", (0.0, 0.0, 1.0))
    assert list(iter_unpack("<4f", stage.body(stage.suite()))) == [(0.0, 0.0, 0.0, 0.0)]
