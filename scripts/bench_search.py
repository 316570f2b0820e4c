"""Cost of a judged candidate, way by way (docs/search.md), beside a plain numpy loop; CPU time.

    python scripts/bench_search.py [--quick] [--json] [--check] [--docs docs/search.md]

The loop, ``rng.choice(P, k, replace=False)`` and a mean, is timed on at most 200 candidates and extrapolated. For
continuous scores a candidate of one way is not worth one of another, so there the time counts in which a way reaches
the imbalance that the loop reaches with 128 and with 1,024 candidates, set-up and all ("to 128"; "at equal time": what
it has reached when the loop is done, over what the loop has). Beside each cost stands the time that its bytes would
take at the speed of a copy. --check leaves with 1 when a target is missed: for 0/1 scores and 10,000 candidates or more
20, 60, 100 and 1,000 times the loop's speed from the second size on, for continuous ones 10 times by the time to equal
imbalance, and a peak below 1 GiB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from documents import put_into
from workers import end_by_sigterm

Row = dict[str, Any]
CASES = (
    (220, 220, 55),
    (14_000, 5_600, 1_400),
    (14_000, 14_000, 7_000),
    (1_000_000, 40_000, 10_000),
    (1_000_000, 1_000_000, 250_000),
)
TARGETS = dict(zip(CASES[1:], (20, 60, 100, 1_000), strict=True))
"""Times the loop's speed, for 0/1 scores."""
CONTINUOUS, PEAK_MIB, FROM = 10, 1024, 10_000
KEPT = (
    *("n", "pool", "k", "features", "kind", "method", "m", "goal", "us_per_candidate", "ratio_to_numpy", "bound_us"),
    *("imbalance_at_equal_time", "extrapolated", "peak_mib"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, measure, print; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the first three sizes, fewer candidates")
    parser.add_argument("--json", action="store_true", help="print one JSON array")
    parser.add_argument("--check", action="store_true", help="leave with 1 when a target is missed")
    parser.add_argument("--docs", type=Path, help="document whose marked table is written")
    given = parser.parse_args(arguments)
    rows = []
    if not given.json:
        print(HEADER)
    for order in orders(given.quick):
        for row in measured(order):
            rows.append(row)
            if not given.json:
                print(line(row), flush=True)
    if given.json:
        print(json.dumps(rows, indent=1))
    if given.docs:
        put_into(given.docs, "bench_search", "\n".join([HEADER, *map(line, rows)]))
    missed = misses(rows) if given.check else []
    print(*missed, sep="\n", file=sys.stderr, end="\n" if missed else "")
    return 1 if missed else 0


def orders(quick: bool) -> Iterator[Row]:
    """What to measure, one process each."""
    sizes = [128, 10_000] if quick else [128, 1_024, 10_000, 100_000, 1_000_000]
    for case in CASES[:3] if quick else CASES:
        for kind in ("binary", "continuous"):
            yield {"case": case, "kind": kind, "m": sizes}


def measured(order: Row) -> list[Row]:
    """Rows of one process."""
    script = Path(__file__).with_name("search_cases.py")
    done = subprocess.run([sys.executable, script, json.dumps(order)], stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(text) for text in done.stdout.splitlines()]
    return [{name: _short(row[name]) for name in KEPT if name in row} for row in rows]


def _short(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


HEADER = (
    "| N, pool, k | scores | way | candidates | us each | bytes bound | x loop | at equal time | peak MiB |\n|"
    + "---|" * 9
)


def line(row: Row) -> str:
    """A row of the printed table; ``*`` marks what was timed on fewer candidates."""
    case = f"{row['n']:,}, {row['pool']:,}, {row['k']:,}"
    number = f"to {row['goal']:,}" if "goal" in row else f"{row['m']:,}" + "*" * row["extrapolated"]
    each = "not reached" if row["us_per_candidate"] is None else f"{row['us_per_candidate']:.3g}"
    left = f"{row['imbalance_at_equal_time']:.3f}" if "goal" in row else ""
    cells = (case, row["kind"], row["method"], number, each, f"{row['bound_us']:.2g}", f"{row['ratio_to_numpy']:.3g}")
    return "| " + " | ".join((*cells, left, f"{row['peak_mib']:.0f}")) + " |"


def misses(rows: Sequence[Row]) -> list[str]:
    """Targets that were not reached, a line each."""
    out = [f"peak of {row['peak_mib']:.0f} MiB: {line(row)}" for row in rows if row["peak_mib"] >= PEAK_MIB]
    for row in rows:
        wanted = TARGETS.get((row["n"], row["pool"], row["k"]))
        if wanted is None:
            continue
        if row["method"] == "classes" and row["m"] >= FROM and row["ratio_to_numpy"] < wanted:
            out.append(f"below {wanted} x: {line(row)}")
        if row["method"] == "swaps" and row["ratio_to_numpy"] < CONTINUOUS:
            out.append(f"below {CONTINUOUS} x: {line(row)}")
    return out


if __name__ == "__main__":
    end_by_sigterm()
    sys.exit(main())
