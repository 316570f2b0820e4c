"""Does a run come to the same results when everything that can fail does? Crashes, hangs, preemptions, kills, seeded.

    scripts/chaos_run [--routes 300] [--workers 2] [--seed 0] [--every 15] [--out FOLDER] [--json]

The shipped routes' short part, copied under new ids as often as it takes, is driven by the built-in evaluator with
the real client on headless servers, a shipped probe at the wheel: once undisturbed, and once by workers that meet
their driver in the run folder (``--engine workers``). Every server crashes or hangs at a tick that is drawn anew for
each worker. Every ``--every`` seconds (exponential) a worker is told to leave (SIGTERM, as a preemption does) or killed
(SIGKILL), seldom the driver; whoever has ended is started again with the same command. Draws are seeded; what they
meet is not. It leaves with 1 unless every route has exactly one attempt that counts, attempts are numbered without a
gap, all results are those of the undisturbed run, and no process is left.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headless_processes import environment
from workers import end_by_sigterm

from bestrand_drive.benchmarks.builtin_routes import read_routes, routes_path
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.processes.marks import RUN, marked, run_mark

LOOK_S = 0.1
WAIT_S = 60.0
"""That a worker waits for a driver, which is started again at once where it was killed."""
PATIENCE_S = 120.0
"""For processes to end that were told to."""
LEFT_S = 20.0
"""For those of a worker that was killed, which their supervisors end, with the grace of the limits below."""
TICKS = (700, 3000)
"""Between which a server fails: beyond the longest route, so that each one can be driven, and a few routes on."""
DRIVER_KILLED = 0.1
"""Share of the blows that kill the driver."""
ATTEMPTS = 50
"""Of a route: chaos is no reason to give one up."""
STARTS = 100
"""Of the driver, after which something else is wrong."""
STOPPED = 7
"""The driver leaves with it when several routes failed in a row; the same command goes on."""
LIMITS = ("--timeout", "20", "--limit", "tick=10", "--limit", "load=30", "--limit", "grace=10")


@dataclass(frozen=True)
class Chaos:
    """What is asked for.

    Attributes:
        routes: To be driven.
        workers: At the same time.
        seed: Of all draws.
        every_s: Mean time between two blows.
        folder: Of both runs.
        program: Module that is the command.
        agent: At the wheel.
        ticks: Between which a server fails.
    """

    routes: int
    workers: int
    seed: int
    every_s: float
    folder: Path
    program: str = "bestrand_drive"
    agent: str = "probe:expert"
    ticks: tuple[int, int] = TICKS

    @property
    def run(self) -> Path:
        """Run folder of the disturbed run."""
        return self.folder / "chaos"

    @property
    def undisturbed(self) -> Path:
        """Run folder of the other one."""
        return self.folder / "undisturbed"

    def command(self, *words: object) -> list[str]:
        """A command line."""
        return [sys.executable, "-m", self.program, *map(str, words)]

    def drive(self, out: Path, *more: object) -> list[str]:
        """The command of a run."""
        routes = ("--routes", self.folder / "routes.xml", "--agent", self.agent)
        return self.command("run", "builtin", *routes, "--out", out, *LIMITS, *more)


@dataclass
class Told:
    """What was done, and what was found.

    Attributes:
        blows: What was done to whom -> how often.
        starts: Of the driver.
        attempts: Reason, or "counts" -> attempts.
        wall_s: Of the disturbed run.
        faults: Why the claim does not hold.
    """

    blows: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    attempts: Counter[str] = field(default_factory=Counter)
    wall_s: float = 0.0
    faults: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--routes", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=float, default=15.0, help="seconds between two blows [default: 15]")
    parser.add_argument("--out", type=Path, help="folder for both runs; runs that are there go on [default: a new one]")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    folder = given.out or Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.mkdir(parents=True, exist_ok=True)
    if not given.out:
        print(f"runs and logs, as long as it goes on or has found a fault: {folder}", file=sys.stderr)
    chaos = Chaos(given.routes, given.workers, given.seed, given.every, folder.absolute())
    told = unleash(chaos)
    print(json.dumps(as_json(chaos, told), indent=1) if given.json else text(chaos, told))
    if not given.out and not told.faults:
        shutil.rmtree(folder)
    return 1 if told.faults else 0


def unleash(chaos: Chaos) -> Told:
    """Both runs, and what became of them."""
    (chaos.folder / "routes.xml").write_bytes(copied_routes(chaos.routes))
    log = chaos.folder / "undisturbed.log"
    with log.open("ab") as out:
        calm = chaos.drive(chaos.undisturbed, "--servers", chaos.workers)
        if code := subprocess.run(calm, check=False, env=environment(), stdout=out, stderr=out).returncode:
            raise SystemExit(f"the undisturbed run left with {code}: {log}")
    told = Told()
    began_s = time.monotonic()
    Storm(chaos, told).blow()
    told.wall_s = time.monotonic() - began_s
    verify(chaos, told)
    return told


def copied_routes(count: int) -> bytes:
    """So many routes: the short part again and again, the id of a copy is 1000 a round further."""
    file = read_routes(routes_path(), "demo")
    elements = []
    for number in range(count):
        turn, place = divmod(number, len(file.routes))
        route = file.routes[place]
        own = file.content[route.start : route.end]
        elements.append(re.sub(rb'id="[0-9]+"', b'id="%d"' % (int(route.id) + 1000 * turn), own, count=1))
    return b"<routes>\n" + b"\n".join(elements) + b"\n</routes>\n"


class Storm:
    """The disturbed run while it goes on."""

    def __init__(self, chaos: Chaos, told: Told) -> None:
        self._chaos, self._told = chaos, told
        self._blows, self._faults = random.Random(f"{chaos.seed} blows"), random.Random(f"{chaos.seed} faults")
        self._log = (chaos.folder / "chaos.log").open("ab")

    def blow(self) -> None:
        """Until the driver has no route left; then all end by themselves."""
        driver, workers = self._driver(), [self._worker() for _ in range(self._chaos.workers)]
        next_s = self._next()
        try:
            while (code := driver.poll()) != 0:
                if code is not None:
                    driver = self._again(code)
                workers = [self._worker() if one.poll() is not None else one for one in workers]
                if time.monotonic() >= next_s:
                    self._strike(driver, workers)
                    next_s = self._next()
                time.sleep(LOOK_S)
            self._until_all_have_left(workers)
        finally:
            for one in (driver, *workers):
                one.kill()
                one.wait()
            self._log.close()

    def _until_all_have_left(self, workers: list[subprocess.Popen[bytes]]) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while any(one.poll() is None for one in workers) and time.monotonic() < until_s:
            time.sleep(LOOK_S)
        self._told.faults += [f"worker {one.pid} does not end" for one in workers if one.poll() is None]

    def _next(self) -> float:
        return time.monotonic() + self._blows.expovariate(1 / self._chaos.every_s)

    def _strike(self, driver: subprocess.Popen[bytes], workers: list[subprocess.Popen[bytes]]) -> None:
        word, draw = self._blows.choice(("preempted", "killed")), self._blows.random()
        victim = self._blows.choice(workers)
        if draw < DRIVER_KILLED:
            self._told.blows["driver killed"] += 1
            driver.kill()
            return
        self._told.blows[f"worker {word}"] += 1
        victim.send_signal(signal.SIGTERM if word == "preempted" else signal.SIGKILL)

    def _again(self, code: int) -> subprocess.Popen[bytes]:
        if code not in (STOPPED, -signal.SIGKILL) or self._told.starts >= STARTS:
            raise SystemExit(f"the driver left with {code}: {self._log.name}")
        self._told.blows["driver stopped by failures in a row"] += code == STOPPED
        return self._driver()

    def _driver(self) -> subprocess.Popen[bytes]:
        self._told.starts += 1
        more = ("--engine", "workers", "--max-attempts", ATTEMPTS)
        return self._start(self._chaos.drive(self._chaos.run, *more), {})

    def _worker(self) -> subprocess.Popen[bytes]:
        """With servers that fail at a tick of its own."""
        kind, tick = self._faults.choice(("crash", "hang", "oom-exit")), self._faults.randint(*self._chaos.ticks)
        scratch = self._chaos.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        words = self._chaos.command("worker", self._chaos.run, "--servers", 1, "--scratch", scratch, "--wait", WAIT_S)
        return self._start(words, {"BESTRAND_HEADLESS_OPTIONS": f"--fault {kind}@tick={tick}"})

    def _start(self, words: list[str], more: dict[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(words, env={**environment(), **more}, stdout=self._log, stderr=self._log)


def verify(chaos: Chaos, told: Told) -> None:
    """Hold what is stored against the claim."""
    attempts = AttemptStore(Layout(chaos.run), repair=False).attempts
    told.attempts.update("counts" if one.counts else str(one.reason.value if one.reason else "") for one in attempts)
    numbers: dict[str, list[int]] = {}
    for one in attempts:
        numbers.setdefault(one.key.route_id, []).append(one.number)
    told.faults += [f"route {name}: attempts {n}" for name, n in numbers.items() if n != list(range(1, len(n) + 1))]
    wanted, found = records(chaos.undisturbed, told), records(chaos.run, told)
    told.faults += [f"route {name}: no result" for name in wanted.keys() - found.keys()]
    told.faults += [f"route {name}: {found[name]}, undisturbed {wanted[name]}" for name in wanted.keys() & found.keys()
                    if found[name] != wanted[name]]  # fmt: skip
    if len(wanted) != chaos.routes:
        told.faults.append(f"the undisturbed run has {len(wanted)} results of {chaos.routes}")
    told.faults += [f"process {pid} is left" for pid in left_behind(chaos)]


def left_behind(chaos: Chaos) -> list[int]:
    """Ids of processes of the run; those of a worker that was killed last are given the time to end."""
    until_s = time.monotonic() + LEFT_S
    while True:
        folders = (chaos.run, *(chaos.folder / "scratch").iterdir())  # of a killed worker, after which none has begun
        left = [one.process.pid for folder in folders for one in marked(RUN, run_mark(folder))]
        if not left or time.monotonic() > until_s:
            return left
        time.sleep(LOOK_S)


def records(out: Path, told: Told) -> dict[str, Any]:
    """Route -> what its one attempt that counts was scored: status, scores, infractions."""
    store, found = AttemptStore(Layout(out), repair=False), dict[str, Any]()
    for one in store.attempts:
        if not one.counts:
            continue
        if one.key.route_id in found:
            told.faults.append(f"route {one.key.route_id}: two attempts count in {out.name}")
        (record,) = json.loads(store.result(one))["_checkpoint"]["records"]
        found[one.key.route_id] = {name: record[name] for name in ("status", "scores", "infractions")}
    return found


def as_json(chaos: Chaos, told: Told) -> dict[str, Any]:
    """All of it."""
    counts = {"blows": dict(told.blows), "attempts": dict(told.attempts)}
    asked = {"routes": chaos.routes, "workers": chaos.workers, "seed": chaos.seed, "every_s": chaos.every_s}
    return {**asked, **counts, "driver_starts": told.starts, "wall_s": round(told.wall_s, 1), "faults": told.faults}


def text(chaos: Chaos, told: Told) -> str:
    """For people."""

    def listed(counts: Counter[str]) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()) if count) or "none"

    asked = f"{chaos.routes} routes, {chaos.workers} workers, seed {chaos.seed}, a blow every {chaos.every_s:g} s"
    lines = [
        f"{asked}: {told.wall_s / 60:.1f} min",
        f"blows: {listed(told.blows)}; the driver was started {told.starts} times",
        f"attempts: {listed(told.attempts)}",
        *(f"FAULT: {fault}" for fault in told.faults),
    ]
    if not told.faults:
        lines.append("every route has exactly one attempt that counts, and the score of the undisturbed run")
    return "\n".join(lines)


if __name__ == "__main__":
    end_by_sigterm()
    sys.exit(main())
