"""The shipped table of results: whole, of the shipped routes, told truly by the docs, and good for choosing suites."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from bestrand_drive.files import sha256_bytes, shipped_folder
from bestrand_drive.workflows.evidence.driving import load_benchmark
from bestrand_drive.workflows.running.probe_file import read_probe_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "route_configs/builtin"
DRIVEN = {"Perfect", "Completed", "Failed", "Failed - Agent deviated from the route", "Failed - Agent got blocked"} | {
    "Failed - Agent timed out",
    "Failed - TickRuntime",
}


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "results.csv.gz", dtype={"route": str})


@pytest.fixture(scope="module")
def told() -> str:
    """What the script says of the table, from few replays."""
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as said:
        patch.syspath_prepend(str(ROOT / "scripts"))
        patch.chdir(ROOT)
        importlib.import_module("study_embedded").main(["--report", "--replays", "12"])
    return said.getvalue()


def test_every_policy_drove_every_route_with_every_seed(rows):
    benchmark = load_benchmark("builtin", None)
    routes = set(benchmark.items["item_id"].astype(str))
    seeds = set(rows["seed"])
    policies = {
        (entry.name, role)
        for role, name in (("probe", "rule_based.yaml"), ("target", "rule_based_targets.yaml"))
        for entry in read_probe_file(shipped_folder("probes") / name)
    }
    assert set(zip(rows["policy"], rows["role"], strict=True)) == policies
    assert len(seeds) >= 2
    assert len(rows) == len(policies) * len(routes) * len(seeds)
    assert not rows.duplicated(["policy", "route", "seed"]).any()
    assert set(rows["route"]) == routes
    assert set(rows["status"]) <= DRIVEN
    assert rows["driving_score"].between(0, 100).all()
    assert rows["success"].isin([0, 100]).all()


def test_its_provenance_is_that_of_these_bytes_and_routes(rows):
    provenance = json.loads((FOLDER / "results.provenance.json").read_text())
    assert provenance["table_sha256"] == sha256_bytes(gzip.decompress((FOLDER / "results.csv.gz").read_bytes()))
    assert provenance["routes_sha256"] == load_benchmark("builtin", None).sha256
    assert provenance["traffic_seeds"] == rows["seed"].nunique()
    assert "not CARLA's" in provenance["simulator"]


def test_the_run_noise_that_suites_borrow_is_the_tables(rows):
    """Over traffic seeds of one policy on one route; pooled by hand."""
    benchmark = load_benchmark("builtin", None)
    policies, routes, seeds = (rows[name].nunique() for name in ("policy", "route", "seed"))
    assert benchmark.run_noise_source == f"{policies} policies, {seeds} traffic seeds each, {routes} routes"
    apart = rows.groupby(["policy", "route"])
    for metric, noise in benchmark.run_noise.items():
        squares = (rows[metric] - apart[metric].transform("mean")) ** 2
        assert noise == pytest.approx((squares.sum() / (policies * routes * (seeds - 1))) ** 0.5, abs=0.006)


def test_probes_differ_by_scenario_and_not_only_by_level(rows):
    """Two-way analysis by hand: what types do to one probe and not to another outweighs chance."""
    probes = rows[rows["role"] == "probe"]
    cells = probes.groupby(["policy", "type"])["driving_score"].mean().unstack()
    apart = cells.sub(cells.mean(axis=1), axis=0) - cells.mean(axis=0) + cells.to_numpy().mean()
    order = cells.rank(axis=0)
    assert apart.to_numpy().std() > 10
    assert all(order.loc[policy].nunique() > 2 for policy in cells.index), "each is better or worse by type"


def test_the_docs_tell_what_the_table_tells(told):
    parts, errors = told.split("### Errors of suites")
    document = (ROOT / "docs/embedded.md").read_text()
    assert parts.strip() in document
    assert "Not written yet" not in document
    assert errors.count("| balanced |") == 4


def test_suites_by_probes_beat_random_ones(told):
    lines = [line.strip("| ").split(" | ") for line in told.splitlines() if "| balanced |" in line]
    relative = {float(line[0]): float(line[6].split()[0]) for line in lines}
    assert set(relative) == {0.1, 0.2, 0.35, 0.5}
    assert relative[0.35] < 1
    assert sum(relative.values()) / 4 < 0.95
