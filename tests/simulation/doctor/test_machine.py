"""GPUs, ports, disk, open files."""

from __future__ import annotations

import os
import resource
from types import SimpleNamespace

import pytest

from bestrand_drive.simulation.doctor import machine
from bestrand_drive.simulation.doctor.finding import Level
from bestrand_drive.simulation.servers import ports
from bestrand_drive.simulation.servers.gpus import parse_gpus
from tests.ports import free_ports

LISTED = """\
GPU 0: NVIDIA H200 (UUID: GPU-aaaa)
  MIG 1g.18gb     Device  0: (UUID: MIG-bbbb)
GPU 1: NVIDIA GeForce RTX 3090 (SUPER) (UUID: GPU-cccc)
"""


@pytest.fixture
def smi(tmp_path, monkeypatch):
    """A program nvidia-smi that prints a text and ends with a code."""

    def make(text: str, code: int = 0) -> None:
        script = tmp_path / "bin/nvidia-smi"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\n[ \"$*\" = -L ] || exit 9\ncat <<'E'\n{text}E\nexit {code}\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")

    return make


@pytest.mark.parametrize(("gpus", "level"), [
    ("0,1", Level.OK),
    ("GPU-cccc:0", Level.OK),
    ("MIG-bbbb:0", Level.OK),
    ("1,2", Level.FAIL),
    ("GPU-bbbb:0", Level.FAIL),
])  # fmt: skip
def test_gpus_that_are_there(found, smi, gpus, level):
    smi(LISTED)
    assert found("gpus", gpus=parse_gpus(gpus))["gpus"].level is level


def test_servers_share_gpus(found, smi):
    smi(LISTED)
    assert found("gpus", gpus=parse_gpus("0,1"), servers=5)["gpus"].said == "0, 1; at most 3 servers on one"


@pytest.mark.parametrize(("text", "code"), [("", 0), ("No devices were found\n", 6), (LISTED, 9)])
def test_gpus_that_cannot_be_checked(found, smi, text, code):
    smi(text, code)
    assert found("gpus", gpus=parse_gpus("0"))["gpus"].level is Level.WARNING
    assert found("gpus")["gpus"].level is Level.SKIPPED


@pytest.mark.parametrize(("servers", "level"), [(3, Level.OK), (4, Level.FAIL)])
def test_ports_for_all_servers(found, monkeypatch, servers, level):
    """Three blocks, none of them taken; asking twice shows that they are given back."""
    first = free_ports(3)
    own = [ports.PortBlock(first - 9 + step) for step in range(3)]  # their guards are the free ports
    monkeypatch.setattr(ports, "is_free", lambda _: True)
    monkeypatch.setattr(ports, "blocks", lambda *_: own)
    for _ in range(2):
        said = found("ports", servers=servers, port_base=21_000)["ports"]
        assert said.level is level
        assert (
            f"free for 3 servers, from {first - 9} to" if level is Level.OK else "no block of free ports"
        ) in said.said


@pytest.mark.parametrize(("gib", "level"), [(0.4, Level.FAIL), (5, Level.WARNING), (50, Level.OK)])
def test_room_on_the_disk_of_a_folder_that_is_still_to_be_made(found, tmp_path, monkeypatch, gib, level):
    asked = []

    def statvfs(path):
        asked.append(path)
        return SimpleNamespace(f_bavail=int(gib * 2**18), f_frsize=4096, f_files=0, f_favail=0)

    monkeypatch.setattr(machine.os, "statvfs", statvfs)
    assert found("disk", out=tmp_path / "some/where/run")["disk"].level is level
    assert asked == [tmp_path]


def test_inodes_and_a_folder_that_may_not_be_written(found, monkeypatch):
    full = SimpleNamespace(f_bavail=2**30, f_frsize=4096, f_files=2**20, f_favail=9)
    monkeypatch.setattr(machine.os, "statvfs", lambda _: full)
    assert "9 more files" in found("disk")["disk"].said
    monkeypatch.setattr(machine.os, "access", lambda *_: False)
    assert found("disk")["disk"].level is Level.FAIL


@pytest.mark.parametrize(("soft", "level"), [
    (255, Level.FAIL), (256, Level.WARNING), (1024, Level.OK), (resource.RLIM_INFINITY, Level.OK)
])  # fmt: skip
def test_open_files(found, monkeypatch, soft, level):
    monkeypatch.setattr(machine.resource, "getrlimit", lambda _: (soft, 4000))
    said = found("open files")["open files"]
    assert said.level is level
    assert said.advice == ("" if level is Level.OK else "ulimit -n 4000")


def test_a_runtime_folder(found, tmp_path, monkeypatch):
    """Nothing of it is given to a shell."""
    place = tmp_path / "with space"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    assert found("runtime folder")["runtime folder"].level is Level.OK
    (place / "bestrand").chmod(0o755)
    assert found("runtime folder")["runtime folder"].level is Level.FAIL
