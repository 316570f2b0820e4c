"""How often `bestrand refresh` calls probes stale that are not, and how often it notices probes that are.

Probes and targets are drawn from one score table, so the probes explain the targets as well as promised; then half of
each target's scores are put at random items, which leaves a quarter of what the probes explain.

    python scripts/refresh_alarms.py matrix.csv.gz ... [--probes 5] [--targets 8 3] [--keep 0.1] [--seeds 40] [--json]
        [--docs docs/living.md]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from documents import markdown, put_into

from bestrand_drive import ScoreMatrix, compress
from bestrand_drive.compression.explained import explained
from bestrand_drive.scores.tables import read_table
from bestrand_drive.workflows.living.expectation import expectation

Row = dict[str, str | int | float]


def one_draw(
    matrix: ScoreMatrix, seed: int, count: int, options: argparse.Namespace
) -> tuple[float, float, bool, bool] | None:
    """Observed and expected share, whether an alarm was raised, and whether one was on scattered scores."""
    rng = np.random.default_rng(seed)
    names = [matrix.policies[number] for number in rng.permutation(len(matrix.policies))]
    probes, targets = names[: options.probes], names[options.probes : options.probes + count]
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


def study(path: Path, options: argparse.Namespace) -> list[Row]:
    """One table over all seeds: a row a number of targets."""
    matrix = ScoreMatrix.from_frame(read_table(path), source=str(path))
    copies = matrix.copies()
    matrix = matrix.with_policies([name for name in matrix.policies if name not in copies])
    return [told(path, matrix, count, options) for count in options.targets]


def told(path: Path, matrix: ScoreMatrix, count: int, options: argparse.Namespace) -> Row:
    """Means over draws of so many targets."""
    seeds = range(options.seeds)
    draws = [draw for seed in seeds if (draw := one_draw(matrix, seed, count, options)) is not None]
    values = np.array(draws, dtype=float)
    observed, expected, false, true = values.mean(axis=0) if len(values) else np.full(4, np.nan)
    row: Row = {"table": path.name.split(".")[0], "items": len(matrix.items), "targets": count, "draws": len(draws)}
    row |= {"observed": round(observed, 3), "expected": round(expected, 3)}
    return row | {"false_alarms": round(false, 3), "noticed": round(true, 3)}


def table(rows: Sequence[Sequence[Row]], keep: float) -> str:
    """As docs/living.md shows it, shares of the first number of targets."""
    heads = [f"k = {100 * keep:g} % of", "expected R_1^2", "observed"]
    heads += [f"{what}, T = {row['targets']}" for row in rows[0] for what in ("false alarms", "noticed")]
    body = []
    for own in rows:
        first = [f"{own[0]['table']} (N = {own[0]['items']:,})", _share(own[0]["expected"]), _share(own[0]["observed"])]
        body.append(first + [_share(row[key]) for row in own for key in ("false_alarms", "noticed")])
    return markdown(heads, body)


def _share(value: str | float) -> str:
    return f"{float(value):.2f}"


def main() -> None:
    """Parse the command line and print one line a table and number of targets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--probes", type=int, default=5)
    parser.add_argument("--targets", type=int, nargs="+", default=[8, 3])
    parser.add_argument("--keep", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--docs", type=Path, help="document whose marked table is written")
    options = parser.parse_args()
    found = []
    for path in options.tables:
        found.append(study(path, options))
        for row in found[-1]:
            said = json.dumps(row) if options.json else "  ".join(f"{key} {value}" for key, value in row.items())
            print(said, flush=True)
    if options.docs:
        put_into(options.docs, "refresh_alarms", table(found, options.keep))


if __name__ == "__main__":
    main()
