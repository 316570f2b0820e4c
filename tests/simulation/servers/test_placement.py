"""F8: a server on another GPU than asked for is told loudly, with a stub of NVML's Python module."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.servers import placement
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.placement import check_placement

NAMES = (b"GPU-aaa", "GPU-bbb")
"""Older versions answer bytes."""


class Nvml:
    """Two GPUs, with processes on each."""

    class NVMLError(Exception):
        """What it raises."""

    def __init__(self, graphics, compute=((), ()), error=None) -> None:
        self._graphics, self._compute, self._error = graphics, compute, error
        self.open = 0

    def nvmlInit(self):
        if self._error:
            raise self.NVMLError(self._error)
        self.open += 1

    def nvmlShutdown(self):
        self.open -= 1

    def nvmlDeviceGetCount(self):
        return 2

    def nvmlDeviceGetHandleByIndex(self, index):
        if index > 1:
            raise self.NVMLError("Invalid Argument")
        return index

    def nvmlDeviceGetHandleByUUID(self, name):
        return [b"GPU-aaa", b"GPU-bbb"].index(name.encode())

    def nvmlDeviceGetUUID(self, handle):
        return NAMES[handle]

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle):
        return [SimpleNamespace(pid=pid) for pid in self._graphics[handle]]

    def nvmlDeviceGetComputeRunningProcesses(self, handle):
        return [SimpleNamespace(pid=pid) for pid in self._compute[handle]]


INITIAL = 0xEFFFFFFC
"""The number of the first namespace of process ids (Linux, include/linux/proc_ns.h: PROC_PID_INIT_INO)."""


@pytest.fixture(autouse=True)
def namespace(monkeypatch):
    """Of which process ids are; the tests may run in a container. An error for a kernel that does not say."""
    stat = os.stat

    def be(number: int | OSError) -> None:
        def answer(path, **more):
            if path != "/proc/self/ns/pid":
                return stat(path, **more)
            if isinstance(number, OSError):
                raise number
            return SimpleNamespace(st_ino=number)

        monkeypatch.setattr(placement.os, "stat", answer)

    be(INITIAL)
    return be


@pytest.mark.parametrize("gpu", [Gpu("1", 2), Gpu("GPU-bbb", 2)])
def test_where_it_should_be(gpu):
    nvml = Nvml(graphics=((7,), (11,)))
    check_placement([10, 11], gpu, nvml)
    assert nvml.open == 0


def test_a_server_that_also_computes_elsewhere_is_right():
    check_placement([11], Gpu("1", 1), Nvml(graphics=((), (11,)), compute=((11,), ())))


@pytest.mark.parametrize("kind", ["graphics", "compute"])
def test_on_another_gpu(kind):
    nvml = Nvml(**{"graphics": ((), ()), kind: ((11,), ())})
    with pytest.raises(
        EnvironmentFault, match=r"on GPU 1 \(GPU-bbb\) with -graphicsadapter=1, and runs on GPU-aaa.*1:ADA"
    ):
        check_placement([10, 11], Gpu("1", 1), nvml)
    assert nvml.open == 0


@pytest.mark.parametrize(
    ("nvml", "gpu"),
    [
        (Nvml(graphics=((7,), (8,))), Gpu("0", 0)),
        (Nvml(graphics=(), error="Driver Not Loaded"), Gpu("0", 0)),
        (Nvml(graphics=((11,), ())), Gpu("5", 5)),
    ],
)
def test_what_cannot_be_known_is_no_fault(nvml, gpu):
    check_placement([11], gpu, nvml)


def test_a_gpu_that_nobody_chose_is_not_checked():
    check_placement([11], Gpu(), Nvml(graphics=((11,), ())))


@pytest.mark.parametrize("number", [INITIAL - 1, PermissionError("/proc/self/ns/pid")])
def test_in_a_container_nothing_is_checked(namespace, number):
    """A process of the host may have the id that our server has inside."""
    namespace(number)
    check_placement([11], Gpu("1", 1), Nvml(graphics=((11,), ())))


def test_without_the_module_nothing_is_checked(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(placement.importlib, "import_module", absent)
    check_placement([11], Gpu("0"))
