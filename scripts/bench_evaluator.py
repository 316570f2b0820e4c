"""Times real time of the built-in evaluator and the headless server together, on shipped routes, by agent.

    python scripts/bench_evaluator.py [--agent expert pure_pursuit] [--only 1,13,27] [--background 5]
        [--repetitions 2] [--check]

Wall time is that of the drives' ticks, as the evaluator records it. CPU time is of both processes, the difference of a
run that drives every route once and one that drives it ``--repetitions`` times more: what starting costs cancels.
On a machine that others use, only the CPU times mean something. With --check it leaves with 1 below 15 times real time
by wall time; nothing else should use the machine then.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headless_processes import ROOT, STEP_S, end, environment, server
from workers import end_by_sigterm

TARGET = 15.0
ROUTES = "3,13,22,27,34,47,63,69,82,97,110,117,126,131,137,144"
"""Of sixteen types, in both towns."""
TOWNS = ROOT / "route_configs/builtin/towns"


@dataclass(frozen=True)
class Cost:
    """What a run cost.

    Attributes:
        game_s: Simulated.
        wall_s: Of the ticks.
        evaluator_s, server_s: CPU time.
    """

    game_s: float
    wall_s: float
    evaluator_s: float
    server_s: float

    def without(self, less: Cost) -> Cost:
        """The difference."""
        pairs = zip(vars(self).values(), vars(less).values(), strict=True)
        return Cost(*(one - other for one, other in pairs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, measure, print; 1 when the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", nargs="+", default=["expert", "pure_pursuit"], help="of probes/")
    parser.add_argument("--only", default=ROUTES, help="ids of routes")
    parser.add_argument("--background", type=int, default=5, help="ambient vehicles")
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    slowest = min(_measure(agent, given) for agent in given.agent)
    if given.check and slowest < TARGET:
        print(f"missed: {slowest:.1f} x real time, not {TARGET:.0f}", file=sys.stderr)
        return 1
    return 0


def _measure(agent: str, given: argparse.Namespace) -> float:
    """One agent; times real time by wall time."""
    with server(TOWNS, "BestrandCity") as (port, process):
        once = _run(agent, given, 1, port, process.pid)
        more = _run(agent, given, 1 + given.repetitions, port, process.pid)
    loop = more.without(once)
    ticks = more.game_s / STEP_S
    busy_s, ms = loop.evaluator_s + loop.server_s, 1000.0 * STEP_S / loop.game_s
    start_s = once.evaluator_s + once.server_s - busy_s * once.game_s / loop.game_s
    print(
        f"{agent}: {more.game_s / more.wall_s:.1f} x real time by wall time ({ticks:.0f} ticks), "
        f"{loop.game_s / busy_s:.1f} x by CPU time; CPU a tick {loop.evaluator_s * ms:.2f} ms evaluator and agent, "
        f"{loop.server_s * ms:.2f} ms server (putting down and clearing away included); starting {start_s:.2f} s CPU",
        flush=True,
    )
    return more.game_s / more.wall_s


def _run(agent: str, given: argparse.Namespace, repetitions: int, port: int, served: int) -> Cost:
    """One evaluator process.

    Raises:
        SystemExit: It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [
            *(sys.executable, "-m", "bestrand_drive.evaluator", "--port", str(port), "--checkpoint", str(result)),
            *("--routes", str(TOWNS.parent / "routes.xml"), "--routes-subset", given.only),
            *("--agent", str(ROOT / f"probes/{agent}.py"), "--repetitions", str(repetitions)),
            *("--background", str(given.background)),
        ]
        before_s = _cpu_s(served)
        process = subprocess.Popen(command, env=environment(), cwd=folder, stdout=subprocess.DEVNULL)
        try:
            _, code, used = os.wait4(process.pid, 0)
        except BaseException:
            end(process)
            raise
        process.returncode = os.waitstatus_to_exitcode(code)
        if process.returncode:
            raise SystemExit(f"the evaluator left with {process.returncode}")
        records = json.loads(result.read_bytes())["_checkpoint"]["records"]
    game_s, system_s = (sum(one["meta"][name] for one in records) for name in ("duration_game", "duration_system"))
    return Cost(game_s, system_s, used.ru_utime + used.ru_stime, _cpu_s(served) - before_s)


def _cpu_s(number: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    end_by_sigterm()
    sys.exit(main())
