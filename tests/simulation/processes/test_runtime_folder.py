"""The user's runtime folder is nobody else's."""

from __future__ import annotations

import os

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes import runtime_folder as module
from bestrand_drive.simulation.processes.runtime_folder import private_folder, runtime_folder


def test_it_is_made_and_met_again(own_runtime_folder):
    folder = runtime_folder()
    assert folder == own_runtime_folder / "bestrand"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert runtime_folder() == folder


@pytest.mark.parametrize("given", ["", "/nonexistent", "/", "/tmp"])
def test_without_a_folder_of_ours_it_is_in_tmp(monkeypatch, given):
    monkeypatch.setenv("XDG_RUNTIME_DIR", given)
    asked = []
    monkeypatch.setattr(module, "private_folder", lambda path: asked.append(path) or path)
    assert str(runtime_folder()) == f"/tmp/bestrand-{os.getuid()}"
    assert len(asked) == 1


def link(path):
    (path.parent / "elsewhere").mkdir(mode=0o700)
    path.symlink_to(path.parent / "elsewhere")


def opened(path):
    path.mkdir()
    path.chmod(0o770)


@pytest.mark.parametrize("put", [link, opened, lambda path: path.write_text("a file")])
def test_what_another_could_have_put_there_is_refused(tmp_path, put):
    path = tmp_path / "bestrand"
    put(path)
    with pytest.raises(EnvironmentFault, match="bestrand: must be a folder of yours"):
        private_folder(path)


def test_another_users_folder_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bestrand").mkdir(mode=0o700)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(EnvironmentFault, match="of yours"):
        private_folder(tmp_path / "bestrand")


def test_a_place_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(EnvironmentFault, match="of yours"):
        private_folder(tmp_path / "absent" / "bestrand")
