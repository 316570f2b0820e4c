"""``kept/``: what a failed route left behind, for people to look at, up to a quota."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bestrand_drive.benchmarks.outcomes import SUCCESS_STATUSES
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.slots.cell import Finished

MIB = 1 << 20


class What(str, Enum):
    """What can be kept."""

    RECORD = "record"
    """CARLA's recording of the drive."""
    LOG = "log"
    """The evaluator's output."""
    AGENT = "agent"
    """What the agent wrote into SAVE_PATH."""


class Failure(str, Enum):
    """Whose failures are meant."""

    ANY = "any"
    POLICY = "policy"
    INFRASTRUCTURE = "infrastructure"


def parse_what(text: str) -> frozenset[What]:
    """Read ``record,log,agent``.

    Raises:
        UsageError: There is no such thing.
    """
    names = [part.strip() for part in text.split(",") if part.strip()]
    for name in names:
        if name not in {kind.value for kind in What}:
            raise UsageError(f"--keep-on-failure {name}: keep record, log, agent, or several with commas between.")
    return frozenset(map(What, names))


def failed(attempt: Attempt) -> bool:
    """Whether a route failed: it has no result, or the drive did not come to its end."""
    return not attempt.counts or attempt.status not in SUCCESS_STATUSES


@dataclass(frozen=True)
class Keeper:
    """Keeps what was asked for.

    Attributes:
        layout: Of the run folder.
        what: To keep; nothing by default.
        failure: Of whose failures.
        quota_bytes: For all of ``kept/``; when it is reached, nothing more is kept.
    """

    layout: Layout
    what: frozenset[What] = frozenset()
    failure: Failure = Failure.ANY
    quota_bytes: int = 4096 * MIB

    def keep(self, finished: Finished) -> str:
        """Keep what an attempt left, if it is one to keep; what there is to say of it, or ""."""
        attempt = finished.attempt
        if attempt is None or not self._concerns(attempt):
            return ""
        parts = [(source, name) for source, name in self._parts(finished) if source.exists()]
        needed = sum(folder_bytes(source) for source, _ in parts)
        if folder_bytes(self.layout.kept) + needed > self.quota_bytes:
            return f"not kept: kept/ would be over its quota of {self.quota_bytes // MIB} MiB (--keep-quota-mib)"
        target = self.layout.kept / finished.cell.name
        target.mkdir(parents=True, exist_ok=True)
        for source, name in parts:
            _move(source, target / name)
        return f"kept in {target}"

    def _concerns(self, attempt: Attempt) -> bool:
        if not self.what or not failed(attempt):
            return False
        return self.failure is Failure.ANY or (self.failure is Failure.POLICY) == attempt.of_policy

    def _parts(self, finished: Finished) -> Iterator[tuple[Path, str]]:
        """The route and the result are always among them: they are small, and tell what the rest is."""
        yield finished.work / "routes", "routes"
        yield finished.work / "result.json", "result.json"
        if What.RECORD in self.what:
            yield finished.work / "record", "record"
        if What.AGENT in self.what:
            yield finished.work / "agent", "agent"
        if What.LOG in self.what:
            yield finished.log, "log.txt"


def folder_bytes(path: Path) -> int:
    """Size of a file, or of all files in a folder; links are not followed."""
    if path.is_file() and not path.is_symlink():
        return path.stat().st_size
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total


def _move(source: Path, target: Path) -> None:
    """Scratch is moved, a log is copied: it is named in the attempt's record."""
    if source.suffix == ".log":
        shutil.copyfile(source, target)
    elif not target.exists():
        shutil.move(source, target)  # scratch may be on another file system
