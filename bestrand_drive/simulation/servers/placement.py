"""F8: does a server sit on the GPU that it was given? Vulkan's order of adapters is not always CUDA's."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from typing import Any

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.servers.gpus import Gpu

_QUERIES = ("nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetComputeRunningProcesses")


def check_placement(pids: Iterable[int], gpu: Gpu, nvml: Any = None) -> None:  # noqa: ANN401  an untyped module
    """Compare where a server's processes are with where they should be, as far as the driver tells.

    It lists no process of a container's, and none that does not render.

    Args:
        pids: Of the server's tree.
        gpu: That was asked for.
        nvml: The module ``pynvml``; looked for when None.

    Raises:
        EnvironmentFault: They are on another GPU, and not on this one.
    """
    nvml = nvml or _pynvml()
    if gpu.cuda is None or nvml is None or not _has_the_hosts_ids():
        return
    try:
        nvml.nvmlInit()
        try:
            asked = _name(nvml, _asked(nvml, gpu.cuda))
            places = {name for name, found in _by_gpu(nvml).items() if found & set(pids)}
        finally:
            nvml.nvmlShutdown()
    except nvml.NVMLError:
        return
    if places and asked not in places:
        raise EnvironmentFault(
            f"the server was to run on GPU {gpu.cuda} ({asked}) with -graphicsadapter={gpu.adapter}, and runs on "
            f"{', '.join(sorted(places))}. Write the adapter that CARLA means: --gpus {gpu.cuda}:ADAPTER."
        )


def _has_the_hosts_ids() -> bool:
    """Whether process ids are the host's, of which the driver speaks: that namespace's number is fixed (proc_ns.h)."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC
    except OSError:
        return False


def _pynvml() -> Any:  # noqa: ANN401  NVML has no types
    try:
        return importlib.import_module("pynvml")
    except ImportError:
        return None


def _asked(nvml: Any, cuda: str) -> Any:  # noqa: ANN401  NVML has no types
    return nvml.nvmlDeviceGetHandleByIndex(int(cuda)) if cuda.isdigit() else nvml.nvmlDeviceGetHandleByUUID(cuda)


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
