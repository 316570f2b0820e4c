"""One route under an evaluator: a process, its result file, and what its log says of the scenario."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bestrand_drive.benchmarks.records import read_results
from tests.ports import free_ports
from tests.real_evaluator.evaluators import MODULE, Evaluator
from tests.real_evaluator.jobs import Job, towns_in
from tests.real_evaluator.processes import KnownFault, attend, server

ROOT = Path(__file__).resolve().parents[2]
VERSION = "0.9.15"
"""Of the client that the evaluators are made for."""
ATTEMPTS = 4
CALL_TIMEOUT_S = 120
"""Of every call of the evaluator's client: a server that does not answer makes the evaluator fail by itself."""
_UNSET = re.compile(r"(?:Skipping|Ignoring) scenario '(?P<name>[^']*)'(?: due to setup error: | as it is )(?P<why>.*)")


@dataclass(frozen=True)
class Row:
    """What came of it.

    Attributes:
        evaluator: ``bench2drive`` or ``fail2drive``.
        agent: Which agent drove.
        route: Its id.
        town: Its town.
        scenarios: Scenario types, joined by "+"; before them Fail2Drive's half and class.
        status: As the evaluator recorded it; "" without a record.
        driving_score: 0 to 100.
        completion: Percent of the route.
        game_s: Simulated time of the drive.
        wall_s: Time of the whole evaluator process, start and end included.
        scenario_run: Whether every scenario was set up (the log tells which were not).
        left_out: What the log says of those that were not.
        reruns: How often a known fault of the client made a run be repeated.
        exit_code: Of the evaluator.
        infractions: Messages per kind, without empty kinds.
    """

    evaluator: str
    agent: str
    route: str
    town: str
    scenarios: str
    status: str
    driving_score: float
    completion: float
    game_s: float
    wall_s: float
    scenario_run: bool
    left_out: str
    reruns: int
    exit_code: int
    infractions: dict[str, list[str]] = field(default_factory=dict)

    def scored(self) -> tuple[object, ...]:
        """What two runs of one route should share.

        The texts about speed are left out: some scenarios draw from generators that no evaluator seeds.
        """
        events = {kind: texts for kind, texts in self.infractions.items() if kind != "min_speed_infractions"}
        return self.status, self.driving_score, self.completion, self.game_s, events


def install(root: Path, maps: Path, version: str = VERSION) -> Path:
    """A CARLA_ROOT whose start script is the headless server, with a folder of towns; it begins in the first."""
    options = ("--maps", maps, "--map", towns_in(maps)[0], "--carla-version", version, "--die-with-parent")
    command = [sys.executable, "-m", "bestrand_drive", "headless", "install", str(root), *map(str, options)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return root


def drive(
    evaluator: Evaluator,
    job: Job,
    agent: str,
    maps: Path,
    folder: Path,
    report: Callable[[str], None] = print,
    version: str = VERSION,
) -> Row:
    """Drive a route, again after a known fault of the client.

    Args:
        evaluator: Whose evaluator.
        job: The route.
        agent: ``rolling``, ``npc`` or the file of one.
        maps: Folder with its town.
        folder: To be made; gets a CARLA_ROOT, and log and result of each attempt.
        report: Told of every repetition.
        version: Of CARLA.

    Raises:
        AssertionError: The evaluator stood still, or the client failed too often.
    """
    carla_root = install(folder / f"{job.route}.carla", maps, version)
    for attempt in range(ATTEMPTS):
        place = folder / f"{job.route}.{attempt}"
        place.mkdir(parents=True, exist_ok=True)
        try:
            started = time.monotonic()
            code = _once(evaluator, job, agent, carla_root, place)
            return row(evaluator, job, agent, place, code, attempt, time.monotonic() - started)
        except KnownFault as fault:
            report(f"known fault of the client on route {job.route}, attempt {attempt + 1} of {ATTEMPTS}: {fault}")
    raise AssertionError(f"route {job.route}: the client failed {ATTEMPTS} times by a known fault of its own")


def _once(evaluator: Evaluator, job: Job, agent: str, carla_root: Path, place: Path) -> int:
    """One attempt; the exit code."""
    port = free_ports(9)
    (place / "result.json").unlink(missing_ok=True)
    command = [
        *(evaluator.python, evaluator.root / MODULE, "--port", port, "--traffic-manager-port", port + 5),
        *("--routes", job.routes, "--routes-subset", job.route, "--agent", evaluator.agent(agent)),
        *("--checkpoint", place / "result.json", "--debug-checkpoint", place / "live.txt"),
        *("--timeout", CALL_TIMEOUT_S),
    ]
    if evaluator.starts_server:
        # It kills whatever runs with its rank when a route crashes: no other server may have the same.
        command += ["--gpu-rank", port]
        served: AbstractContextManager[None] = nullcontext()
    else:
        served = server(carla_root, port, place / "server.log")
    with served:
        environment = evaluator.environment(carla_root, job.town, place)
        return attend(command, place / "log.txt", port, cwd=evaluator.root, env=environment)


def row(evaluator: Evaluator, job: Job, agent: str, place: Path, code: int, reruns: int, wall_s: float) -> Row:
    """The outcome, read by the package's own reader of results."""
    left_out = scenarios_left_out((place / "log.txt").read_text(errors="replace"))
    common = (evaluator.name, agent if "/" not in agent else Path(agent).stem, job.route, job.town)
    status, score, completion, game_s, infractions = "", 0.0, 0.0, 0.0, {}
    if _has_record(place / "result.json"):
        (record,) = read_results(place / "result.json", name=agent, benchmark=evaluator.name).records
        status, score, completion = record.status, record.driving_score, record.route_completion
        game_s = record.duration_game_s
        infractions = {kind: list(texts) for kind, texts in record.infractions.items() if texts}
    return Row(
        *common, job.title, status, score, completion, round(game_s, 2), round(wall_s, 1),
        not left_out, "; ".join(left_out), reruns, code, infractions,
    )  # fmt: skip


def _has_record(path: Path) -> bool:
    """Whether an evaluator got as far as to record a route."""
    return path.exists() and bool(json.loads(path.read_bytes())["_checkpoint"]["records"])


def scenarios_left_out(log: str) -> list[str]:
    """Scenarios that the evaluator did not set up, with its reason."""
    return [f"{found['name']}: {found['why'].strip()}" for found in _UNSET.finditer(log)]


def as_json(rows: Sequence[Row]) -> str:
    """All of the rows."""
    return json.dumps([asdict(row) for row in rows], indent=1) + "\n"


def from_json(values: Sequence[dict[str, Any]]) -> list[Row]:
    """Rows that ``as_json`` wrote."""
    return [Row(**value) for value in values]
