"""Sides of a gate: policies of the toy Bench2Drive, at the strength and with the gaps that a test asks for."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from tests.conftest import Builders
from tests.simulation.attempts.made import empty_store, key, scored
from tests.workflows.toys import Bench


def side(
    bench: Bench, folder: Path, name: str, level: float, *, runs: int = 1, without: Collection[str] = (), note: str = ""
) -> Path:
    """Results of a policy.

    Args:
        bench: The toy.
        folder: Where to put them.
        name: Of the policy, from which its draws follow.
        level: The better the higher.
        runs: How often it drives every route.
        without: Routes whose record is a crash of the simulator.
        note: Text added to those records' status.
    """
    for run in range(runs):
        records = bench.records(name, level, run=run)
        for number, route in enumerate(bench.ids):
            if route in without:
                status = f"Failed - Simulation crashed{note}"
                records[number] = Builders.record(f"RouteScenario_{route}_rep0", status, 3.0)
        bench.put(folder / name / f"seed{run + 1}" if runs > 1 else folder / name, records)
    return folder / name


def run_folder(bench: Bench, root: Path, level: float, simulator: str, routes: Collection[str]) -> Path:
    """A run folder of some of the toy's routes with an attempt behind every result.

    Args:
        bench: The toy.
        root: Where; its name is the policy's.
        level: The better the higher.
        simulator: What it says simulated it.
        routes: Those that were driven.
    """
    store = empty_store(root)
    (root / "run.json").write_text(json.dumps({"schema": "bestrand-run/1", "simulator": simulator}))
    (root / "results").mkdir()
    for route, record in zip(bench.ids, bench.records(root.name, level), strict=True):
        if route not in routes:
            continue
        file = Builders.write(root / "results" / f"RouteScenario_{route}.json", [record])
        store.put(scored(of=key(route, simulator=simulator, policy=f"id:{root.name}")), file.read_bytes())
    return root
