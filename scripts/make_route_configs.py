r"""Write ``route_configs/*.yaml`` from a user's own route files and results, so that no hash is ever typed by hand.

Hand-written keys of an existing file (metrics, abilities, source) are kept; hashes, counts and run noise are
written anew. Every argument is optional: only the files of the arguments given are written.

    python scripts/make_route_configs.py --bench2drive220 bench2drive220.xml --val bench2drive_0.0.4_val.xml \
        --dev10 drivetransformer_bench2drive_dev10.xml --fail2drive fail2drive_split/ \
        --twice SimLingo=results/first=results/second --seeds results/TFv6 results/BevAD \
        --figures bench2drive.json fail2drive.json          # what scripts/figures.py --json wrote
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from bestrand_drive.benchmarks import fail2drive
from bestrand_drive.benchmarks.bench2drive_rules import measure
from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.benchmarks.routes import RouteFile, read_route_file
from bestrand_drive.files import write_atomic

FOLDER = Path(__file__).resolve().parent.parent / "route_configs"
HEADER = "# Hashes, counts, noise and coverage are written by scripts/make_route_configs.py; edit only other keys.\n"
LEAST_CASES = 20
"""Replays without a failure below which their coverage is not told."""
FRAGILE = {
    "11715": "RenzKa/simlingo issue 42",
    "23670": "Thinklab-SJTU/Bench2Drive issue 166",
    "24041": "Thinklab-SJTU/Bench2Drive issue 166",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and write what it asks for."""
    options = _parser().parse_args(arguments)
    for name, path in (
        ("bench2drive220", options.bench2drive220),
        ("bench2drive_0.0.4_val", options.val),
        ("bench2drive_dev10", options.dev10),
    ):
        if path:
            _update(options.out / f"{name}.yaml", _bench2drive_set(name, read_route_file(path)))
    if options.fail2drive:
        files = [read_route_file(path) for path in sorted(options.fail2drive.glob("*.xml"))]
        _update(options.out / "fail2drive.yaml", _route_set("fail2drive", "fail2drive", files))
    if options.twice:
        if options.twice.count("=") != 2:
            raise SystemExit(f"--twice {options.twice}: give NAME=RESULTS=RESULTS")
        name, first, second = options.twice.split("=")
        _update(options.out / "bench2drive.yaml", twice_noise(name, Path(first), Path(second)))
    if options.seeds:
        if not options.fail2drive:
            raise SystemExit("--seeds needs --fail2drive")
        _update(options.out / "fail2drive.yaml", seeds_noise(options.fail2drive, options.seeds))
    for figures in options.figures:
        rows = json.loads(figures.read_bytes())
        _update(options.out / f"{rows[0]['benchmark']}.yaml", ceiling_coverage(rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bench2drive220", "val", "dev10", "fail2drive"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--twice", metavar="NAME=RESULTS=RESULTS", help="one policy driven twice on Bench2Drive")
    parser.add_argument("--seeds", type=Path, nargs="+", default=[], help="Fail2Drive results with several seeds each")
    parser.add_argument("--figures", type=Path, nargs="+", default=[], help="JSON files of scripts/figures.py")
    parser.add_argument("--out", type=Path, default=FOLDER)
    return parser


def _route_set(name: str, benchmark: str, files: Sequence[RouteFile]) -> dict[str, Any]:
    routes = [route for file in files for route in file.routes]
    return {
        "name": name,
        "benchmark": benchmark,
        "files": {file.path.name: file.sha256 for file in files},
        "count": len(routes),
        "towns": dict(sorted(Counter(route.town for route in routes).items())),
        "types": dict(sorted(Counter(route.scenario_types[0] for route in routes if route.scenario_types).items())),
        "routes": {route.id: route.sha256[:16] for route in routes},
    }


def _bench2drive_set(name: str, file: RouteFile) -> dict[str, Any]:
    ids = {route.id for route in file.routes}
    fragile = FRAGILE if name == "bench2drive220" else {}
    return _route_set(name, "bench2drive", [file]) | {"fragile": {k: v for k, v in fragile.items() if k in ids}}


def twice_noise(name: str, first: Path, second: Path) -> dict[str, Any]:
    """Run noise of one policy driven twice: rms(difference) / sqrt(2) over the routes usable in both."""
    runs = []
    for path in (first, second):
        results = read_results(path, name=name, benchmark="bench2drive")
        usable = [record for record in results.records if record.outcome is Outcome.SCORED]
        runs.append(pd.DataFrame({record.route_id: measure(record) for record in usable}).T)
    difference = runs[0] - runs[1]
    routes = int(difference["driving_score"].notna().sum())
    noise = np.sqrt((difference**2).mean() / 2)
    return _noise(noise, f"{name} driven twice on bench2drive220, {routes} routes")


def seeds_noise(routes: Path, folders: Sequence[Path]) -> dict[str, Any]:
    """Run noise of several policies over their seeds: root of the pooled within-pair variance."""
    benchmark = fail2drive.load(routes)
    variances, seeds = [], set()
    for folder in folders:
        results = read_results(folder, name=folder.name, benchmark="fail2drive")
        values = fail2drive.scores(benchmark, results).values
        variances.append(values.groupby(["item_id", "metric"])["value"].var(ddof=1).unstack())
        seeds.add(len(results.repeats))
    noise = np.sqrt(pd.concat(variances).mean())
    names = ", ".join(folder.name for folder in folders)
    counts = " or ".join(map(str, sorted(seeds)))
    return _noise(noise, f"{names}, {counts} seeds each, {len(benchmark.items)} pairs")


def ceiling_coverage(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How often the default's interval held among replays without a failure: metric -> k -> [held, cases]."""
    found: dict[str, dict[int, list[int]]] = {}
    for row in rows:
        cases = row["flawless_draws"]
        if row["selector"] == "balanced" and cases >= LEAST_CASES:
            found.setdefault(row["metric"], {})[row["k"]] = [round(row["flawless_coverage"] * cases), cases]
    return {"ceiling_coverage": found}


def _noise(noise: pd.Series[float], source: str) -> dict[str, Any]:
    return {
        "run_noise": {str(name): round(float(value), 2) for name, value in noise.items()},
        "run_noise_source": source,
    }


def _update(path: Path, keys: dict[str, Any]) -> None:
    kept = yaml.safe_load(path.read_bytes()) if path.exists() else {}
    text = yaml.safe_dump(kept | keys, sort_keys=False, width=120, allow_unicode=True)
    write_atomic(path, (HEADER + text).encode())


if __name__ == "__main__":
    main()
