"""What a run folder tells beyond its results: attempts, ends of their logs, commands that run a route once more."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.benchmarks.run_header import read_header
from bestrand_drive.reports.data import Try
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.run_folder import RunInfo, read_run
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.slots.keeping import failed
from bestrand_drive.workflows.running.last_request import kept_request
from bestrand_drive.workflows.running.run_again import again_line
from bestrand_drive.workflows.running.run_request import RunRequest

TAIL_BYTES = 8192
"""Read from the end of a log: more is never shown."""


@dataclass(frozen=True)
class Tried:
    """A run folder.

    Attributes:
        layout: Where things lie in it.
        info: What it is a run of.
        by_route: Route id without leading zeros -> its attempts, in order.
        request: What its last start was asked for, None when it does not say.
        damage: What cannot be used in it.
    """

    layout: Layout
    info: RunInfo
    by_route: dict[str, tuple[Attempt, ...]]
    request: RunRequest | None
    damage: tuple[str, ...]

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All of them."""
        return tuple(one for made in self.by_route.values() for one in made)

    def again(self, route: str) -> tuple[str, ...]:
        """Commands that run a route's repeats once more."""
        if self.request is None:
            return ()
        repeats = dict.fromkeys((one.key.route_id, one.key.repeat) for one in self.by_route.get(route, ()))
        return tuple(again_line(self.request, name, repeat) for name, repeat in repeats)

    def last_failed(self, routes: tuple[str, ...]) -> Attempt | None:
        """The last attempt at some routes that has no result or did not come to its end; None when none is."""
        made = [one for route in routes for one in self.by_route.get(route, ()) if failed(one)]
        return made[-1] if made else None

    def tail(self, attempt: Attempt) -> str:
        """The end of its log, as text; the lines that tell why when the log is gone; nothing from elsewhere."""
        for name in attempt.logs:
            path = self.layout.logs / name
            if path.resolve().is_relative_to(self.layout.logs.resolve()) and path.is_file():
                return _end(path)
        return "\n".join(attempt.log_lines)


def tried_in(results: Path) -> Tried | None:
    """What a run folder tells; None when it is none.

    Raises:
        DataRefused: ``run.json`` is damaged, or a later version wrote it.
    """
    if not results.is_dir() or read_header(results) is None:
        return None
    layout = Layout(results)
    store = AttemptStore(layout, repair=False)
    made: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in store.attempts:
        made[route_number(attempt.key.route_id)].append(attempt)
    return Tried(
        layout,
        read_run(results),
        {route: tuple(attempts) for route, attempts in made.items()},
        kept_request(results),
        tuple(damage.why for damage in store.damage),
    )


def as_try(attempt: Attempt) -> Try:
    """An attempt in a report's terms."""
    place = ", GPU ".join(str(part) for part in (attempt.host, attempt.gpu) if part is not None)
    return Try(
        route=attempt.key.route_id,
        repeat=attempt.key.repeat,
        number=attempt.number,
        outcome=attempt.outcome.value,
        said=attempt.reason.value if attempt.reason else attempt.status,
        minutes=None if attempt.wall_s is None else round(attempt.wall_s / 60, 3),
        place=place,
    )


def _end(path: Path) -> str:
    """The last whole lines."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(size - TAIL_BYTES, 0))
        text = stream.read().decode("utf-8", "replace")
    return text if size <= TAIL_BYTES else text.partition("\n")[2]
