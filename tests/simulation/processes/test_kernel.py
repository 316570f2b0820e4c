"""Other systems are refused in words."""

from __future__ import annotations

import sys

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes import kernel
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.processes.supervised import Supervised
from tests.simulation.processes.trees import shell


def test_only_linux(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(EnvironmentFault, match="on Linux only"):
        Supervised(shell(tmp_path, "true"), new_mark())


def test_what_the_kernel_refuses_is_an_error():
    with pytest.raises(OSError, match="prctl"):
        kernel._prctl(-1, 0)
