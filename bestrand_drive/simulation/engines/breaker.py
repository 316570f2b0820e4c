"""When one attempt after the other fails for the same reason on other routes, it is not the routes: stop and say it."""

from __future__ import annotations

from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt

_LEAST = 3
_AFTER_SUCCESS = 3
"""Times as many are waited for once some attempt was the policy's: some routes do crash every simulator."""
_LINES = 12
_END = 1 << 14


class Breaker:
    """Counts how many routes in a row failed for one reason.

    Args:
        servers: Slots at the beginning: all of them meet the same fault once before anything can be done.
        succeeded: Whether the policy was driven here before, in this start or an earlier one. Otherwise a few routes
            that always fail, being all that is left, would stop every start, and never come to their cap.
    """

    def __init__(self, servers: int, *, succeeded: bool = False) -> None:
        self._limit = max(_LEAST, servers)
        self._streak: list[Attempt] = []
        self._succeeded = succeeded
        self._broken = False

    def expect(self, servers: int) -> None:
        """So many slots are there now, as workers that came or a user who asked for more gave them."""
        self._limit = max(self._limit, servers)

    def add(self, attempt: Attempt, *, open_elsewhere: bool = False) -> tuple[Attempt, ...]:
        """One more attempt.

        Args:
            attempt: It.
            open_elsewhere: Whether a place at which nothing is known to fail is at work: then it may be the others.

        Returns:
            Attempts of which it is known now that they failed for no fault of their routes: the whole streak when this
            one makes it long enough, this one alone when it joins a streak that was, else none.
        """
        if self._broken:
            return (attempt,) if attempt.reason is self._streak[-1].reason else ()
        if attempt.of_policy:  # a hang, too, shows that it can be driven here
            self._succeeded = True
        if attempt.of_policy or (self._streak and attempt.reason is not self._streak[-1].reason):
            self._streak = []
        if not attempt.of_policy:
            self._streak.append(attempt)
        enough = min(self._routes, self._events) >= self._limit * (_AFTER_SUCCESS if self._succeeded else 1)
        self._broken = enough and not open_elsewhere
        return tuple(self._streak) if self._broken else ()

    @property
    def _routes(self) -> int:
        return len({attempt.key.route_id for attempt in self._streak})

    @property
    def _events(self) -> int:
        """What went wrong: a worker that is lost takes the attempts of all its slots with it, which name it alike."""
        lost = {one.detail for one in self._streak if one.reason is Reason.WORKER_LOST}
        return len(lost) or len(self._streak)

    def check(self, log: Path) -> None:
        """Stop when the streak is long enough.

        Args:
            log: Of the last attempt.

        Raises:
            EnvironmentFault: It is.
        """
        if self._broken:
            raise EnvironmentFault(self._message(self._streak[-1], log))

    def _message(self, attempt: Attempt, log: Path) -> str:
        reason = attempt.reason.value if attempt.reason else ""
        said = f"{self._routes} routes in a row had no result for the same reason, {reason}"
        if attempt.detail:
            said += f" ({attempt.detail})"
        lines = "\n".join(f"  | {line}" for line in last_lines(log))
        return (
            f"{said}: it is hardly the routes. Nothing more is tried, and these attempts are not counted against "
            f"--max-attempts; the same command goes on once the cause is gone. `bestrand doctor` looks for it. "
            f"The end of {log}:\n{lines or '  | (nothing)'}"
        )


def last_lines(log: Path) -> list[str]:
    """The last lines of a log that say something; none when there is no log."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(log.stat().st_size - _END, 0))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line.rstrip()[:200] for line in text.splitlines() if line.strip()][-_LINES:]
