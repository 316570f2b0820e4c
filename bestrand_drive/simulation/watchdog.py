"""Whether a running attempt still gets anywhere.

Each verdict is the infrastructure's, but for one: a policy that drives badly, crashes, or takes too long for a step is
ended by the evaluator's own clocks, which are left to act first, and its record says so. What remains is that nothing
moves:

====================  ==============================================  =================================
verdict               signs                                           limit
====================  ==============================================  =================================
``server_not_ready``  before the first world, and no server answers   ``ready_s``
``simulation_crash``  a server that answered is gone                  ``gone_s``
``load_hang``         in a call that loads a world                    ``load_s``
``tm_stall``          in a tick, and the server answers others        ``tick_s``
``tick_hang``         in a tick, and the server does not answer       ``tick_s``
``no_progress``       in the evaluator's or the agent's code          its ``--timeout`` and ``grace_s``
``agent_hang``        the same, the server answers, and the main      the same
                      thread's stack shows the agent's own code
``no_progress``       before the first world, and the server answers  ``start_s``
``wall_limit``        anything                                        ``wall_s``
====================  ==============================================  =================================

A ``tm_stall`` is CARLA's own fault: a TrafficManager in synchronous mode can miss a wake-up, and then ``world.tick``
never comes back, whatever time-out the client has. A log that tells of a full GPU or a taken port gives its reason to
a server that does not answer. An ``agent_hang`` is the policy's: it is not tried again, or a policy that hangs on hard
routes would be until it is lucky. (The evaluator's own clock interrupts Python, not a call that does not return to it.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import Signature
from bestrand_drive.simulation.heartbeat import Beat, State

_LONGEST_LOOK_S = 15.0
"""Time between two looks that counts at most: a driver that was itself stopped saw nothing in between."""
_OF_SERVERS = (Reason.GPU_MEMORY, Reason.PORT_TAKEN)
NO_LINES = Signature(None, ())
_OWN_CODE = "in the evaluator's or the agent's own code"


class Server(str, Enum):
    """What a probe of the server found."""

    ANSWERS = "answers"
    SILENT = "does not answer"
    """Something listens, but a call has no answer."""
    GONE = "is gone"
    """Nothing listens, or its process has ended."""
    UNKNOWN = "was not asked"


_ABSENT = (Server.SILENT, Server.GONE)


@dataclass(frozen=True)
class Limits:
    """Seconds without any sign of life.

    Attributes:
        timeout_s: The evaluator's own ``--timeout``: for a step of the agent, for its set-up, and for calls of CARLA.
        ready_s: Until the server answers for the first time.
        start_s: Until the first world is asked for, once it answers: the evaluator imports the agent before that.
        load_s: In a call that loads a world.
        tick_s: In a tick.
        grace_s: Given to the evaluator's own clocks beyond ``timeout_s``.
        gone_s: That a server which was there may be gone, so that the evaluator can write its record.
        wall_s: Of the whole attempt; None for no limit.
    """

    timeout_s: float
    ready_s: float = 300.0
    start_s: float = 900.0
    load_s: float = 400.0
    tick_s: float = 120.0
    grace_s: float = 60.0
    gone_s: float = 30.0
    wall_s: float | None = None


@dataclass(frozen=True)
class Look:
    """What is seen of an attempt at one moment.

    Attributes:
        now_s: Monotonic clock.
        alive: Whether the evaluator's process runs.
        beat: Of the hooks; None before ``carla`` is imported, and always without hooks.
        result_mtime_ns: Of the result file, None while there is none.
        server: What the probe found.
        signature: What the logs say so far.
    """

    now_s: float
    alive: bool = True
    beat: Beat | None = None
    result_mtime_ns: int | None = None
    server: Server = Server.UNKNOWN
    signature: Signature = NO_LINES


@dataclass(frozen=True)
class Verdict:
    """What to think of an attempt.

    Attributes:
        reason: None while all is well; else the attempt is to be ended, and this is why.
        text: The same for people.
        evidence: What it rests on.
        between: Whether nothing but the evaluator's or the agent's code can be why: no call of CARLA runs, and the
            server answers.
    """

    reason: Reason | None = None
    text: str = ""
    evidence: tuple[str, ...] = ()
    between: bool = False

    @property
    def fine(self) -> bool:
        """Whether the attempt may go on."""
        return self.reason is None

    def of_agent(self) -> Verdict:
        """The same, after a look at the stacks has found the agent's own code."""
        return replace(self, reason=Reason.AGENT_HANG, text=self.text.replace(_OWN_CODE, "in the agent's own code"))


FINE = Verdict()


class Watchdog:
    """Looks at one attempt, again and again, at least every ten seconds or so (``_LONGEST_LOOK_S``).

    Args:
        limits: What is too long.
        hooks: Whether the evaluator runs with the hooks. Without, only the server and the wall clock are watched.
    """

    def __init__(self, limits: Limits, *, hooks: bool = True) -> None:
        self._limits, self._hooks = limits, hooks
        self._seen: Look | None = None
        self._age_s = self._still_s = self._gone_s = 0.0
        self._answered = False

    def look(self, look: Look) -> Verdict:
        """The verdict after one more look; the looks come in the order of time."""
        self._count(look)
        self._seen = look
        if not look.alive:
            return FINE
        reason, text = self._judge(look)
        if reason is None:
            return FINE
        if look.server is not Server.ANSWERS and look.signature.reason in _OF_SERVERS:
            reason = look.signature.reason
        between = reason is Reason.NO_PROGRESS and look.beat is not None and look.beat.state is State.BETWEEN
        return Verdict(reason, text, self._evidence(look), between and look.server is Server.ANSWERS)

    def _count(self, look: Look) -> None:
        """Let the clocks go on, or back to zero."""
        before = self._seen
        passed_s = min(max(look.now_s - before.now_s, 0.0), _LONGEST_LOOK_S) if before else 0.0
        moved = before is None or _moves(look) != _moves(before)
        self._age_s += passed_s
        self._still_s = 0.0 if moved else self._still_s + passed_s
        self._answered |= look.server is Server.ANSWERS
        gone = self._answered and look.server is Server.GONE
        self._gone_s = self._gone_s + passed_s if gone else 0.0

    def _judge(self, look: Look) -> tuple[Reason | None, str]:
        limits = self._limits
        if limits.wall_s is not None and self._age_s > limits.wall_s:
            return Reason.WALL_LIMIT, f"the attempt takes longer than {limits.wall_s:.0f} s"
        if self._gone_s > limits.gone_s:
            return Reason.SIMULATION_CRASH, f"the server has been gone for {self._gone_s:.0f} s"
        if not self._hooks or (look.beat is None and look.result_mtime_ns is not None):
            return None, ""  # no hooks, or its Python leaves them out: a result without a heartbeat
        return self._judge_state(look.beat.state if look.beat else State.START, look.server)

    def _judge_state(self, state: State, server: Server) -> tuple[Reason | None, str]:
        """By what the evaluator does, and for how long it has."""
        limits, since = self._limits, f"for {self._still_s:.0f} s; the server {server.value}"
        if state is State.START and server in _ABSENT and self._still_s > limits.ready_s:
            return Reason.SERVER_NOT_READY, f"no world was asked for {since}"
        if state is State.START and self._still_s > limits.start_s:
            return Reason.NO_PROGRESS, f"no world was asked for {since}"
        if state is State.LOAD and self._still_s > limits.load_s:
            return Reason.LOAD_HANG, f"loading a world {since}"
        if state is State.TICK and self._still_s > limits.tick_s:
            reason = Reason.TM_STALL if server is Server.ANSWERS else Reason.TICK_HANG
            return reason, f"in one tick {since}"
        if state is State.BETWEEN and self._still_s > limits.timeout_s + limits.grace_s:
            return Reason.NO_PROGRESS, f"{_OWN_CODE} {since}"
        return None, ""

    def _evidence(self, look: Look) -> tuple[str, ...]:
        beat = look.beat
        where = "no heartbeat"
        if beat:
            where = f"{beat.state.name.lower()} in {beat.town or 'no town'}, {beat.ticks} ticks, frame {beat.frame}"
        result = "no result file" if look.result_mtime_ns is None else "a result file"
        return (where, f"server {look.server.value}", result, *look.signature.lines)


def _moves(look: Look) -> tuple[int | None, int | None]:
    """What changes while an evaluator works."""
    return (look.beat.changes if look.beat else None), look.result_mtime_ns
