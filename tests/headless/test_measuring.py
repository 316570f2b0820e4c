"""The scripts that measure the server: their verdicts, and what they refuse to guess."""

import importlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.headless.client.known_faults import ABORTS

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
GOOD = {0: 8000.0, 20: 800.0, 40: 580.0, 80: 300.0, 150: 200.0}


@pytest.fixture(scope="module")
def script():
    """A script as a module."""
    sys.path.insert(0, str(SCRIPTS))
    yield importlib.import_module
    sys.path.remove(str(SCRIPTS))


def test_rates_on_target_miss_nothing(script):
    assert script("bench_headless").misses(GOOD) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({0: 3999.0}, "3999 bare ticks a second, not 4000"),
        ({20: 399.0}, "20.0 x real time with 20 vehicles, not 20"),
        ({80: 159.0}, "with 80 vehicles, not 8"),
        ({150: 1 / (1 / 8000 + 12 * 9 / 8000)}, "cost grows with the power"),
    ],
)
def test_each_target_that_is_missed_is_named(script, change, said):
    found = script("bench_headless").misses({**GOOD, **change})
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_growth_is_the_power_of_the_number_of_vehicles(script, power):
    rates = {n: 1 / (1e-4 + 3e-5 * n**power) for n in (0, 20, 80, 150)}
    assert script("bench_headless").growth(rates) == pytest.approx(power)


def test_the_slope_of_memory_is_found_within_its_error(script):
    """Also when neighbouring samples are alike, which a fit to the samples themselves would take for certainty."""
    slope, generator = script("soak_headless").slope, np.random.default_rng(5)
    within = 0
    for _ in range(200):
        drift = np.repeat(generator.normal(0, 0.3, 60), 20)
        memory = [(0.5 * i, 80 + 0.7 * (0.5 * i / 60) + noise) for i, noise in enumerate(drift)]
        found, error = slope(memory)
        within += abs(found - 0.7) <= 2 * error
    assert within >= 170  # Student's t with ten degrees: 92.7 % of 200 are 185, four deviations less 170


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, False),
        ({"counts": {"ticks": 100, "lost_frames": 1}}, True),
        ({"counts": {"ticks": 100, "lost_snapshots": 1}}, True),
        ({"counts": {"ticks": 100, "lost_imu": 1}}, True),
        ({"counts": {}}, True),
        ({"counts": {"ticks": 100, "stalls": 2, "aborts": 1}}, False),
        ({"code": -11}, True),
        ({"failures": ["1: ValueError"]}, True),
        ({"memory": [(0.5 * i, 80 + i / 100) for i in range(240)]}, True),
    ],
)
def test_what_a_soak_does_not_forgive(script, change, wrong):
    soak = script("soak_headless")
    calm = [(0.5 * i, 80 + 0.1 * (i % 2)) for i in range(240)]
    whole = {"counts": {"ticks": 100}, "memory": calm, "code": 0, **change}
    assert soak.bad(soak.row(soak.Watch(**{**whole, "counts": Counter(whole["counts"])}))) is wrong


@pytest.mark.parametrize(
    ("code", "errors", "aborts"),
    [*((-6, f"what():  {words}", 1) for words in ABORTS), (-6, "out of memory", 0), (1, ABORTS[0], 0)],
)
def test_a_soak_forgives_the_aborts_that_the_tests_of_the_client_know(script, code, errors, aborts):
    soak = script("soak_headless")
    watch = soak.Watch()
    soak._count(watch, "", errors, code, stalled=False)
    assert (watch.counts["aborts"], len(watch.failures)) == (aborts, 1 - aborts)


@pytest.mark.parametrize("name", ["bench_headless", "soak_headless"])
def test_towns_are_asked_for_and_never_guessed(name):
    ran = subprocess.run(
        [sys.executable, str(SCRIPTS / f"{name}.py")],
        env={key: value for key, value in os.environ.items() if key != "BESTRAND_SHARED_DATA"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "--maps" in ran.stderr
