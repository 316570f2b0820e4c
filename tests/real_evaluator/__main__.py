"""Drive routes under a real evaluator and write the table.

    python -m tests.real_evaluator bench2drive --routes bench2drive220.xml --maps towns/ --out results/
        [--only 1711 1773] [--towns Town12] [--one-per-type] [--agent rolling|npc|FILE] [--times 2] [--jobs 2]

See ``evaluators.py`` for the environment variables, ``jobs.py`` for what a folder of maps may hold.
"""

from __future__ import annotations

import argparse
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.real_evaluator.driving import VERSION, Row, drive
from tests.real_evaluator.evaluators import CHECKOUTS, NotAtHand, evaluator
from tests.real_evaluator.jobs import Job, jobs, map_folder, one_of_each
from tests.real_evaluator.table import summary, write


def main() -> int:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the routes under way end first, and leave no process
    try:
        judge = evaluator(options.benchmark)
    except NotAtHand as missing:
        sys.exit(str(missing))
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = _wanted(options)
    order = [job.route for job in wanted]
    rows: list[Row] = []

    def one(numbered: tuple[int, Job]) -> None:
        number, job = numbered
        place = options.out / f"run{number}"
        rows.append(row := drive(judge, job, options.agent, wanted[job], place, _tell, options.carla_version))
        _tell(f"{summary([row])} [{job.route} {job.town} {job.title}] {row.left_out}")
        write(options.out, sorted(rows, key=lambda row: order.index(row.route)))

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, [(number, job) for number in range(options.times) for job in wanted]))
    print(summary(rows))
    return 0 if all(row.exit_code == 0 and row.scenario_run for row in rows) else 1


def _wanted(options: argparse.Namespace) -> dict[Job, Path]:
    """The routes that are asked for and whose town is at hand, each with the folder of its town."""
    folders = {
        job: folder
        for job in jobs(options.routes, options.only)
        if (not options.towns or job.town in options.towns) and (folder := map_folder(options.maps, job))
    }
    if not folders:
        sys.exit(f"no route of {options.routes} that is asked for has its town in {', '.join(map(str, options.maps))}")
    chosen = one_of_each(list(folders)) if options.one_per_type else folders
    return {job: folders[job] for job in chosen}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", choices=CHECKOUTS)
    parser.add_argument("--routes", type=Path, required=True, help="route file, or a folder of them")
    parser.add_argument(
        "--maps",
        type=Path,
        action="append",
        required=True,
        help="folder of OpenDRIVE files: TownNN.xodr, or ROUTE_ID/TownNN.xodr",
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=[], help="ids of routes; all whose town is at hand otherwise")
    parser.add_argument("--towns", nargs="+", default=[], help="only routes of these")
    parser.add_argument(
        "--one-per-type", action="store_true", help="only the first route of each scenario type, or class of Fail2Drive"
    )
    parser.add_argument("--agent", default="rolling", help="rolling, npc (the benchmark's own) or a file")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="evaluators at a time")
    parser.add_argument("--carla-version", default=VERSION)
    options = parser.parse_args()
    options.routes, options.out = options.routes.resolve(), options.out.resolve()
    options.maps = [folder.resolve() for folder in options.maps]
    return options


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
