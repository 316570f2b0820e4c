"""At which load the results of run folders were made; other results tell nothing of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bestrand_drive.benchmarks.run_header import RESULTS, read_header
from bestrand_drive.files import sha256_bytes
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.loads import loads_of, mixture
from bestrand_drive.simulation.attempts.store import AttemptStore


def loads_in(results: Path) -> dict[int, int]:
    """Servers that shared a GPU -> results in ``results/`` of a run folder that were made so; {} for other places.

    Raises:
        DataRefused: A later version of this package wrote an attempt.
    """
    if not results.is_dir() or read_header(results) is None:
        return {}
    present = {sha256_bytes(path.read_bytes()) for path in (results / RESULTS).rglob("*.json")}
    made = AttemptStore(Layout(results), repair=False).attempts
    return loads_of(one for one in made if one.counts and one.result_sha256 in present)


def load_notes(paths: Sequence[Path]) -> list[str]:
    """What there is to say of the load of each of several policies, "" for nothing.

    Raises:
        DataRefused: See ``loads_in``.
    """
    loads = [loads_in(path) for path in paths]
    settings = sorted({servers for one in loads for servers in one})
    return [mixture(one) or _beside(one, settings) for one in loads]


def _beside(loads: dict[int, int], settings: Sequence[int]) -> str:
    """Of a policy whose own results were made alike, but not as others' were."""
    if not loads or len(settings) < 2:
        return ""
    others = ", ".join(str(one) for one in settings if one not in loads)
    return f"made with {next(iter(loads))} on a GPU, others with {others} servers: the load can change scores"
