"""``bestrand probe`` as a whole, with stand-ins: pool, runs, suite; killed, incomplete, given again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.suite.reading import read_suite
from tests.conftest import Builders, Ran, call
from tests.faults.conftest import base, make_runs
from tests.faults.runs import Runs
from tests.simulation.processes.trees import ROOT

__all__ = ["base", "make_runs"]

KINDS = ("ParkingCutIn", "Accident", "InvadingTurn")
PROBES = """
schema: 1
probes:
  - {name: Ann, agent: team/agent.py, config: one, family: Oak}
  - {name: Bob, agent: team/agent.py, config: two, licence: MIT}
"""


class Probing:
    """Two probes of a stand-in on twelve routes of three kinds."""

    def __init__(self, runs: Runs) -> None:
        self.runs, self.folder = runs, runs.folder
        self.out, self.places = self.folder / "suite", self.folder / "suite-runs"
        elements = [Builders.route(1711 + number, KINDS[number % 3]) for number in range(12)]
        (self.folder / "routes.xml").write_bytes(Builders.routes(*elements))
        (self.folder / "probes.yaml").write_text(PROBES)

    def arguments(self, *more: object) -> list[str]:
        folder = self.folder
        given = ("probe", "bench2drive", "--probe-file", folder / "probes.yaml", "--root", folder / "checkout",
                 "--carla-root", folder / "carla", "--routes", folder / "routes.xml", "--python", sys.executable,
                 "--port-base", self.runs.port_base, "--k", 3, "--pool-factor", 2, "--out", self.out,
                 *more)  # fmt: skip
        return [str(word) for word in given]

    def __call__(self, *more: object, code: int = 0) -> Ran:
        ran = call(*self.arguments(*more))
        assert ran.code == code, f"{ran.code}\n{ran.out}\n{ran.err}"
        return ran

    def driven(self, name: str) -> list[str]:
        """Routes of a probe's attempts, in order."""
        stored = AttemptStore(Layout(self.places / name), repair=False).attempts
        return sorted(one.key.route_id for one in stored)


@pytest.fixture
def probing(make_runs: Callable[..., Runs]) -> Probing:
    return Probing(make_runs())


def test_one_command_makes_the_suite_that_compress_makes_of_the_same_results(probing: Probing) -> None:
    ran = probing("--servers", 2)
    suite = read_suite(probing.out)
    pool = sorted(item.id for item in suite.items if item.in_pool)
    assert len(pool) == 6
    assert probing.driven("Ann") == probing.driven("Bob") == pool
    assert set(suite.chosen) < set(pool)
    assert [(probe.name, probe.family, probe.licence) for probe in suite.probes] == [
        ("Ann", "Oak", "not stated"),
        ("Bob", None, "MIT"),
    ]
    assert "Bob, 2 of 2: 6 of 6 routes to run, 6 of 12 done before" in ran.out
    by_hand = ("compress", "bench2drive", "--routes", probing.folder / "routes.xml", "--k", 3, "--pool-factor", 2,
               "--probe", f"Ann={probing.places / 'Ann'}", "--probe", f"Bob={probing.places / 'Bob'}",
               "--family", "Oak=Ann", "--licence", "Bob=MIT", "--out", probing.folder / "by_hand")  # fmt: skip
    assert call(*by_hand).code == 0
    for name in ("suite.json", "routes.xml"):
        assert (probing.out / name).read_bytes() == (probing.folder / "by_hand" / name).read_bytes()


def test_the_same_command_again_runs_and_changes_nothing(probing: Probing) -> None:
    probing()
    before = {path: path.stat().st_mtime_ns for path in probing.out.iterdir()}
    driven = probing.driven("Ann")
    ran = probing()
    assert "Ann, 1 of 2: 0 of 6 routes to run, 12 of 12 done before" in ran.out
    assert {path: path.stat().st_mtime_ns for path in probing.out.iterdir()} == before
    assert probing.driven("Ann") == driven


def test_a_suite_in_its_place_is_met_before_anything_runs(probing: Probing) -> None:
    probing()
    shutil.rmtree(probing.places)
    assert "add --force" in probing(code=2).err
    assert not probing.places.exists()
    probing("--force")


def results(probing: Probing) -> Iterator[Path]:
    yield from probing.places.glob("*/results/*/*.json")


@pytest.mark.parametrize("already", [1, 8])
def test_killed_in_the_first_or_second_probe_it_goes_on(probing: Probing, already: int) -> None:
    """After SIGKILL no route that has a result is run again, and the suite is the one of an undisturbed run."""
    probing.runs.order("slow=0.3")
    words = [sys.executable, "-m", "bestrand_drive", *probing.arguments()]
    with subprocess.Popen(
        words, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, cwd=probing.folder
    ) as process:
        until = time.monotonic() + 120
        while len(list(results(probing))) < already and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert len(list(results(probing))) >= already
    assert not probing.out.exists()
    probing.runs.order()
    probing()
    assert len(probing.driven("Ann")) == len(set(probing.driven("Ann"))) == 6
    chosen = read_suite(probing.out).chosen
    shutil.rmtree(probing.places)
    probing("--force")
    assert read_suite(probing.out).chosen == chosen


def test_routes_without_a_result_leave_no_suite_unless_it_is_allowed(probing: Probing) -> None:
    lost = _pool(probing)[0]
    probing.runs.order(f"{lost}:simulation_crash")
    ran = probing("--max-attempts", 1, code=6)
    assert "without a result: Ann 1, Bob 1. No suite was written" in ran.err
    assert not probing.out.exists()
    probing("--max-attempts", 1, "--missing", "exclude")
    assert lost not in read_suite(probing.out).chosen


def _pool(probing: Probing) -> list[str]:
    pool: list[str] = probing("--dry-run", "--json").json["pool"]
    return pool


def test_a_dry_run_tells_all_commands_and_starts_nothing(probing: Probing) -> None:
    said: dict[str, Any] = probing("--dry-run", "--json").json
    assert [len(probe["commands"]) for probe in said["probes"]] == [6, 6]
    assert "--agent-config=two" in said["probes"][1]["commands"][0]
    assert said["suite"] is None
    assert "6 of 12 items" in probing("--dry-run").out
    assert {path.name for path in probing.places.glob("*/*")} == {"dry-run"}
    assert not probing.out.exists()


def test_earlier_results_order_every_probe(probing: Probing) -> None:
    meta = {"route_length": 100.0, "duration_game": 20.0, "duration_system": 30.0}
    earlier = probing.folder / "earlier.json"
    records = [Builders.record(f"RouteScenario_{1711 + number}_rep0", meta=meta) for number in range(12)]
    Builders.write(earlier, records)
    said = probing("--dry-run", "--durations", earlier).out
    assert said.count(f"# order: longest expected route first, by earlier results ({earlier})") == 2


def test_one_json_object_tells_runs_and_suite(probing: Probing) -> None:
    ran = probing("--json")
    said = json.loads(ran.out)
    assert said["suite"]["chosen"] == read_suite(probing.out).chosen
    assert [(probe["policy"], probe["done"]) for probe in said["probes"]] == [("Ann", 6), ("Bob", 6)]


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("probes: []", "probes: give at least one", 4),
        ("probes: [{name: A}]", "probes.0.agent: is missing", 4),
        ("probes: [x]", "probes.0: must be a mapping", 4),
        ("", "the file: must be a mapping", 4),
        ("probes: x", "probes: must be a list", 4),
        ("schema: 1\nprobes:\n- name: A\n  agent: a.py\n  agent: b.py", "line 5: agent is given twice", 4),
        ("[" * 100_000, "nested too deep", 4),
        ("probes: [{name: A, agent: a.py}, {name: a, agent: b.py}]", "A, a differ in capitals only", 4),
        ("probes: [{name: A, agent: a.py, track: LEFT}]", "probes.0.track: must be 'SENSORS' or 'MAP'", 4),
        ("probes: [{name: A, agent: a.py, variables: {LD_PRELOAD: x}}]", "probe A: variables.LD_PRELOAD: it loads", 4),
        ("probes: [{name: A, agent: a.py, variables: {'B=C': x}}]", "variables.B=C: give NAME=VALUE", 4),
        ("probes: [{name: A, agent: team/agent.py, python: /no/such}]", "probe A: --python /no/such: no such", 4),
        ("probes: [{name: A, agent: x.py, checkpoint: y}]", "probes.0.checkpoint", 4),
        ("{", "no YAML", 4),
        ("probes: !!bool maybe", "a tag such as !!bool", 4),
        ("schema: !!int ''", "a tag such as !!bool", 4),
        ("schema: !!timestamp soon", "a tag such as !!bool", 4),
        ("{schema: 2, probes: [{name: A, agent: a.py}]}", "schema", 4),
        ("probes: [{name: A, agent: a.py}, {name: A, agent: a.py}]", "A stands there twice", 4),
        ("probes: [{name: ../A, agent: a.py}]", "begin with a letter", 4),
        ("probes: [{name: A, agent: absent.py}]", "probe A: --agent absent.py: no such file", 4),
        ("probes: [{name: A, agent: 'probe:nobody'}]", "no such probe is shipped", 4),
        (
            "probes: [{name: A, agent: team/agent.py, variables: {CARLA_ROOT: x}}]",
            "variables.CARLA_ROOT: CARLA_ROOT follows from",
            4,
        ),
    ],
)
def test_a_wrong_probe_file_is_said_and_nothing_is_run(probing: Probing, text: str, said: str, code: int) -> None:
    (probing.folder / "probes.yaml").write_text(text)
    assert said in probing(code=code).err
    assert not probing.places.exists()


def test_a_probe_that_cannot_be_run_is_met_before_the_first_one_runs(probing: Probing) -> None:
    text = PROBES.replace("config: two", "config: absent.pth")
    (probing.folder / "probes.yaml").write_text(text)
    assert "absent.pth: no such file" in probing(code=4).err
    assert not probing.places.exists()
