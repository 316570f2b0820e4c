"""Why routes of a run folder have no result: what came of their attempts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from bestrand_drive.benchmarks.run_header import read_header
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore


def tried_in_vain(results: Path) -> dict[str, str]:
    """Route id -> how its attempts ended, for routes without a result; nothing when ``results`` is no run folder.

    Raises:
        DataRefused: A later version of this package wrote an attempt.
    """
    if not results.is_dir() or read_header(results) is None:
        return {}
    made: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in AttemptStore(Layout(results), repair=False).attempts:
        made[attempt.key.route_id].append(attempt)
    return {route: _said(attempts) for route, attempts in made.items() if not any(one.counts for one in attempts)}


def _said(attempts: Iterable[Attempt]) -> str:
    words = [attempt.reason.value for attempt in attempts if attempt.reason]
    return f"no result after {len(words)} attempt{'' if len(words) == 1 else 's'} ({', '.join(words)})"
