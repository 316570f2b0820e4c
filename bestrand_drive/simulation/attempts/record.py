"""The record of one attempt (``<n>.json``): written once, when it has ended."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from bestrand_drive.benchmarks.outcomes import WITH_SCORE, Outcome
from bestrand_drive.benchmarks.strict_json import parse_json
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import dump_json
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.models import Finite, Frozen, Sha256, parse_model
from bestrand_drive.simulation.attempts.reasons import Reason, outcome_of

SCHEMA_VERSION = 1
Stamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$")]


class Load(Frozen):
    """What else the machine did, which can change results (scenario set-up waits on the wall clock).

    Attributes:
        servers: Of this run that could be at work on that host when it began, its own included.
        servers_per_gpu: Those of them on its GPU.
        loadavg: Of the host at its beginning.
    """

    servers: int
    servers_per_gpu: int
    loadavg: Finite


class EvaluatorCheckout(Frozen):
    """The benchmark's checkout that ran."""

    root: str
    commit: str


class Attempt(Frozen):
    """One attempt.

    Attributes:
        key: What was attempted.
        number: From 1, over all attempts at this route and repeat, whatever the build: the order in time.
        outcome: See ``outcome.judge``.
        reason: Why it has no result; None when it has one.
        status: As the evaluator wrote it.
        detail: What was wrong, for people.
        started: UTC.
        ended: UTC.
        wall_s: Of the whole attempt, by the monotonic clock.
        game_s: Simulated seconds by the evaluator.
        system_s: Wall seconds of the drive by the evaluator.
        ticks: Simulator steps counted.
        speed: Simulated seconds a wall second.
        load: Of the machine.
        gpu: On which it ran.
        host: On which it ran.
        ports: Of the server and the traffic manager.
        evaluator: The checkout.
        python: Of the evaluator.
        carla_build: As the server reports it.
        result_file: Name of the evaluator's file beside this one, None when it wrote none.
        result_sha256: Of that file.
        logs: Names under ``logs/``.
        log_lines: Lines of the log that tell why.
        adopted_from: File and index in the folder of earlier results that it was taken from; None for our own runs.
    """

    schema_version: Literal[1] = 1
    key: AttemptKey
    number: Annotated[int, Field(ge=1)]
    outcome: Outcome
    reason: Reason | None = None
    status: str = ""
    detail: str = ""
    started: Stamp | None = None
    ended: Stamp | None = None
    wall_s: Finite | None = None
    game_s: Finite | None = None
    system_s: Finite | None = None
    ticks: int | None = None
    speed: Finite | None = None
    load: Load | None = None
    gpu: str | None = None
    host: str | None = None
    ports: tuple[int, ...] = ()
    evaluator: EvaluatorCheckout | None = None
    python: str | None = None
    carla_build: str | None = None
    result_file: str | None = None
    result_sha256: Sha256 | None = None
    logs: tuple[str, ...] = ()
    log_lines: tuple[str, ...] = ()
    adopted_from: str | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Attempt:
        if self.counts != (self.reason is None):
            raise ValueError("an attempt has a reason exactly when it has no result of the policy")
        if self.reason is not None and self.outcome is not outcome_of(self.reason):
            raise ValueError("its outcome is not that of its reason")
        if (self.result_file is None) != (self.result_sha256 is None):
            raise ValueError("a result file goes with its hash")
        if self.result_file not in (None, self.result_name):
            raise ValueError(f"the result file of attempt {self.number} is {self.result_name}")
        return self

    @property
    def counts(self) -> bool:
        """Whether it is the policy's result, which ends its cell."""
        return self.outcome in WITH_SCORE

    @property
    def of_policy(self) -> bool:
        """Whether it is the policy's doing, with a result or without, and so ends its cell."""
        return self.outcome is not Outcome.INFRASTRUCTURE

    @property
    def result_name(self) -> str:
        """What its result file is called, if there is one."""
        return f"{self.number}.result.json"

    def to_json(self) -> bytes:
        """The file's bytes; equal attempts give equal bytes."""
        return dump_json(self.model_dump(mode="json"))


def parse_attempt(content: bytes, path: Path) -> Attempt:
    """Read an attempt.

    Raises:
        NewerSchema: A later version of this package wrote it.
        DataRefused: It is damaged.
    """
    refuse_newer("an attempt", SCHEMA_VERSION, content, path)
    return parse_model(Attempt, content, path)


def refuse_newer(what: str, known: int, content: bytes, path: Path) -> None:
    """Refuse a file of the store whose schema is a later one.

    Raises:
        NewerSchema: It is.
        DataRefused: It is no JSON.
    """
    raw = parse_json(content, str(path))
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > known:
        raise NewerSchema(
            f"{path}: {what} of schema {version}; this version reads {known}. Upgrade with "
            "`pip install --upgrade bestrand-drive`, or use the version that wrote it."
        )


class NewerSchema(DataRefused):
    """A file of a later version: whole, but not for us to judge or to move."""
