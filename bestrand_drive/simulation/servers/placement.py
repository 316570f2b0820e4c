"""F8: does a server sit on the GPU that it was given? Vulkan's order of adapters is not always CUDA's."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.servers.gpus import Gpu

_QUERIES = ("nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetComputeRunningProcesses")


@dataclass(frozen=True)
class Placement:
    """What was found.

    Attributes:
        checked: Whether the driver tells at all.
        detail: In words.
    """

    checked: bool
    detail: str


def check_placement(pids: Iterable[int], gpu: Gpu, nvml: Any = None) -> Placement:  # noqa: ANN401  an untyped module
    """Compare where a server's processes are with where they should be.

    Args:
        pids: Of the server's tree.
        gpu: That was asked for.
        nvml: The module ``pynvml``; looked for when None.

    Raises:
        EnvironmentFault: They are on another GPU, and not on this one.
    """
    nvml = nvml or _pynvml()
    why_not = _hindrance(gpu, nvml)
    if why_not:
        return Placement(False, f"not checked: {why_not}")
    try:
        nvml.nvmlInit()
        try:
            asked = _name(nvml, _asked(nvml, gpu))
            places = {name for name, found in _by_gpu(nvml).items() if found & set(pids)}
        finally:
            nvml.nvmlShutdown()
    except nvml.NVMLError as error:
        return Placement(False, f"not checked: {error}")
    if not places:
        return Placement(False, "not checked: the driver lists no process of the server (a container, or no rendering)")
    if asked not in places:
        raise EnvironmentFault(
            f"the server was to run on GPU {gpu.cuda} ({asked}) with -graphicsadapter={gpu.adapter}, and runs on "
            f"{', '.join(sorted(places))}. Write the adapter that CARLA means: --gpus {gpu.cuda}:ADAPTER."
        )
    return Placement(True, f"on GPU {gpu.cuda}")


def _hindrance(gpu: Gpu, nvml: Any) -> str:  # noqa: ANN401  NVML has no types
    """Why nothing can be checked, or ""."""
    if gpu.cuda is None:
        return "no GPU was asked for"
    if nvml is None:
        return "pynvml is not installed"
    if not _has_the_hosts_ids():
        return "in a container, whose process ids the driver does not speak of"
    return ""


def _has_the_hosts_ids() -> bool:
    """Whether process ids are the host's: the first namespace has a fixed number (Linux, proc_ns.h)."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC
    except OSError:
        return False


def _pynvml() -> Any:  # noqa: ANN401  NVML has no types
    try:
        return importlib.import_module("pynvml")
    except ImportError:
        return None


def _asked(nvml: Any, gpu: Gpu) -> Any:  # noqa: ANN401  NVML has no types
    if gpu.cuda is None or gpu.cuda.isdigit():
        return nvml.nvmlDeviceGetHandleByIndex(int(gpu.cuda or 0))
    return nvml.nvmlDeviceGetHandleByUUID(gpu.cuda)


def _by_gpu(nvml: Any) -> dict[str, set[int]]:  # noqa: ANN401  NVML has no types
    """Ids of processes by GPU; renderers and computers are listed apart."""
    handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
    return {
        _name(nvml, handle): {one.pid for query in _QUERIES for one in getattr(nvml, query)(handle)}
        for handle in handles
    }


def _name(nvml: Any, handle: Any) -> str:  # noqa: ANN401  NVML has no types
    name = nvml.nvmlDeviceGetUUID(handle)
    return name.decode() if isinstance(name, bytes) else str(name)
