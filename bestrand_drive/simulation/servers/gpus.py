"""Which GPU a slot uses: for its policy (CUDA) and for its server (Vulkan, CARLA's ``-graphicsadapter``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bestrand_drive.errors import UsageError


@dataclass(frozen=True)
class Gpu:
    """One GPU under its two names, which need not agree (Bench2Drive's README: adapter 1 may be left out).

    Attributes:
        cuda: Number in the order of ``nvidia-smi``, or a UUID as it prints it; None when nobody chose one.
        adapter: Number for ``-graphicsadapter``.
        uuid: Where the number is that of a batch job, which may see no other GPU and call it 0; None elsewhere.
    """

    cuda: str | None = None
    adapter: int = 0
    uuid: str | None = None

    @property
    def name(self) -> str | None:
        """Tells it apart on its host; None when nobody chose one."""
        return self.uuid or self.cuda

    @property
    def environment(self) -> dict[str, str]:
        """For the evaluator: CUDA counts as ``nvidia-smi`` does, and ``GPU_RANK`` says what it does in launchers."""
        if self.cuda is None:
            return {}
        return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": self.cuda, "GPU_RANK": self.cuda}


def parse_gpus(text: str) -> tuple[Gpu, ...]:
    """Read ``--gpus``: ``0,1``, or ``0:0,1:2`` where CARLA numbers the adapters otherwise.

    Raises:
        UsageError: An adapter is no number, or a UUID has none, or a GPU is there twice.
    """
    found = tuple(_gpu(part.strip()) for part in text.split(","))
    if len({gpu.cuda for gpu in found}) < len(found):
        raise UsageError(f"--gpus {text}: a GPU is there twice; --servers says how many servers share them.")
    return found


def gpu_of_slot(gpus: Sequence[Gpu], slot: int) -> Gpu:
    """Slots go round the GPUs; without any, CUDA is left alone and CARLA takes adapter 0, its own default."""
    return gpus[slot % len(gpus)] if gpus else Gpu()


def _gpu(part: str) -> Gpu:
    cuda, _, adapter = part.partition(":")
    adapter = adapter or cuda
    if not cuda or not (adapter.isascii() and adapter.isdigit()):
        raise UsageError(f"--gpus {part}: write numbers (0,1), or CUDA:ADAPTER where CARLA counts otherwise (1:2).")
    return Gpu(cuda, int(adapter))
