"""GPUs as people write them, and slots that go round."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.servers.gpus import Gpu, gpu_of_slot, parse_gpus

UUID = "GPU-0d1f2a3b-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0", [Gpu("0", 0)]),
        ("0,1, 3", [Gpu("0", 0), Gpu("1", 1), Gpu("3", 3)]),
        ("0:0,1:2", [Gpu("0", 0), Gpu("1", 2)]),
        (f"{UUID}:1", [Gpu(UUID, 1)]),
    ],
)
def test_gpus_are_read(text, found):
    assert list(parse_gpus(text)) == found


@pytest.mark.parametrize("text", ["", "0,", "a", UUID, "0:x", ":1", "-1", "0:-1", "²"])
def test_what_is_no_gpu_is_refused(text):
    with pytest.raises(UsageError, match="--gpus"):
        parse_gpus(text)


def test_a_gpu_twice_is_refused():
    with pytest.raises(UsageError, match="there twice; --servers"):
        parse_gpus("0,1,0")


def test_slots_go_round():
    gpus = parse_gpus("0,1:5,2")
    assert [gpu_of_slot(gpus, slot).adapter for slot in range(7)] == [0, 5, 2, 0, 5, 2, 0]


def test_without_gpus_cuda_is_left_alone():
    assert gpu_of_slot((), 3).adapter == 0
    assert gpu_of_slot((), 3).environment == {}


def test_what_the_evaluator_sees():
    """``run_evaluation.sh`` sets CUDA_VISIBLE_DEVICES and GPU_RANK to one number."""
    environment = Gpu("1", 2).environment
    assert environment["CUDA_VISIBLE_DEVICES"] == environment["GPU_RANK"] == "1"
    assert environment["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
