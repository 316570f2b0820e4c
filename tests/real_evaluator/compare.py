"""Drive the same agents on the same routes under Bench2Drive's evaluator and the built-in one, and compare.

    python -m tests.real_evaluator.compare --routes bench2drive220.xml --maps towns/ --out comparison/
        [--only 1711 1773] [--agent expert] [--again] [--docs docs/embedded.md]

Both get a headless server of their own on the same map files, and traffic seed 0. An agent is one of probes/ or a file.
The environment variables are those of tests/real_evaluator; routes whose pair is there already are not driven again,
with --again only by the built-in evaluator (after a change of it).
Routes with a scenario type that the built-in evaluator lacks are left out: it refuses them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from bestrand_drive.benchmarks.builtin_limits import SCENARIO_TYPES
from scripts.documents import markdown, put_into
from tests.ports import free_ports
from tests.real_evaluator.driving import ROOT, Row, drive, install, row
from tests.real_evaluator.evaluators import Evaluator, evaluator
from tests.real_evaluator.jobs import Job, jobs, map_folder, one_of_each
from tests.real_evaluator.processes import attend, server

MARK = "compare_evaluators"
VERSION = "0.9.16"
"""Of the client of this Python; Bench2Drive's evaluator has an older one, and its server says so."""
HEAD = ("route", "town", "scenario type", "agent", "official", "built in", "what differs")
Pair = tuple[Row, Row]


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, drive, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--routes", type=Path, required=True)
    parser.add_argument("--maps", type=Path, required=True, help="folder of OpenDRIVE files, TownNN.xodr")
    parser.add_argument("--only", nargs="+", default=[], help="ids; the first route of each type otherwise")
    parser.add_argument("--agent", nargs="+", default=["expert", "pure_pursuit"], help="of probes/, or files")
    parser.add_argument("--out", type=Path, default=Path("comparison"))
    parser.add_argument("--again", action="store_true", help="drive the built-in side of pairs that are there again")
    parser.add_argument("--docs", type=Path, help="document whose marked part is written")
    given = parser.parse_args(arguments)
    out = given.out.resolve()
    official = evaluator("bench2drive")
    both = (job for job in jobs(given.routes.resolve(), given.only) if set(job.scenarios) <= SCENARIO_TYPES)
    at_hand = [job for job in both if map_folder([given.maps.resolve()], job)]
    pairs = []
    for job in at_hand if given.only else one_of_each(at_hand):
        for agent in given.agent:
            pairs.append(_pair(official, job, agent, given.maps.resolve(), out, again=given.again))
            print(_line(pairs[-1]), flush=True)
    text = f"{summary(pairs)}\n\n{markdown(HEAD, map(cells, pairs))}"
    print(text)
    if given.docs:
        put_into(given.docs, MARK, text)


def _pair(official: Evaluator, job: Job, agent: str, maps: Path, out: Path, *, again: bool) -> Pair:
    """Both drives, or what they gave before."""
    known = out / f"{job.route}.{Path(agent).stem}.json"
    before = [Row(**one) for one in json.loads(known.read_text())] if known.exists() else []
    if before and not again:
        return before[0], before[1]
    file = agent if "/" in agent else str(ROOT / "probes" / f"{agent}.py")
    place = out / Path(agent).stem
    one = before[0] if before else drive(official, job, file, maps, place / "official")
    pair = one, _ours(official, job, file, maps, place / "built_in")
    known.write_text(json.dumps([asdict(one) for one in pair], indent=1) + "\n")
    return pair


def _ours(official: Evaluator, job: Job, agent: str, maps: Path, folder: Path) -> Row:
    """One route under the built-in evaluator, on a server with the same maps."""
    carla_root = install(folder / f"{job.route}.carla", maps, VERSION)
    place = folder / job.route
    place.mkdir(parents=True, exist_ok=True)
    (place / "result.json").unlink(missing_ok=True)
    port = free_ports(9)
    command = [
        *(sys.executable, "-m", "bestrand_drive.evaluator", "--port", port, "--routes", job.routes),
        *("--routes-subset", job.route, "--agent", agent, "--checkpoint", place / "result.json"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "IS_BENCH2DRIVE": "True"}
    with server(carla_root, port, place / "server.log"):
        code = attend(command, place / "log.txt", port, cwd=place, env=environment)
    return replace(row(official, job, agent, place, code, 0, 0.0), evaluator="builtin")


def cells(pair: Pair) -> list[str]:
    """A line of the table."""
    one, other = pair
    scores = (f"{side.driving_score:.1f}" for side in pair)
    return [one.route, one.town, one.scenarios, one.agent, *scores, differences(one, other)]


def differences(one: Row, other: Row) -> str:
    """What differs beside the driving score, the official side first."""
    found = [] if one.status == other.status else [f"{one.status or 'no record'} / {other.status or 'no record'}"]
    kinds = sorted({*one.infractions, *other.infractions} - {"min_speed_infractions"})
    for kind in kinds:
        counts = [len(side.infractions.get(kind, [])) for side in (one, other)]
        if counts[0] != counts[1]:
            found.append(f"{kind} {counts[0]} / {counts[1]}")
    if abs(one.completion - other.completion) > 0.5:
        found.append(f"completion {one.completion:.0f} / {other.completion:.0f} %")
    left_out = [side.left_out for side in (one, other) if side.left_out]
    return "; ".join([*found, f"{one.game_s:.1f} / {other.game_s:.1f} s", *left_out])


def summary(pairs: Sequence[Pair]) -> str:
    """How often they agree."""
    gaps = [abs(one.driving_score - other.driving_score) for one, other in pairs]
    means = (sum(pair[side].driving_score for pair in pairs) / len(pairs) for side in (0, 1))
    near, status = sum(gap < 1.0 for gap in gaps), sum(one.status == other.status for one, other in pairs)
    return (
        f"{len(pairs)} drives a side; driving scores within a point on {near}, the same status on {status}; mean "
        "driving score {:.1f} official, {:.1f} built in.".format(*means)
    )


def _line(pair: Pair) -> str:
    return " | ".join(cells(pair))


if __name__ == "__main__":
    main()
