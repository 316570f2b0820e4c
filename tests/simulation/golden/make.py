"""Write the golden run folder of schema 1: ``python -m tests.simulation.golden.make FOLDER``.

A later schema gets a folder of its own; this one is never written again, so that old stores stay readable.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts.identity import PolicyIdentity
from bestrand_drive.simulation.attempts.plan import counted_attempts
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt, EvaluatorCheckout, Load
from bestrand_drive.simulation.attempts.run_folder import EvaluatorRef, RoutesRef, RunInfo, driving
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.attempts.view import rebuild
from tests.simulation.attempts.made import KEY, failed, key, result, scored

INFO = RunInfo(
    benchmark="bench2drive",
    simulator="carla",
    policy=PolicyIdentity(name="mine", declared="mine"),
    evaluator=EvaluatorRef(adapter="bench2drive/1", root="/b2d", commit="7ec25d1"),
    routes=RoutesRef(path="suite", sha256="e" * 64, ids=("1711", "1712", "1713")),
    repeats=2,
    created="2027-01-15T08:00:00.000+00:00",
)
FACTS = {
    "started": "2027-01-15T08:00:00.000+00:00",
    "ended": "2027-01-15T08:02:00.500+00:00",
    "wall_s": 120.5,
    "game_s": 20.0,
    "system_s": 60.0,
    "ticks": 400,
    "speed": 0.25,
    "load": Load(servers=4, servers_per_gpu=2, loadavg=3.5),
    "gpu": "NVIDIA A100",
    "host": "node1",
    "ports": (30000, 30001, 30002, 50000),
    "evaluator": EvaluatorCheckout(root="/b2d", commit="7ec25d1"),
    "python": "3.8.18",
    "carla_build": "0.9.15",
    "logs": ("evaluator.log", "server.log"),
}
PUT: tuple[tuple[Attempt, bytes | None], ...] = (
    (failed(1, reason=Reason.LOAD_HANG, log_lines=("Signal 11 caught.",), **FACTS), None),
    (failed(2, status="Failed - Simulation crashed"), result(status="Failed - Simulation crashed", completion=30.0)),
    (scored(3, **FACTS), result()),
    (scored(1, key(1711, 1, seed=1), status="Failed"), result(status="Failed", completion=40.0)),
    (
        scored(1, key(1712), outcome=Outcome.AGENT_CRASHED, status="Failed - Agent crashed"),
        result(1712, "Failed - Agent crashed", 5.0),
    ),
    (failed(1, key(1713), reason=Reason.CORRUPT_RESULT, detail="cut"), b'{"_checkpoint": {"rec'),
    (scored(2, key(1713, adapter=None, seed=None), adopted_from="old.json#7"), result(1713)),
)


def write(folder: Path) -> None:
    """Write the folder as a driver would."""
    with driving(folder, INFO) as (layout, _):
        store = AttemptStore(layout, repair=True)
        for attempt, content in PUT:
            store.put(attempt, content)
        rebuild(store, counted_attempts([], store.attempts, KEY))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
