"""What a CARLA_ROOT says of itself."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.headless import installation
from bestrand_drive.simulation.servers import root as roots
from bestrand_drive.simulation.servers.root import find_simulator, find_version, is_version


def test_a_release(carla_root):
    assert find_simulator(carla_root, None) == "carla"
    assert find_simulator(carla_root, "headless") == "headless"
    assert find_version(carla_root, None) == "0.9.15"
    assert find_version(carla_root, "0.9.16") == "0.9.16"


def test_a_headless_one(tmp_path):
    """Its mark is the one that the installation writes."""
    assert roots.HEADLESS_MARK == installation._MARK
    script = f'#!/bin/sh\n{roots.HEADLESS_MARK}\nexec python -m x --map=Town01 --carla-version=0.9.14 -- "$@"\n'
    (tmp_path / "CarlaUE4.sh").write_text(script)
    assert (find_simulator(tmp_path, None), find_version(tmp_path, None)) == ("headless", "0.9.14")
    with pytest.raises(UsageError, match="scores are not CARLA's"):
        find_simulator(tmp_path, "carla")


@pytest.mark.parametrize("root", [None, "absent", "silent"])
def test_what_is_not_told_must_be_said(tmp_path, root):
    (tmp_path / "silent").mkdir()
    (tmp_path / "silent/CarlaUE4.sh").write_text("#!/bin/sh\n")
    place = None if root is None else tmp_path / root
    assert find_simulator(place, None) == "carla"
    with pytest.raises(UsageError, match="--carla-version"):
        find_version(place, None)


@pytest.mark.parametrize("announced", ["0.9.15", "0.9.15-dirty", "0.9.15-187-g8b3d"])
def test_builds_of_a_version(announced):
    assert is_version(announced, "0.9.15")


@pytest.mark.parametrize("announced", ["0.9.1", "0.9.150", "0.9.16-dirty", ""])
def test_other_versions(announced):
    assert not is_version(announced, "0.9.15")
