"""A folder in which the documents' commands can be given: every file and folder that they name, with toy contents."""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

import numpy as np

from bestrand_drive.benchmarks.builtin_routes import read_routes, routes_path, towns_path
from tests.conftest import Builders, call, made
from tests.faults.stand_in.checkout import make_agent, make_carla_root, make_checkout
from tests.readers.logs import lm_eval_row, put_lm_eval, put_pool, right_wrong
from tests.workflows.toys import drive, make_bench, make_fail, make_table, write_wide

PROBES = {"A": 1.6, "B": 0.6, "C": -0.4, "NEW": 0.9, "P": 1.3, "PDM-Lite": 1.6, "TransFuser++": 0.8, "LEAD-TFv6": 1.1}
PROBES |= {"ORION": 0.7, "MindDrive-0.5B": 0.6, "TCP-traj": 0.2, "UniAD-Base": 0.0, "VAD": -0.1, "SimLingo": 1.0}
"""Policies with results on Bench2Drive, the better the higher."""
RUNS = {"A": 0.7, "B": 0.4, "C": 0.0, "MyPolicy": 0.9, "my_policy": 0.9}
RUNS |= {
    "main": 0.8,
    "pr": 0.5,
    "release": 0.8,
    "a": 0.9,
    "b": 0.2,
    "baseline": 0.7,
    "candidate": 0.7,
    "Old": 0.6,
    "Other": 0.3,
}
RUNS |= {"step10k": 0.1, "step20k": 0.4, "step30k": 0.7, "step40k": 0.8}
"""Policies that were run on a suite at least."""
FAIL = {"F": 0.9, "G": -0.1, "H": 0.4, "TFv6": 0.5}
OWN = {"expert": 1.5, "novice": -0.2, "nightly": 0.5}
"""Policies with results on the routes that come with the package."""
PROBE_FILE = """
probes:
  - {name: Ann, agent: agent.py, config: one}
  - {name: Bob, agent: agent.py, config: two}
"""


def make_world(folder: Path) -> Path:
    """Write it all."""
    folder.mkdir(parents=True)
    for part in (_driving, _pairs, _own, _tables, _logs, _stacks, _towns):
        part(folder)
    return folder


def _driving(world: Path) -> None:
    bench = make_bench(world / "toys")
    for names, place in ((PROBES, "results"), (RUNS, "runs")):
        for name, level in names.items():
            bench.put(world / place / name, bench.records(name, level))
    for name in ("bench2drive220.xml", "mine.xml", "routes.xml"):
        shutil.copy(bench.routes, world / name)
    probes = [part for name in ("A", "B", "C") for part in ("--probe", f"{name}={world / 'results' / name}")]
    made("bench2drive", "--routes", world / "bench2drive220.xml", *probes, "--k", 24, "--out", world / "suite")
    shutil.copytree(world / "results/A", world / "old")
    assert call("share", world / "suite", "--out", world / "suite.share.json").code == 0


def _pairs(world: Path) -> None:
    fail = make_fail(world / "fail_toys")
    shutil.copytree(fail.routes, world / "fail2drive_split")
    for name, level in FAIL.items():
        fail.put(world / "results" / name, name, level, 2)
    probes = ("--probe", f"F={world / 'results/F'}")
    made("fail2drive", "--routes", world / "fail2drive_split", *probes, "--k", 12, "--out", world / "f2d_suite")


def _own(world: Path) -> None:
    for name, level in OWN.items():
        rng = np.random.default_rng([*name.encode()])
        routes = read_routes(routes_path(), "demo" if name == "nightly" else "").routes
        records = [drive(route.id, float(rng.normal(0.3 - level)), rng) for route in routes]
        Builders.write(world / "runs" / name / "results.json", records)
    probes = ("--probe", f"expert={world / 'runs/expert'}", "--probe", f"novice={world / 'runs/novice'}")
    made("builtin", *probes, "--keep", 0.35, "--out", world / "own_suite")
    made("builtin", "--part", "demo", "--k", 20, "--out", world / "ci_suite")


def _tables(world: Path) -> None:
    table = make_table(world / "table_toys")
    shutil.copy(table.scores, world / "scores.csv")
    for name in ("scores.csv.gz", "matrix.csv.gz"):
        (world / name).write_bytes(gzip.compress(table.scores.read_bytes()))
    shutil.copy(table.items, world / "items.csv")
    new = (np.arange(80) % 3 > 0).astype(float)
    write_wide(world / "new_model.csv", table.ids, {"new_model": new})
    made("scores", "--scores", world / "scores.csv", "--n-probes", 5, "--k", 20, "--out", world / "qa_suite")


def _logs(world: Path) -> None:
    put_pool(world / "out")
    chosen = ("--task", "gsm8k", "--metric", "exact_match", "--filter", "strict-match")
    assert call("import", "lm-eval", world / "out", *chosen, "--out", world / "gsm8k.parquet").code == 0
    made("scores", "--scores", world / "gsm8k.parquet", "--n-probes", 5, "--keep", 0.5, "--out", world / "gsm8k_suite")
    rows = [lm_eval_row(n, {"exact_match": mark}, "strict-match") for n, mark in enumerate(right_wrong(7, range(40)))]
    put_lm_eval(world / "out_new_model", "org/new", rows)


def _stacks(world: Path) -> None:
    """Checkouts, servers and interpreters in the home folder, which is the world."""
    for name, checkout in {"bench2drive": "Bench2Drive", "fail2drive": "fail2drive"}.items():
        make_checkout(world / checkout, name)
        make_agent(world / checkout / "team_code", "my_agent.py")
        (world / checkout / "ckpt.pth").write_text("weights")
        (world / checkout / "cfg.py").write_text("")
    for name in ("carla", "f2d_carla"):
        (make_carla_root(world / name) / "VERSION").write_text("0.9.15\n")
    for name in ("agent.py", "a.py", "my_agent.py"):
        make_agent(world, name)
    for name in ("b2d", "f2d"):
        (world / "envs" / name / "bin").mkdir(parents=True)
        (world / "envs" / name / "bin/python").symlink_to(sys.executable)
    (world / "probes.yaml").write_text(PROBE_FILE)


def _towns(world: Path) -> None:
    for place in (world / "towns", world / "fail2drive/toolbox/carla_xodr"):
        place.mkdir(parents=True)
        shutil.copy(towns_path() / "BestrandCity.xodr", place / "Town01.xodr")


def copied(world: Path, to: Path) -> Path:
    """A folder of one's own with links to what is in the world; new files and folders go beside the links."""
    (to / "runs").mkdir(parents=True)
    for one in [*world.iterdir(), *(world / "runs").iterdir()]:
        if one.name != "runs":
            (to / one.relative_to(world)).symlink_to(one)
    return to
