"""Check the theory on every matrix and on Bench2Drive, and write the two tables of docs/theory.md.

    python scripts/theory_tables.py --data DATA --parts FOLDER [--seeds 400] [--workers 2] [--docs docs/theory.md]

DATA holds matrices/*.csv.gz and bench2drive/{routes,results}. Each check is `bestrand study ... --theory-check`, of a
tenth of a matrix's items and a fifth of the routes, with 5 probes a draw. FOLDER keeps what was measured, a folder a
benchmark with its theory.json; the same command goes on where an interrupted one stopped. The tables and the ranges
printed after them are written from those files only. Matrices that a check refuses (too few models) are printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from data_folder import add_data_option
from documents import markdown, put_into
from public_policies import BENCH2DRIVE_POLICIES

from bestrand_drive.errors import BestrandError
from bestrand_drive.workflows.studying.study import StudyRequest
from bestrand_drive.workflows.studying.tables import TableStudy
from bestrand_drive.workflows.studying.theory_check import FILE, check_driving, check_table

Row = dict[str, str | float | None]
Found = dict[str, list[Row]]
DRIVING = "bench2drive"
KEEP = {"matrices": 0.1, DRIVING: 0.2}
HEAD = ["s", "under y0", "random: mode", "P95", "cov", "bestrand: mode", "P95", "cov"]
MODES = (("mode", "mode_formula"), ("mode", "mode_kernel"), ("mode_se", "mode_kernel"))
"""Measured over the formula and over the exact law seen through the same kernel, and the standard error of that."""


def measure(data: Path, parts: Path, seeds: int, workers: int) -> None:
    """Run every check, small matrices first."""

    def request(name: str, keep: float) -> StudyRequest:
        return StudyRequest(parts / name, keeps=(keep,), seeds=seeds, workers=workers)

    def quiet(_done: int, _total: int, _what: str) -> None:
        """No line a block: there is one a matrix."""

    for path in sorted((data / "matrices").glob("*.csv.gz"), key=lambda path: path.stat().st_size):
        name = path.name.split(".")[0]
        try:
            check_table(TableStudy(path), request(name, KEEP["matrices"]), quiet)
            print(f"{name}: checked", file=sys.stderr, flush=True)
        except BestrandError as error:
            print(f"{name}: {error}", file=sys.stderr)
    folder = data / DRIVING
    policies = {name: folder / "results" / name for name in BENCH2DRIVE_POLICIES}
    routes = folder / "routes" / "bench2drive220.xml"
    check_driving(DRIVING, routes, policies, {}, request(DRIVING, KEEP[DRIVING]), quiet)


def kept(parts: Path) -> dict[str, Found]:
    """What was measured, by benchmark in the order of names."""
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(parts.glob(f"*/{FILE}"))}


def pairs_of(found: Found) -> Iterator[tuple[Row, dict[str, Row]]]:
    """Assumptions of each metric, and its rows by selector."""
    for assumed in found["assumptions"]:
        rows = [row for row in found["rows"] if row["metric"] == assumed["metric"]]
        yield assumed, {str(row["selector"]): row for row in rows}


def _over(row: Row, above: str, below: str) -> float:
    return float(row[above] or np.nan) / float(row[below] or np.nan)


def figures(rows: dict[str, Row]) -> list[str]:
    """Measured over theory, as both tables have it."""
    random = rows["random"]
    cells = [f"{_over(random, 'mean_error_sd', 's'):.2f}", f"{float(random['below_y0'] or 0):.2f}"]
    for selector in ("random", "bestrand"):
        row = rows[selector]
        formula, exact, doubt = (_over(row, *names) for names in MODES)
        cells += [f"{formula:.2f} / {exact:.2f} ({doubt:.2f})"]
        cells += [f"{float(row['p95_ratio'] or 0):.2f} ({float(row['p95_ratio_se'] or 0):.2f})"]
        cells += [f"{float(row['p95_covariance_ratio'] or 0):.2f}"]
    return cells


def tables(found: dict[str, Found]) -> dict[str, str]:
    """Both tables, by their mark."""
    body = []
    for name in (name for name in found if name != DRIVING):
        for assumed, rows in pairs_of(found[name]):
            numbers = [float(assumed[key] or 0) for key in ("rho", "correlation_sd", "positive", "variance_factor")]
            body.append([name, str(assumed["models"]), *(f"{number:.2f}" for number in numbers), *figures(rows)])
    head = ["matrix", "models", "rho", "spread of correlations", "positive", "variance factor", *HEAD]
    out = {"theory matrices": markdown(head, body)}
    if DRIVING in found:
        body = []
        for assumed, rows in pairs_of(found[DRIVING]):
            cells = [f"{float(assumed[key] or 0):.2f}" for key in ("rho", "variance_factor")]
            body.append([str(assumed["metric"]), *cells, *figures(rows)])
        out["theory driving"] = markdown(["metric", "rho", "variance factor", *HEAD], body)
    return out


def ranges(found: dict[str, Found]) -> Iterator[str]:
    """Least, median and greatest over the matrices of what the page says in words."""
    cases = [case for name in found if name != DRIVING for case in pairs_of(found[name])]
    spread = [_over(one, "correlation_sd", "correlation_chance_sd") for one, _ in cases]
    yield _range("spread of correlations over chance", spread)
    yield f"equal correlations on {sum(bool(one['equal_correlation']) for one, _ in cases)} of {len(cases)}"
    for selector in ("random", "bestrand"):
        rows = [own[selector] for _, own in cases]
        yield _range(f"{selector} s", [_over(row, "mean_error_sd", "s") for row in rows])
        for name in ("below_y0", "p95_ratio", "p95_covariance_ratio", "tail_bound"):
            yield _range(f"{selector} {name}", [float(row[name] or 0) for row in rows])
        yield _range(f"{selector} tail quantile over P95", [_over(row, "p95_tail_bound", "p95") for row in rows])
        yield _range(f"{selector} formula over mode", [_over(row, "mode_formula", "mode") for row in rows])
        yield _range(f"{selector} formula over exact mode", [_over(row, "mode_formula", "mode_exact") for row in rows])
        yield _range(f"{selector} exact mode over mode", [_over(row, "mode_kernel", "mode") for row in rows])


def _range(name: str, values: Sequence[float]) -> str:
    low, middle, high = np.nanquantile(values, (0, 0.5, 1))
    return f"{name}: {low:.3f}, median {middle:.3f}, {high:.3f}"


def main() -> None:
    """Measure what is missing, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "matrices", "bench2drive")
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--docs", type=Path, help="document whose marked tables are written")
    given = parser.parse_args()
    torch.set_num_threads(1)
    measure(given.data, given.parts, given.seeds, given.workers)
    found = kept(given.parts)
    for name, text in tables(found).items():
        print(text, end="\n\n")
        if given.docs:
            put_into(given.docs, name, text)
    print(*ranges(found), sep="\n")


if __name__ == "__main__":
    main()
