"""``run --until``: ends when whole blocks are sure enough, by the rule alone, whatever is quick and whatever happens.

What the rule says is found by brute force: from the results of the first so many blocks and no others.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from bestrand_drive import estimate
from bestrand_drive.simulation.engines import dispatch
from bestrand_drive.suite import read_suite
from bestrand_drive.workflows.estimating.stopping import order_of
from bestrand_drive.workflows.running import run
from tests.conftest import Builders, call
from tests.faults.conftest import base, make_runs
from tests.simulation.processes.trees import ROOT
from tests.workflows.running.toy_driving import Drives, crew_of
from tests.workflows.toys import LEVELS

__all__ = ["base", "make_runs"]
METRIC = "driving_score"
GOAL = f"{METRIC}="


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(dispatch, "_PAUSE_S", 0.002)


@pytest.fixture(scope="module")
def suite(bench, tmp_path_factory):
    """All 60 routes: six blocks of ten, looks from the third on."""
    out = tmp_path_factory.mktemp("until") / "suite"
    assert call("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 60, "--out", out).code == 0
    return out


@pytest.fixture
def driven(make_runs, suite, monkeypatch):
    """Runs on the suite; ``drives`` says what comes of them."""
    runs = make_runs("bench2drive", "--routes", suite, "--servers", 8)

    def drive(drives, *more, code=0):
        monkeypatch.setattr(run, "LocalCrew", crew_of(drives))
        drives.began.clear()
        return runs.run(*more, code=code)

    runs.drive = drive
    return runs


def records(bench, level=LEVELS["Dan"], repeats=1):
    """Of a policy on all routes."""
    return {
        f"{one['route_id'].split('_')[1]}.{repeat}": one
        for repeat in range(repeats)
        for one in bench.records("Dan", level, run=repeat)
    }


def blocks_of(suite):
    return order_of(read_suite(suite)).blocks


def alone(folder, found, items, without=()):
    """A result folder that holds these items and nothing else."""
    for name, record in found.items():
        route, repeat = name.split(".")
        if route in items and route not in without:
            Builders.write(folder / repeat / f"RouteScenario_{route}.json", [record])
    return folder


def brute(suite, tmp_path, found, interval="policy", without=()):
    """By number of blocks: the estimate from these blocks alone."""
    blocks = blocks_of(suite)
    made = {}
    for count in range(3, 7):
        items = {item for block in blocks[:count] for item in block}
        folder = alone(tmp_path / f"alone{count}", found, items, without)
        made[count] = estimate(suite, folder)[METRIC].estimate
    return made, {count: getattr(line, interval).half_width for count, line in made.items()}


def a_goal(widths, count):
    """One that is reached with so many blocks and not before."""
    before = min(width for blocks, width in widths.items() if blocks < count)
    assert widths[count] < before
    return (widths[count] + before) / 2


def same_numbers(until, line, blocks):
    assert (until["verdict"], until["blocks"], until["items"]) == ("stop", blocks, 10 * blocks)
    told = until["metrics"][METRIC]
    assert told["estimate"] == pytest.approx(line.value)
    assert told["policy"] == pytest.approx({"low": line.policy.low, "high": line.policy.high})
    assert told["run"] == pytest.approx({"low": line.run.low, "high": line.run.high})


def by_estimate(bestrand, suite, runs, *more):
    """What ``estimate --until`` says of the run folder."""
    return bestrand("estimate", suite, "--results", runs.path, *more, "--json").json["until"]


def quick_and_good(bench):
    """A policy that takes long where it fails: on a third of the routes, some in every block."""
    made, seconds = records(bench), {}
    for number, (name, record) in enumerate(sorted(made.items())):
        hits = 1 + number % 4 if number % 3 == 1 else 0
        collisions = ["Agent collided against object with type=vehicle.x and id=7"] * hits
        made[name] = Builders.record(
            record["route_id"], "Completed", 100.0, round(0.6**hits, 6), {"collisions_vehicle": collisions}
        )
        seconds[name] = 0.15 if hits else 0.0
    return made, seconds


def test_quick_good_routes_do_not_stop_a_policy_whose_slow_ones_are_bad(driven, bench, suite, bestrand, tmp_path):
    found, seconds = quick_and_good(bench)
    lines, widths = brute(suite, tmp_path, found, "run")
    goal = a_goal(widths, 5)
    quick = {name.split(".")[0] for name in found if not seconds[name]}
    of_quick = estimate(suite, alone(tmp_path / "quick", found, quick))[METRIC].estimate
    assert of_quick.run.half_width < goal, "whoever counts what has finished would stop on these"
    drives, until = Drives(found, seconds), ("--until", f"{METRIC}={goal}", "--until-interval", "run")
    said = driven.drive(drives, *until, "--json").json
    same_numbers(said["until"], lines[5], 5)
    told = by_estimate(bestrand, suite, driven, *until)
    assert told == {name: said["until"][name] for name in told}
    number = {item: count for count, block in enumerate(blocks_of(suite)) for item in block}
    began = [number[name.split(".")[0]] for name in drives.began]
    assert began == sorted(began), "a block begins when nothing of those before it waits"
    assert (said["exhausted"], said["run"]) == (0, 0)
    assert said["done"] + said["not needed"] == 60
    assert said["done"] < 60
