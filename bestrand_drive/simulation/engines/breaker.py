"""When one attempt after the other fails for the same reason on other routes, it is not the routes: stop and say it."""

from __future__ import annotations

from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt

_LEAST = 3
_AFTER_SUCCESS = 3
"""Times as many are waited for once some attempt had a result: some routes do crash every simulator."""
_LINES = 12
_END = 1 << 14


class Breaker:
    """Counts how many routes in a row failed for one reason.

    Args:
        servers: Slots: all of them meet the same fault once before anything can be done.
    """

    def __init__(self, servers: int) -> None:
        self._limit = max(_LEAST, servers)
        self._reason: Reason | None = None
        self._routes: set[str] = set()
        self._succeeded = False

    def add(self, attempt: Attempt, log: Path) -> None:
        """One more attempt, with the log that tells of it.

        Raises:
            EnvironmentFault: It is enough.
        """
        if attempt.counts:
            self._reason, self._routes = None, set()
            self._succeeded = True
            return
        if attempt.reason is not self._reason:
            self._reason, self._routes = attempt.reason, set()
        self._routes.add(attempt.key.route_id)
        if len(self._routes) >= self._limit * (_AFTER_SUCCESS if self._succeeded else 1):
            raise EnvironmentFault(self._message(attempt, log))

    def _message(self, attempt: Attempt, log: Path) -> str:
        reason = attempt.reason.value if attempt.reason else ""
        said = f"{len(self._routes)} routes in a row had no result for the same reason, {reason}"
        if attempt.detail:
            said += f" ({attempt.detail})"
        lines = "\n".join(f"  | {line}" for line in last_lines(log))
        return (
            f"{said}: it is hardly the routes. Nothing more is tried; the same command goes on once the cause is gone. "
            f"`bestrand doctor` looks for it. The end of {log}:\n{lines or '  | (nothing)'}"
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
