"""Drive routes under a real evaluator and write the table.

    python -m tests.real_evaluator bench2drive --routes bench2drive220.xml --maps towns/ --out results/
        [--only 1711 1773] [--agent rolling|npc|FILE] [--times 2] [--jobs 2]

See ``evaluators.py`` for the environment variables.
"""

from __future__ import annotations

import argparse
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.real_evaluator.driving import Job, Row, drive, install, jobs, towns_in
from tests.real_evaluator.evaluators import CHECKOUTS, NotAtHand, evaluator
from tests.real_evaluator.table import summary, write


def main() -> int:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the routes under way end first, and leave no process
    try:
        judge = evaluator(options.benchmark)
    except NotAtHand as missing:
        sys.exit(str(missing))
    options.out.mkdir(parents=True, exist_ok=True)
    carla_root = install(options.out / "carla_root", options.maps, options.carla_version)
    wanted = jobs(options.routes, towns_in(options.maps), options.only)
    rows: list[Row] = []

    def one(numbered: tuple[int, Job]) -> None:
        number, job = numbered
        rows.append(drive(judge, job, options.agent, carla_root, options.out / f"run{number}", _tell))
        _tell(summary(rows[-1:]) + f" [{job.route} {job.town} {'+'.join(job.scenarios)}] {rows[-1].left_out}")
        write(options.out, sorted(rows, key=lambda row: [job.route for job in wanted].index(row.route)))

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, [(number, job) for number in range(options.times) for job in wanted]))
    print(summary(rows))
    return 0 if all(row.exit_code == 0 and row.scenario_run for row in rows) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", choices=CHECKOUTS)
    parser.add_argument("--routes", type=Path, required=True, help="route file, or a folder of them")
    parser.add_argument("--maps", type=Path, action="append", required=True, help="folder of OpenDRIVE files")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=[], help="ids of routes; all whose town is at hand otherwise")
    parser.add_argument("--agent", default="rolling", help="rolling, npc (the benchmark's own) or a file")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="evaluators at a time")
    parser.add_argument("--carla-version", default="0.9.15")
    options = parser.parse_args()
    options.routes, options.out = options.routes.resolve(), options.out.resolve()
    options.maps = [folder.resolve() for folder in options.maps]
    return options


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
