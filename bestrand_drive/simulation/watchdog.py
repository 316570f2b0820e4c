"""Whether a running attempt still gets anywhere.

Each verdict is the infrastructure's, but for two: a policy that drives badly, crashes, or takes too long for a step is
ended by the evaluator's own clocks (``--timeout``), and its record says so. They are left to act first wherever they
can tell something: between calls of CARLA, and while a world is loaded, which is slow. Not in a tick: one that takes
minutes is not the policy's, whoever ends it, and most often never comes back. What remains is that nothing moves:

====================  ==============================================  =================================
verdict               signs                                           limit
====================  ==============================================  =================================
``server_not_ready``  before the first world, and no server answers   ``ready_s``
``simulation_crash``  a server that answered is gone                  ``gone_s``
``load_hang``         in a call that loads a world                    ``load_s``, or as below
``tm_stall``          in a tick, and the server answers others        ``tick_s``
``tick_hang``         in a tick, and the server does not answer       ``tick_s``
``no_progress``       in the evaluator's or the agent's code          its ``--timeout`` and ``grace_s``
``agent_hang``        the same, the server answers, and the main      the same
                      thread's stack shows the agent's own code, or
                      cannot be shown though the world was stepped
``no_progress``       before the first world, and the server answers  ``start_s``
``wall_limit``        the world was stepped, and the server is there  ``wall_s``
                      (without hooks: the server answers); before
                      that the reason is what is waited for
====================  ==============================================  =================================

A ``tm_stall`` is CARLA's own fault: a TrafficManager in synchronous mode can miss a wake-up, and then ``world.tick``
never comes back, whatever time-out the client has. A log that tells of a full GPU or a taken port gives its reason to
a server that does not answer. ``agent_hang`` and ``wall_limit`` are the policy's: they are not tried again, or a policy
that hangs or gets stuck on hard routes would be until it is lucky. (The evaluator's own clock interrupts Python, not a
call that does not return to it.)
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
        load_s: In a call that loads a world; None for ``timeout_s``, after which the evaluator's client gives up, and
            ``grace_s``.
        tick_s: In a tick.
        grace_s: Given to the evaluator's own clocks beyond ``timeout_s``.
        gone_s: That a server which was there may be gone, so that the evaluator can write its record.
        wall_s: Of the whole attempt; None for no limit.
    """

    timeout_s: float
    ready_s: float = 300.0
    start_s: float = 900.0
    load_s: float | None = None
    tick_s: float = 120.0
    grace_s: float = 60.0
    gone_s: float = 30.0
    wall_s: float | None = None

    @property
    def own_clocks_s(self) -> float:
        """When the evaluator's own clocks have had their time."""
        return self.timeout_s + self.grace_s

    @property
    def loading_s(self) -> float:
        """For a call that loads a world."""
        return self.own_clocks_s if self.load_s is None else self.load_s


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

    def unseen(self) -> Verdict:
        """The same, when no stack could be printed: some agents take the signal that asks for it, or hold all up."""
        text = f"{self.text}; no stack could be printed, which is taken for the agent's doing"
        return replace(self, reason=Reason.AGENT_HANG, text=text)


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
            return self._over(look, f"the attempt takes longer than {limits.wall_s:.0f} s")
        if self._gone_s > limits.gone_s:
            return Reason.SIMULATION_CRASH, f"the server has been gone for {self._gone_s:.0f} s"
        if self._blind(look):
            return None, ""
        reason, limit_s, where = self._waits(look)
        if self._still_s <= limit_s:
            return None, ""
        return reason, f"{where} for {self._still_s:.0f} s; the server {look.server.value}"

    def _blind(self, look: Look) -> bool:
        """Whether there are no hooks, or its Python leaves them out: a result without a heartbeat."""
        return not self._hooks or (look.beat is None and look.result_mtime_ns is not None)

    def _over(self, look: Look, text: str) -> tuple[Reason, str]:
        """The whole takes too long: the policy's doing once it drives, before that the fault of what is waited for."""
        if self._answered and look.server is Server.GONE:
            return Reason.SIMULATION_CRASH, f"{text}; the server {look.server.value}"
        drives = look.server is Server.ANSWERS if self._blind(look) else look.beat is not None and look.beat.ticks > 0
        if drives:
            return Reason.WALL_LIMIT, text
        reason, _, where = self._waits(look)
        return reason, f"{text}; {where}; the server {look.server.value}"

    def _waits(self, look: Look) -> tuple[Reason, float, str]:
        """What is wrong if this lasts, for longer than how many seconds, and what it is in words."""
        limits, state = self._limits, look.beat.state if look.beat else State.START
        if state is State.LOAD:
            return Reason.LOAD_HANG, limits.loading_s, "loading a world"
        if state is State.TICK:
            stalled = look.server is Server.ANSWERS
            return Reason.TM_STALL if stalled else Reason.TICK_HANG, limits.tick_s, "in one tick"
        if state is State.BETWEEN:
            return Reason.NO_PROGRESS, limits.own_clocks_s, _OWN_CODE
        if look.server in _ABSENT and limits.ready_s <= limits.start_s:
            return Reason.SERVER_NOT_READY, limits.ready_s, "no world was asked for"
        return Reason.NO_PROGRESS, limits.start_s, "no world was asked for"

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
