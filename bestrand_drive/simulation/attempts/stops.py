"""Why a start was stopped, or a GPU drained (``stops/<n>.json``): attempts that failed in a row, whatever the route.

Such a streak is the environment's. Its attempts stay as they are; the record says that they are not counted against
their routes' ``--max-attempts``, so that the same command can go on once the cause is gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bestrand_drive.files import dump_json, read_bytes
from bestrand_drive.simulation.attempts.models import Frozen, parse_model
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt, refuse_newer

SCHEMA_VERSION = 1
AttemptName = tuple[str, int]
"""Folder of an attempt's key, and its number."""


class StoppedAttempt(Frozen):
    """One attempt of the streak."""

    folder: str
    number: Annotated[int, Field(ge=1)]

    @property
    def name(self) -> AttemptName:
        """As its record is named."""
        return self.folder, self.number


class Stop(Frozen):
    """One streak, or what joined it while the rest was being ended.

    Attributes:
        reason: Of all its attempts.
        attempts: In the order of their ends.
        host: Where alone they failed so; None where the whole start did.
        gpu: Which one there, None where nobody chose one.
    """

    schema_version: Literal[1] = 1
    reason: Reason
    attempts: Annotated[tuple[StoppedAttempt, ...], Field(min_length=1)]
    host: str | None = None
    gpu: str | None = None

    def to_json(self) -> bytes:
        """The file's bytes."""
        return dump_json(self.model_dump(mode="json", exclude_none=True))


def stop_of(attempts: Iterable[Attempt], reason: Reason, host: str | None = None, gpu: str | None = None) -> Stop:
    """The record of a streak."""
    named = tuple(StoppedAttempt(folder=one.key.folder, number=one.number) for one in attempts)
    return Stop(reason=reason, attempts=named, host=host, gpu=gpu)


def name_of(attempt: Attempt) -> AttemptName:
    """How a stop names an attempt."""
    return attempt.key.folder, attempt.number


def read_stop(path: Path) -> Stop:
    """Read a stop.

    Raises:
        NewerSchema: A later version of this package wrote it.
        DataRefused: It is damaged.
    """
    content = read_bytes(path)
    refuse_newer("a stop", SCHEMA_VERSION, content, path)
    return parse_model(Stop, content, path)


def excused_by(attempts: Iterable[Attempt], stops: Iterable[Stop]) -> frozenset[AttemptName]:
    """Attempts that are not counted against their routes: named by a stop, and without a result for its reason.

    A stop can never take a result of the policy away: it is not looked at for an attempt that counts.
    """
    named = {(one.name, stop.reason) for stop in stops for one in stop.attempts}
    return frozenset(name_of(one) for one in attempts if not one.counts and (name_of(one), one.reason) in named)
