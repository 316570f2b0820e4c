"""The table of the study's results, one row a policy, route and seed, and where it comes from."""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import pandas as pd

import bestrand_drive
from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.files import sha256_bytes, shipped_folder, write_atomic
from bestrand_drive.workflows.evidence.driving import ResultSource, load_benchmark, read_policy
from embedded_study.driving import Task, policies

METRICS = ("driving_score", "success", "efficiency", "comfort", "route_completion")
_SIX = "%.6g"


def write(path: Path, task: Task) -> None:
    """Gather all runs; the same results give the same bytes."""
    benchmark = load_benchmark("builtin", None, task.part)
    parts = [
        _rows(benchmark, task.runs / entry.name, entry.name).assign(role=role)
        for role, entries in policies().items()
        for entry in entries
    ]
    rows = pd.concat(parts, ignore_index=True)
    rows = rows[["policy", "role", "route", "type", "seed", "status", *METRICS, "game_s"]]
    text = rows.to_csv(index=False, float_format=_SIX, lineterminator="\n").encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, gzip.compress(text, mtime=0))
    write_atomic(provenance_of(path), (json.dumps(_provenance(text, task, benchmark), indent=1) + "\n").encode())


def provenance_of(path: Path) -> Path:
    """The file beside a table that says where it comes from."""
    return path.with_name(path.name.split(".")[0] + ".provenance.json")


def read(path: Path) -> pd.DataFrame:
    """A table, with routes as text."""
    return pd.read_csv(path, dtype={"route": str})


def _rows(benchmark: Benchmark, folder: Path, name: str) -> pd.DataFrame:
    """One policy's results, routes in the benchmark's order."""
    results, scores = read_policy(benchmark, ResultSource(name, folder), allow_mismatch=False)
    values = scores.values.pivot_table(index=["item_id", "repeat"], columns="metric", values="value")
    records = {(one.route_id, one.repeat): one for one in results.records}
    types = dict(zip(benchmark.items["item_id"].astype(str), benchmark.items["stratum"], strict=True))
    known = values.reset_index().reindex(columns=["item_id", "repeat", *METRICS])
    known = known.rename(columns={"item_id": "route", "repeat": "seed"})
    keys = list(zip(known["route"].astype(str), known["seed"].astype(str), strict=True))
    known["policy"], known["type"] = name, [types[route] for route, _ in keys]
    known["status"] = [records[key].status for key in keys]
    known["game_s"] = [records[key].duration_game_s for key in keys]
    order = {item: number for number, item in enumerate(types)}
    known["place"] = known["route"].map(order)
    return known.sort_values(["place", "seed"]).drop(columns="place")


def _provenance(text: bytes, task: Task, benchmark: Benchmark) -> dict[str, object]:
    probes = shipped_folder("probes")
    sources = sorted([*probes.rglob("*.py"), *probes.glob("rule_based*.yaml")])
    evaluator = sorted(Path(bestrand_drive.__file__).parent.joinpath("evaluator").rglob("*.py"))
    return {
        "table_sha256": sha256_bytes(text),
        "command": f"scripts/study_embedded --seeds {task.seeds}" + (f" ({task.part} part)" if task.part else ""),
        "simulator": "bestrand_drive's headless server: these scores are not CARLA's",
        "carla_client": version("carla"),
        "routes_sha256": benchmark.sha256,
        "evaluator_sha256": _together(evaluator),
        "probes_sha256": _together(sources),
        "traffic_seeds": task.seeds,
        "licence": "MIT, as bestrand_drive",
        "written": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
    }


def _together(paths: list[Path]) -> str:
    """One hash of several files."""
    return sha256_bytes(b"".join(path.read_bytes() for path in paths))
