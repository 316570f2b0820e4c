"""Why an attempt has no result: one word each, the infrastructure's but for ``AGENT_HANG`` and ``WALL_LIMIT``."""

from __future__ import annotations

from enum import Enum

from bestrand_drive.benchmarks.outcomes import Outcome


class Reason(str, Enum):
    """Reason words of attempts without a result."""

    SIMULATION_CRASH = "simulation_crash"
    EVALUATOR_DEFECT = "evaluator_defect"
    """The built-in evaluator raised an error of its own while the simulator was well: a bug, named in the detail."""
    SETUP_FAILED = "setup_failed"
    SENSORS_INVALID = "sensors_invalid"
    UNFINISHED = "unfinished"
    """The evaluator's record was never ended."""
    UNKNOWN_STATUS = "unknown_status"
    NOT_A_NUMBER = "not_a_number"
    """The score is NaN or infinite."""
    NO_RECORD = "no_record"
    AGENT_IMPORT = "agent_import"
    """The evaluator could not import the agent."""
    CORRUPT_RESULT = "corrupt_result"
    FOREIGN_RESULT = "foreign_result"
    """The file tells of another route, or of several."""
    EVALUATOR_KILLED = "evaluator_killed"
    """A signal ended the evaluator before it wrote a record, or its supervisor, with which it goes."""
    WORKER_LOST = "worker_lost"
    """The worker that made the attempt was killed, or fell silent with its node."""
    LOAD_HANG = "load_hang"
    TICK_HANG = "tick_hang"
    TM_STALL = "tm_stall"
    NO_PROGRESS = "no_progress"
    AGENT_HANG = "agent_hang"
    """The policy's: its own code did not come back. It ends its route and repeat, without a score."""
    WALL_LIMIT = "wall_limit"
    """The policy's: its drive was not over at the user's limit. It ends its route and repeat, without a score."""
    PORT_TAKEN = "port_taken"
    GPU_MEMORY = "gpu_memory"
    SERVER_NOT_READY = "server_not_ready"
    INTERRUPTED = "interrupted"
    """We were told to stop; such an attempt leaves no record."""


_OF_POLICY = {Reason.AGENT_HANG: Outcome.AGENT_HUNG, Reason.WALL_LIMIT: Outcome.OVER_LIMIT}


def outcome_of(reason: Reason) -> Outcome:
    """Whose doing it is that there is no result."""
    return _OF_POLICY.get(reason, Outcome.INFRASTRUCTURE)
