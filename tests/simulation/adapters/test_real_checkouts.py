"""The real evaluators, where $BENCH2DRIVE_ROOT and $FAIL2DRIVE_ROOT are checkouts: their own parsers, unrun."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bestrand_drive.simulation.adapters.bench2drive import BENCH2DRIVE
from tests.simulation.adapters.parsers import options_of, parser_of

ROOTS = {"bench2drive": "BENCH2DRIVE_ROOT", "fail2drive": "FAIL2DRIVE_ROOT"}


@pytest.fixture
def real(adapter):
    """A benchmark's real checkout."""
    root = os.environ.get(ROOTS[adapter.benchmark])
    if not root:
        pytest.skip(f"set {ROOTS[adapter.benchmark]}")
    return adapter.checkout(Path(root))


def test_the_real_parser_takes_our_arguments(adapter, real, make_job):
    command = adapter.command(make_job(adapter, checkout=real))
    parsed = parser_of(real.script.read_text()).parse_args(list(command.argv[2:]))
    assert (parsed.checkpoint, parsed.repetitions, parsed.resume) == (str(command.result), 1, False)


def test_the_stand_in_has_the_real_options(adapter, real, roots):
    assert options_of((roots[adapter.benchmark] / adapter.script).read_text()) == options_of(real.script.read_text())


def test_defaults_that_ours_repeat(adapter, real):
    options = options_of(real.script.read_text())
    assert options["--timeout"][1] == adapter.timeout_s
    if adapter is BENCH2DRIVE:
        assert options["--traffic-manager-seed"][1] == adapter.seed("1711", 0)
