"""Runs of the study: each policy by ``bestrand run`` in a folder of its own, seed by seed."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.files import shipped_folder
from bestrand_drive.workflows.running.probe_file import ProbeEntry, read_probe_file


@dataclass(frozen=True)
class Task:
    """What is driven.

    Attributes:
        runs: Folder of the run folders.
        seeds: Traffic seeds, the repeats of a run.
        servers: Routes at the same time.
        part: Of the shipped routes, "" for all.
        port_base: First port, None for the command's default.
    """

    runs: Path
    seeds: int
    servers: int
    part: str = ""
    port_base: int | None = None


def policies() -> dict[str, tuple[ProbeEntry, ...]]:
    """The study's policies by role: probes, and the targets that are estimated from them."""
    folder = shipped_folder("probes")
    return {
        "probe": read_probe_file(folder / "rule_based.yaml"),
        "target": read_probe_file(folder / "rule_based_targets.yaml"),
    }


def drive(task: Task) -> None:
    """Run everything that has no result yet: the first seed of all policies before the second of any.

    Raises:
        SystemExit: A run was stopped or is incomplete; the same command goes on.
    """
    task.runs.mkdir(parents=True, exist_ok=True)
    every = [entry for entries in policies().values() for entry in entries]
    for seed in range(task.seeds):
        for number, entry in enumerate(every, 1):
            print(f"seed {seed + 1} of {task.seeds}, policy {number} of {len(every)}: {entry.name}", flush=True)
            code = _run(command(task, entry, seed))
            if code:
                raise SystemExit(code)


def _run(words: list[str]) -> int:
    """Run a command to its end; a signal to this process is the command's, which ends in peace by it."""
    with subprocess.Popen(words) as process:
        before = {
            number: signal.signal(number, lambda told, _: process.send_signal(told))
            for number in (signal.SIGTERM, signal.SIGHUP)
        }
        try:
            return process.wait()
        except KeyboardInterrupt:  # the terminal told the command, too
            return process.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def command(task: Task, entry: ProbeEntry, seed: int) -> list[str]:
    """``bestrand run`` of one policy and seed."""
    optional = {"--part": task.part, "--agent-config": entry.config, "--port-base": task.port_base}
    return [
        *(sys.executable, "-m", "bestrand_drive", "run", "builtin", "--agent", entry.agent),
        *("--out", str(task.runs / entry.name), "--policy-name", entry.name, "--servers", str(task.servers)),
        *("--repeats", str(task.seeds), "--repeat", str(seed)),
        *(word for name, value in optional.items() if value for word in (name, str(value))),
    ]
