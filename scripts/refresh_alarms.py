"""How often `bestrand refresh` calls probes stale that are not, and how often it notices probes that are.

Probes and targets are drawn from one score table, so the probes explain the targets as well as promised; then half of
each target's scores are put at random items, which leaves a quarter of what the probes explain.

    python scripts/refresh_alarms.py matrix.csv.gz ... [--probes 5] [--targets 8] [--keep 0.1] [--seeds 40] [--json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from bestrand_drive import ScoreMatrix, compress
from bestrand_drive.compression.explained import explained
from bestrand_drive.scores.tables import read_table
from bestrand_drive.workflows.living.expectation import expectation

Row = dict[str, str | int | float]


def one_draw(matrix: ScoreMatrix, seed: int, options: argparse.Namespace) -> tuple[float, float, bool, bool] | None:
    """Observed and expected share, whether an alarm was raised, and whether one was on scattered scores."""
    rng = np.random.default_rng(seed)
    names = [matrix.policies[number] for number in rng.permutation(len(matrix.policies))]
    probes, targets = names[: options.probes], names[options.probes : options.probes + options.targets]
    suite = compress("scores", scores=matrix, probes=probes, keep=options.keep, seed=seed)
    place = {item: number for number, item in enumerate(matrix.items)}
    scores = matrix.with_policies(targets).masked(0)[[place[item] for item in suite.chosen]]
    expected = expectation(suite, suite.metrics[0])
    scattered = np.column_stack([rng.permutation(column) for column in scores.T])
    mixed = np.where(rng.random(scores.shape) < 0.5, scattered, scores)
    found = None if expected is None else (explained(scores, expected), explained(mixed, expected))
    if found is None or expected is None or found[0] is None or found[1] is None:
        return None
    return found[0].share, expected.share, found[0].stale, found[1].stale


def study(path: Path, options: argparse.Namespace) -> Row:
    """One table over all seeds."""
    matrix = ScoreMatrix.from_frame(read_table(path), source=str(path))
    copies = matrix.copies()
    matrix = matrix.with_policies([name for name in matrix.policies if name not in copies])
    draws = [draw for seed in range(options.seeds) if (draw := one_draw(matrix, seed, options)) is not None]
    values = np.array(draws, dtype=float)
    observed, expected, false, true = values.mean(axis=0) if len(values) else np.full(4, np.nan)
    row: Row = {"table": path.name, "draws": len(draws), "observed": round(observed, 3), "expected": round(expected, 3)}
    return row | {"false_alarms": round(false, 3), "noticed": round(true, 3)}


def main() -> None:
    """Parse the command line and print one line a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--probes", type=int, default=5)
    parser.add_argument("--targets", type=int, default=8)
    parser.add_argument("--keep", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for path in options.tables:
        row = study(path, options)
        print(
            json.dumps(row) if options.json else "  ".join(f"{key} {value}" for key, value in row.items()), flush=True
        )


if __name__ == "__main__":
    main()
