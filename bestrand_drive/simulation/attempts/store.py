"""The attempts of a run folder: immutable files, put where none is, listed with everything damaged set apart.

An attempt is there when its record ``<n>.json`` is there; the result ``<n>.result.json`` is written before it, so that
a process killed in between leaves a result without a record, which counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.result_files import METRIC_INFO
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import PARTIAL, read_bytes, sha256_bytes, write_new
from bestrand_drive.simulation.attempts.layout import METRIC_NAME, RECORD_NAME, RESULT_NAME, Layout
from bestrand_drive.simulation.attempts.quarantine import set_aside
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt, NewerSchema, parse_attempt
from bestrand_drive.simulation.attempts.stops import AttemptName, Stop, excused_by, read_stop, stop_of


@dataclass(frozen=True)
class Damage:
    """A file of the store that cannot be used, and why."""

    path: Path
    why: str


class AttemptStore:
    """What was tried in a run folder.

    Attributes:
        layout: Of the run folder.
        damage: What was found unusable when the store was opened.
    """

    def __init__(self, layout: Layout, *, repair: bool) -> None:
        """Read the store.

        Args:
            layout: Of the run folder.
            repair: Move damaged files into the quarantine and remove temporaries; only for who holds the driver's lock.

        Raises:
            DataRefused: A later version of this package wrote an attempt.
        """
        self.layout = layout
        self.damage: tuple[Damage, ...] = ()
        self._attempts: dict[Path, Attempt] = {}
        self._stops: dict[Path, Stop] = {}
        found = [Damage(path, fault) for path in self._paths() if (fault := self._read(path)) is not None]
        self.damage = tuple(found)
        if repair:
            self._repair()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All whole attempts: by route, repeat and number."""
        return tuple(sorted(self._attempts.values(), key=lambda attempt: (*attempt.key.cell, attempt.number)))

    @property
    def excused(self) -> frozenset[AttemptName]:
        """Attempts of streaks that stopped a start or drained a GPU: they are not counted against their routes."""
        return excused_by(self._attempts.values(), self._stops.values())

    def put_stop(
        self, attempts: Sequence[Attempt], reason: Reason, host: str | None = None, gpu: str | None = None
    ) -> None:
        """Write down that these attempts failed in a row, and that it is not their routes'.

        Args:
            attempts: All without a result for one reason.
            reason: It.
            host: Where alone they failed so; None where the whole start did.
            gpu: Which one there.

        Raises:
            OSError: The disk is full or not writable; everything that was there still is.
        """
        stop = stop_of(attempts, reason, host, gpu)
        numbers = [int(match[1]) for path in self.layout.stops.glob("*") if (match := RECORD_NAME.fullmatch(path.name))]
        self.layout.stops.mkdir(exist_ok=True)
        path = self.layout.stops / f"{1 + max(numbers, default=0)}.json"
        write_new(path, stop.to_json())
        self._stops[path] = stop

    def next_number(self, cell: tuple[str, int]) -> int:
        """The number of the next attempt at a route and repeat."""
        return 1 + max((one.number for one in self._attempts.values() if one.key.cell == cell), default=0)

    def put(self, attempt: Attempt, result: bytes | None, metric_info: bytes | None = None) -> Attempt:
        """Store an attempt. Putting the same one again changes nothing.

        Args:
            attempt: Its result file and hash are filled in here.
            result: What the evaluator wrote, verbatim; None when it wrote no file.
            metric_info: What the agent wrote of each step, None without.

        Returns:
            The attempt as stored.

        Raises:
            DataRefused: Another attempt with that number is there.
            OSError: The disk is full or not writable; everything that was there still is.
        """
        named = (
            {"result_file": attempt.result_name, "result_sha256": sha256_bytes(result)} if result is not None else {}
        )
        attempt = Attempt.model_validate(attempt.model_dump() | {"result_file": None, "result_sha256": None} | named)
        folder = self.layout.attempts / attempt.key.folder
        folder.mkdir(parents=True, exist_ok=True)
        record = folder / f"{attempt.number}.json"
        if record.exists():
            return self._same(record, attempt)
        if result is not None:
            self._put_result(folder / attempt.result_name, result)
        if metric_info is not None:
            self._put_result(folder / f"{attempt.number}.{METRIC_INFO}", metric_info)
        try:
            write_new(record, attempt.to_json())
        except FileExistsError:
            return self._same(record, attempt)
        self._attempts[record] = attempt
        return attempt

    def result(self, attempt: Attempt) -> bytes:
        """What the evaluator wrote.

        Raises:
            DataRefused: There is no file, or not the one that was stored.
        """
        path = self.layout.attempts / attempt.key.folder / attempt.result_name
        content = read_bytes(path)
        if sha256_bytes(content) != attempt.result_sha256:
            raise DataRefused(f"{path}: changed since the attempt was stored. Take the file back from a copy.")
        return content

    def metric_info(self, attempt: Attempt) -> bytes | None:
        """What the agent wrote of each step; None when it wrote nothing."""
        path = self.layout.attempts / attempt.key.folder / f"{attempt.number}.{METRIC_INFO}"
        return read_bytes(path) if path.is_file() else None

    def _paths(self) -> list[Path]:
        places = *self.layout.attempts.glob("*/*.json"), *self.layout.stops.glob("*.json")
        return sorted(path for path in places if RECORD_NAME.fullmatch(path.name))

    def _read(self, path: Path) -> str | None:
        """Take in one record; what is wrong with it, or None."""
        try:
            if path.parent == self.layout.stops:
                self._stops[path] = read_stop(path)
                return None
            attempt = parse_attempt(read_bytes(path), path)
            place = f"{attempt.key.folder}/{attempt.number}.json"
            if place != f"{path.parent.name}/{path.name}":
                return f"it is the record of {place}"
            if attempt.result_file is not None:
                self.result(attempt)
        except NewerSchema:
            raise
        except DataRefused as error:
            return str(error)
        self._attempts[path] = attempt
        return None

    def _put_result(self, path: Path, content: bytes) -> None:
        """Write a result; one without a record, left by a killed process, is moved aside unless it is the same."""
        if path.exists() and path.read_bytes() == content:
            return
        if path.exists():
            set_aside(path, self.layout)
        write_new(path, content)

    def _same(self, record: Path, attempt: Attempt) -> Attempt:
        if record.read_bytes() != attempt.to_json():
            raise DataRefused(
                f"{record}: another attempt {attempt.number} is stored there, and nothing is overwritten. "
                "Do two programs write to this run folder?"
            )
        self._attempts[record] = attempt
        return attempt

    def _repair(self) -> None:
        for damage in self.damage:
            set_aside(damage.path, self.layout)
        for path in self._leftovers():
            if path.name.endswith(PARTIAL):
                path.unlink(missing_ok=True)
            else:
                set_aside(path, self.layout)

    def _leftovers(self) -> Iterator[Path]:
        """Temporaries, and results whose record is not (or no longer) there."""
        for path in (*self.layout.attempts.glob("*/*"), *self.layout.stops.glob(f".*{PARTIAL}")):
            number = RESULT_NAME.fullmatch(path.name) or METRIC_NAME.fullmatch(path.name)
            if path.name.endswith(PARTIAL) or (number and not path.with_name(f"{number[1]}.json").exists()):
                yield path
