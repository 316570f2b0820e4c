"""Keys, attempts and results with known contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.conftest import Builders

KEY = AttemptKey(
    benchmark="bench2drive",
    route_id="1711",
    town="Town12",
    route_sha256="a" * 64,
    policy="id:mine",
    seed=0,
    repeat=0,
    simulator="carla",
    carla_version="0.9.15",
    evaluator_commit="7ec25d1",
    adapter="bench2drive/1",
)


def key(route: int | str = 1711, repeat: int = 0, **changes: Any) -> AttemptKey:
    """A key that differs from ``KEY`` as said."""
    return AttemptKey.model_validate(KEY.model_dump() | {"route_id": str(route), "repeat": repeat, **changes})


def result(route: int | str = 1711, status: str = "Completed", completion: float = 100.0, **extra: Any) -> bytes:
    """What an evaluator writes for one route."""
    record = Builders.record(f"RouteScenario_{route}_rep0", status, completion, **extra)
    checkpoint = {"global_record": {}, "progress": [1, 1], "records": [record]}
    return json.dumps({"_checkpoint": checkpoint, "entry_status": "Finished"}).encode()


def scored(number: int = 1, of: AttemptKey = KEY, **more: Any) -> Attempt:
    """An attempt that counts."""
    return Attempt(**{"key": of, "number": number, "outcome": Outcome.SCORED, "status": "Completed"} | more)


def failed(number: int = 1, of: AttemptKey = KEY, reason: Reason = Reason.SIMULATION_CRASH, **more: Any) -> Attempt:
    """An attempt without a result."""
    return Attempt(**{"key": of, "number": number, "outcome": Outcome.INFRASTRUCTURE, "reason": reason} | more)


def hung(number: int = 1, of: AttemptKey = KEY, **more: Any) -> Attempt:
    """An attempt whose agent did not come back."""
    return failed(number, of, Reason.AGENT_HANG, outcome=Outcome.AGENT_HUNG, **more)


def empty_store(root: Path, *, repair: bool = True) -> AttemptStore:
    """A store in a folder, made when it is not there."""
    layout = Layout(root)
    layout.attempts.mkdir(parents=True, exist_ok=True)
    return AttemptStore(layout, repair=repair)


def tree(root: Path) -> dict[str, bytes]:
    """Every file under a folder by relative name."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
