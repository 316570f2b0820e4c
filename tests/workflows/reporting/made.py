"""Run folders for reports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bestrand_drive.simulation.attempts.identity import PolicyIdentity
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.run_folder import EvaluatorRef, RoutesRef, RunInfo
from bestrand_drive.simulation.attempts.view import place
from bestrand_drive.workflows.running.last_request import keep_request
from bestrand_drive.workflows.running.run_request import RunRequest
from tests.simulation.attempts.made import empty_store, failed, key, scored


def run_folder(root: Path, records: Iterable[dict[str, Any]], *, log: str = "boom\n", name: str = "mine") -> Path:
    """A run of which each of these records counts, at the first try or at the second.

    Every third route had a crash of the simulator first; the last one has only crashes.
    """
    store, records = empty_store(root), list(records)
    layout = Layout(root)
    layout.logs.mkdir()
    for number, record in enumerate(records):
        of = key(record["route_id"].split("_")[1])
        tried = 1
        if number % 3 == 0:
            store.put(_crash(layout, of, tried, log), None)
            tried += 1
        if number == len(records) - 1:
            store.put(_crash(layout, of, tried, log), None)
            continue
        (layout.logs / f"{of.route_id}-{tried}.log").write_text(f"drove {of.route_id}\n")
        attempt = scored(
            tried,
            of,
            status=record["status"],
            logs=(f"{of.route_id}-{tried}.log",),
            wall_s=400.0,
            host="node7",
            gpu="0",
        )
        content = json.dumps({"_checkpoint": {"records": [record], "progress": [1, 1]}, "entry_status": "Finished"})
        place(store, store.put(attempt, content.encode()))
    layout.run_file.write_bytes(_info(name).to_json())
    agent = str(root.parent / "agent's.py")
    keep_request(
        layout, RunRequest("bench2drive", Path("b2d"), Path("suite"), agent, root, variables={"TOKEN": "secret"})
    )
    return root


def _crash(layout: Layout, of: Any, number: int, log: str) -> Any:
    (layout.logs / f"{of.route_id}-{number}.log").write_text(log)
    return failed(number, of, logs=(f"{of.route_id}-{number}.log",), wall_s=90.0, host="node7", gpu="0")


def _info(name: str) -> RunInfo:
    return RunInfo(
        schema="bestrand-run/1",
        benchmark="bench2drive",
        simulator="carla",
        policy=PolicyIdentity(name=name, declared="mine"),
        evaluator=EvaluatorRef(adapter="bench2drive/1", root="b2d", commit="7ec25d1"),
        routes=RoutesRef(path="suite/routes.xml", sha256="b" * 64, ids=()),
        repeats=1,
        created="2026-01-02T03:04:05+00:00",
    )
