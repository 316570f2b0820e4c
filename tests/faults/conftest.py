"""Runs of stand-ins, with notes of processes and ports of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.runs import Runs
from tests.simulation.servers.conftest import base

__all__ = ["base"]


@pytest.fixture
def make_runs(tmp_path: Path, base: int, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Runs]:
    """Makes a run of stand-ins; notes of its processes go to a folder of the test's own."""
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))

    def make(benchmark: str = "bench2drive", *more: object) -> Runs:
        made = Runs(tmp_path, benchmark, base, monkeypatch, more)
        made.order()
        return made

    return make


@pytest.fixture
def runs(make_runs: Callable[..., Runs]) -> Runs:
    """A run of Bench2Drive's stand-in on routes 1711 to 1714."""
    made = make_runs()
    made.routes(1711, 1712, 1713, 1714)
    return made
