"""Servers and real clients side by side for minutes: are ticks lost, does memory grow, do servers end well?

    scripts/soak_headless --maps FOLDER [--minutes 10] [--servers 4] [--vehicles 20]
        [--towns Town01 Town02] [--fault ORDER ...] [--json]

Every server has one client (``soak_client.py``). A client that makes no progress is killed, one that ended by itself is
looked at, and a new one takes its place; stalls and aborts of the client are known faults of its own and are counted.
It leaves with 1 when a tick was lost, a server ended otherwise than with 0, a client failed in another way, or the
memory of a server grows by more than LEAK_MIB_PER_MIN beyond two standard errors.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from headless_processes import ROOT, add_maps_option, end, environment, server
from workers import end_by_sigterm

sys.path.append(str(ROOT))
from tests.headless.client.known_faults import abort

STALL_S = 45.0
SAMPLE_S = 0.5
WARM_UP = 0.25
"""Share of the time before memory counts: towns are loaded and caches fill."""
BLOCKS = 12
LEAK_MIB_PER_MIN = 0.5
OVER = threading.Event()
"""Set when the script is told to end; its threads would go on."""
LOST = ("lost_frames", "lost_snapshots", "lost_imu")


@dataclass
class Watch:
    """What is known of one server and its clients.

    Attributes:
        counts: Ticks, loads, what was lost, stalls, aborts and failures of clients.
        memory: Seconds since the start and resident MiB.
        code: What the server ended with.
        failures: Last words of clients that failed otherwise.
    """

    counts: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)
    code: int | None = None
    failures: list[str] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--vehicles", type=int, default=20)
    parser.add_argument("--towns", nargs="+", default=["Town01", "Town02"])
    parser.add_argument("--fault", action="append", default=[], help="order a fault, to see that this script notices")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    add_maps_option(parser)
    options = parser.parse_args()
    with ThreadPoolExecutor(options.servers) as pool:
        try:
            rows = [row(watch) for watch in pool.map(lambda _: soak(options), range(options.servers))]
        except BaseException:
            OVER.set()
            raise
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        for number, one in enumerate(rows):
            print(f"server {number}: " + ", ".join(f"{name} {value}" for name, value in one.items()))
    return 1 if any(bad(one) for one in rows) else 0


def soak(options: argparse.Namespace) -> Watch:
    """One server, and clients until the time is over."""
    watch, start = Watch(), time.monotonic()
    deadline = start + 60.0 * options.minutes
    faults = [f"--fault={fault}" for fault in options.fault]
    with server(options.maps, options.towns[0], "--synchronous", *faults) as (port, process):
        done = threading.Event()
        sampler = threading.Thread(target=_sample, args=(watch, process.pid, done, start))
        sampler.start()
        try:
            while (left_s := deadline - time.monotonic()) > 0 and process.poll() is None and not OVER.is_set():
                attend(watch, options, port, left_s)
        finally:
            done.set()
            sampler.join()
        watch.code = end(process)
    return watch


def _sample(watch: Watch, pid: int, done: threading.Event, start_s: float) -> None:
    """Resident memory of a process, until it is done or gone."""
    while not done.wait(SAMPLE_S):
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError, IndexError):
            return
        watch.memory.append((time.monotonic() - start_s, pages * os.sysconf("SC_PAGESIZE") / 2**20))


def attend(watch: Watch, options: argparse.Namespace, port: int, seconds: float) -> None:
    """One client to its end."""
    program = Path(__file__).with_name("soak_client.py")
    command = [sys.executable, str(program), str(port), str(seconds), str(options.vehicles), *options.towns]
    with tempfile.TemporaryDirectory() as folder:
        out, errors = Path(folder, "out"), Path(folder, "errors")
        with out.open("w") as output, errors.open("w") as complaints:
            process = subprocess.Popen(command, stdout=output, stderr=complaints, env=environment())
        try:
            stalled = _stalls(process, out)
        finally:
            process.kill()
            process.wait()
        _count(watch, out.read_text(), errors.read_text(), process.returncode, stalled)


def _stalls(process: subprocess.Popen[bytes], out: Path) -> bool:
    """Wait for a client; whether it made no progress."""
    size, since_s = 0, time.monotonic()
    while process.poll() is None and not OVER.wait(0.1):
        if (now := out.stat().st_size) != size:
            size, since_s = now, time.monotonic()
        elif time.monotonic() - since_s > STALL_S:
            return True
    return False


def _count(watch: Watch, out: str, errors: str, code: int, stalled: bool) -> None:
    """Add up a client's whole lines, and say how it ended."""
    for line in out.splitlines(keepends=True):
        if line.endswith("\n") and "beat" not in line:
            watch.counts.update(json.loads(line), rounds=1)
    if stalled:
        watch.counts["stalls"] += 1
    elif abort(code, errors):
        watch.counts["aborts"] += 1
    elif code:
        watch.failures.append(f"{code}: {errors[-300:]}")


def slope(memory: list[tuple[float, float]]) -> tuple[float, float]:
    """Least-squares slope of memory over time and its standard error, both in MiB a minute.

    Neighbouring samples are alike, which would make the error look too small: means of ``BLOCKS`` equal parts are used.
    """
    late = [(at_s / 60.0, mib) for at_s, mib in memory if at_s >= WARM_UP * memory[-1][0]]
    if len(late) < BLOCKS:
        return float("nan"), float("nan")
    at, mib = (np.array([part.mean() for part in np.array_split(np.array(column), BLOCKS)]) for column in zip(*late))  # noqa: B905
    apart = at - at.mean()
    found = float(apart @ mib / (apart @ apart))
    rest = mib - mib.mean() - found * apart
    return found, float(np.sqrt(rest @ rest / (BLOCKS - 2) / (apart @ apart)))


def row(watch: Watch) -> dict[str, object]:
    """One server's results."""
    growth, error = slope(watch.memory) if watch.memory else (float("nan"), float("nan"))
    names = ("rounds", "ticks", "loads", *LOST, "stalls", "aborts")
    return {
        **{name: watch.counts[name] for name in names},
        "mib": round(watch.memory[-1][1], 1) if watch.memory else None,
        "mib_per_min": round(growth, 3),
        "standard_error": round(error, 3),
        "code": watch.code,
        "failures": watch.failures,
    }


def bad(one: dict[str, object]) -> bool:
    """Whether anything is wrong with a server."""
    growth, error = float(str(one["mib_per_min"])), float(str(one["standard_error"]))
    leaks = growth - 2.0 * error > LEAK_MIB_PER_MIN
    return bool(leaks or one["code"] or one["failures"] or not one["ticks"] or any(one[name] for name in LOST))


if __name__ == "__main__":
    end_by_sigterm()
    sys.exit(main())
