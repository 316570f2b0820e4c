"""How large errors are at the sizes that the planner chooses, beside the errors that were wanted.

    scripts/bench_planner --data DATA [--quick] [--json] [--check] [--docs docs/planner.md]

DATA holds matrices/*.csv.gz and bench2drive/{routes,results}. Part 1, "known": variance and correlation are those of
all models. For six matrices, four goals and three ways to choose, the planner says the smallest k whose error (mean
absolute error over all models that are no probes) stays under the goal in 95 of 100 suites; 400 suites of that size are
drawn, each with 5 random probes, and the 95th percentile of their errors is divided by the goal. Wanted: .88 to 1.10.
Beside random, and not counted, stands what the mean correlation in place of `theory.mae_correlation` would have said.

The six are chosen by a rule, before any figure: of the complete matrices with 0/1 scores those on which models are
alike as far as `bestrand plan` asks (``LEAST_POSITIVE`` of the pairs covary positively); of these the one with the most
models of each source (the part of the name before the first underscore; the one with most items among equals), and of
these the six with the most models. All complete 0/1 matrices that fail the check make a table of their own, "left out",
with the same figures and with those of the models' full covariances (``theory.mae_draws``).

Part 2, "probes": what `bestrand plan` predicts from 5 random probes alone at one size, over what it would predict for 5
probes with the moments of all models: median and the range of the middle 80 %, over 60 draws. On Bench2Drive 5 random
families of policies, over the mean of the draws.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch
from data_folder import add_data_option
from documents import put_into
from planner_known import MEAN, Row, known_rows, known_table, six, tables_of
from planner_probes import probe_rows, probes_table

GOALS = (0.06, 0.04, 0.025, 0.015)
WANTED = (0.88, 1.10)
SEEDS, DRAWS = 400, 60


def main() -> int:
    """Measure and print; with --check leave with 1 when a cell of part 1 lies outside."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "matrices", "bench2drive")
    parser.add_argument("--quick", action="store_true", help="two matrices, two goals, fewer suites and draws")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    parser.add_argument("--check", action="store_true", help="leave with 1 when a ratio is outside .88 to 1.10")
    parser.add_argument("--docs", type=Path, help="document whose marked tables are written")
    options = parser.parse_args()
    torch.set_num_threads(1)
    tables = tables_of(options.data)
    paths, failing = six(tables), [table.path for table in tables if not table.alike]
    seeds, draws, goals = (100, 10, GOALS[1:3]) if options.quick else (SEEDS, DRAWS, GOALS)
    if options.quick:
        paths, failing = paths[-2:], failing[:1]
    rows: list[Row] = []
    for path, part in [*((path, "known") for path in paths), *((path, "left out") for path in failing)]:
        rows += known_rows(path, seeds, goals, part)
        print(f"{path.name}: measured", file=sys.stderr)
    rows += probe_rows(options.data, paths, draws)
    texts = {f"bench_planner {part}": known_table(rows, part) for part in ("known", "left out")}
    texts["bench_planner probes"] = probes_table(rows)
    print(json.dumps(rows, indent=1, allow_nan=False) if options.json else "\n\n".join(texts.values()))
    for name, text in texts.items() if options.docs else ():
        put_into(options.docs, name, text)
    ratios = [float(row["ratio"] or 0) for row in rows if row["part"] == "known" and row["selector"] != MEAN]
    outside = sum(not WANTED[0] <= ratio <= WANTED[1] for ratio in ratios)
    print(f"{len(ratios) - outside} of {len(ratios)} ratios within {WANTED[0]} to {WANTED[1]}", file=sys.stderr)
    return 1 if options.check and outside else 0


if __name__ == "__main__":
    sys.exit(main())
