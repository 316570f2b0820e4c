"""Drive all probes and target policies on the shipped routes, write the table of results, and say what it tells.

    python scripts/study_embedded.py [--runs DIR] [--seeds 3] [--servers 2] [--quick]
        [--port-base N] [--replays 400] [--out TABLE.csv.gz] [--docs FILE.md]
    python scripts/study_embedded.py --report [--replays 400] [--out TABLE.csv.gz] [--docs FILE.md]

The same command goes on in the run folders, and writes the table once every run is complete. ``--report`` reads a table
that is there. ``--docs`` writes what it tells between the marks of a document. ``--quick`` takes the demo's routes, one
seed and few replays, and writes its table beside the runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import documents
from embedded_study import driving, report, table

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "route_configs/builtin/results.csv.gz"
REPLAYS, QUICK_REPLAYS = 400, 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line; drive, or read; report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("embedded-study"), help="folder of the run folders")
    parser.add_argument("--seeds", type=int, default=3, help="traffic seeds a policy and route")
    parser.add_argument("--servers", type=int, default=2, help="routes at the same time")
    parser.add_argument("--port-base", type=int, help="first port of the servers")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--report", action="store_true", help="only read the table and report")
    parser.add_argument("--replays", type=int, help="suites drawn for each size")
    parser.add_argument("--out", type=Path, help="the table; shipped place unless --quick")
    parser.add_argument("--docs", type=Path, help="document whose marked part is written")
    given = parser.parse_args(arguments)
    path = given.out or (given.runs / "results.csv.gz" if given.quick else TABLE)
    if not given.report:
        seeds = 1 if given.quick else given.seeds
        task = driving.Task(given.runs, seeds, given.servers, "demo" if given.quick else "", given.port_base)
        driving.drive(task)
        table.write(path, task)
    replays = given.replays or (QUICK_REPLAYS if given.quick else REPLAYS)
    text = report.tell(table.read(path), replays)
    print(text)
    if given.docs:
        documents.put_into(given.docs, "study_embedded", text)


if __name__ == "__main__":
    main()
