"""How an attempt ended: judged from what the evaluator wrote and from how its process ended.

The rule that keeps retries honest: a finished record with a status of the policy counts, whatever happened to the
processes afterwards, and is never tried again. Only where there is no such record does anything else decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestrand_drive.benchmarks.outcomes import WITH_SCORE, Outcome, classify
from bestrand_drive.benchmarks.record_ids import identify_record
from bestrand_drive.benchmarks.record_parsing import RouteRecord, parse_record, record_id
from bestrand_drive.benchmarks.result_files import records_of
from bestrand_drive.benchmarks.strict_json import parse_json
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import printable
from bestrand_drive.simulation.attempts.reasons import Reason, outcome_of

_OF_STATUS = {
    "Failed - Simulation crashed": Reason.SIMULATION_CRASH,
    "Failed - Agent couldn't be set up": Reason.SETUP_FAILED,
    "Failed - Agent's sensors were invalid": Reason.SENSORS_INVALID,
    "Started": Reason.UNFINISHED,
    "": Reason.UNFINISHED,
}
_TELLING = (Reason.GPU_MEMORY, Reason.PORT_TAKEN, Reason.EVALUATOR_DEFECT)
"""Log signatures that say more than the evaluator's own status."""


@dataclass(frozen=True)
class Ending:
    """How the evaluator's process ended.

    Attributes:
        exit_code: Of the evaluator; negative for a signal, None when it is not known.
        verdict: The watchdog's, when it ended the attempt. The result must then be what the file held at the moment
            of the verdict, before anything was killed: what an evaluator writes while its server is taken away is not
            the policy's.
        signature: What the log says (``signatures.scan``).
        crash: What the log gives as the cause of the agent's own crash.
        server_died: The server ended by itself before the evaluator wrote the record.
        lost: The evaluator's supervisor was killed, and the evaluator with it.
        interrupted: We were told to stop before it had ended (Ctrl-C, preemption).
    """

    exit_code: int | None = 0
    verdict: Reason | None = None
    signature: Reason | None = None
    crash: Reason | None = None
    server_died: bool = False
    lost: bool = False
    interrupted: bool = False


@dataclass(frozen=True)
class Judgement:
    """What an attempt counts as.

    Attributes:
        outcome: ``INFRASTRUCTURE`` is tried again, all others are the policy's.
        reason: None exactly when it counts.
        status: As the evaluator wrote it, "" without a record.
        detail: What was wrong, for people; "" when nothing was.
        game_s: Simulated seconds, None when not recorded.
        system_s: Wall seconds of the drive, None when not recorded.
    """

    outcome: Outcome
    reason: Reason | None
    status: str = ""
    detail: str = ""
    game_s: float | None = None
    system_s: float | None = None

    @property
    def counts(self) -> bool:
        """Whether it is the policy's result."""
        return self.outcome in WITH_SCORE

    @property
    def kept(self) -> bool:
        """Whether it leaves a record: an interrupted attempt without a result is none."""
        return self.reason is not Reason.INTERRUPTED


def judge(result: bytes | None, ending: Ending, *, route_id: str, benchmark: str) -> Judgement:
    """Judge one attempt.

    Args:
        result: What the evaluator wrote, None when there is no file.
        ending: How it ended.
        route_id: The one route that was to be driven.
        benchmark: Whose evaluator it was.
    """
    record, fault, detail = _read(result, route_id, benchmark)
    if record is None:
        reason = _without_record(fault, ending)
        return Judgement(outcome_of(reason), reason, detail=printable(detail))
    return judge_record(record, ending)


def judge_record(record: RouteRecord, ending: Ending) -> Judgement:
    """Judge an attempt whose record could be read."""
    reason = _reason(record, ending)
    return Judgement(
        record.outcome if reason is None else outcome_of(reason),
        reason,
        printable(record.status),
        printable(record.reason),
        _finite(record.duration_game_s),
        _finite(record.duration_system_s),
    )


def _read(result: bytes | None, route_id: str, benchmark: str) -> tuple[RouteRecord | None, Reason, str]:
    """The one record of a result, or why there is none, in a word and in words."""
    if result is None:
        return None, Reason.NO_RECORD, "the evaluator wrote no file"
    where = "the result"
    try:
        records = records_of(parse_json(result, where), where) or ()
        if not records:
            return None, Reason.NO_RECORD, "the evaluator's file holds no record"
        key = identify_record(record_id(records[0], where), "", benchmark)
        if len(records) > 1 or key is None or key.route_id != str(int(route_id)):
            return None, Reason.FOREIGN_RESULT, f"{len(records)} records, the first of route {records[0]['route_id']}"
        record = parse_record(records[0], route_id=route_id, repeat=key.rep, source="", where=where)
    except DataRefused as error:
        return None, Reason.CORRUPT_RESULT, str(error)
    return record, Reason.NO_RECORD, ""


def _reason(record: RouteRecord, ending: Ending) -> Reason | None:
    """Why a record does not count, or None."""
    if record.outcome is Outcome.SCORED:
        return None
    if record.outcome is Outcome.AGENT_CRASHED:  # its own fault, unless something was taken from under it
        taken = _taken(ending)
        return Reason.INTERRUPTED if taken and ending.interrupted else taken
    if ending.interrupted:
        return Reason.INTERRUPTED
    said = _of_status(record.status)
    return _verdict(ending, said) or (ending.signature if ending.signature in _TELLING else None) or said


def _verdict(ending: Ending, said: Reason) -> Reason | None:
    """The watchdog's, but for one against the policy after a drive that the evaluator had ended for another reason."""
    against = ending.verdict is not None and outcome_of(ending.verdict) is not Outcome.INFRASTRUCTURE
    return None if against and said is not Reason.UNFINISHED else ending.verdict


def _taken(ending: Ending) -> Reason | None:
    """What an agent lost, its server or its memory; None for neither."""
    if ending.crash is Reason.GPU_MEMORY or (ending.server_died and ending.signature is Reason.GPU_MEMORY):
        return Reason.GPU_MEMORY
    return Reason.SIMULATION_CRASH if ending.server_died else None


def _of_status(status: str) -> Reason:
    if classify(status)[0] is not Outcome.INFRASTRUCTURE:
        return Reason.NOT_A_NUMBER
    return _OF_STATUS.get(status, Reason.UNKNOWN_STATUS)


def _without_record(fault: Reason, ending: Ending) -> Reason:
    if ending.interrupted:
        return Reason.INTERRUPTED
    if ending.verdict:
        return ending.verdict
    if fault is not Reason.NO_RECORD:
        return fault
    return _of_ending(ending)


def _of_ending(ending: Ending) -> Reason:
    """By the processes and their words."""
    if ending.lost:
        return Reason.EVALUATOR_KILLED
    if ending.signature:
        return ending.signature
    if ending.server_died:
        return Reason.SIMULATION_CRASH
    return Reason.EVALUATOR_KILLED if (ending.exit_code or 0) < 0 else Reason.NO_RECORD


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
