"""What the client itself does wrong, with any server: recognised, run again a few times, counted, told at the end.

The one list of it, for the tests and ``scripts/soak_headless``; docs/headless.md names the same.
"""

from __future__ import annotations

import signal
from collections import Counter
from typing import Any, Protocol

FAULTS = "known_faults_of_the_client"
"""Name of the property of a test's report: every fault that it met, by name."""
ABORTS = ("close: Bad file descriptor", "bad_weak_ptr", "std::bad_cast")
"""Last words of a client in which two threads used one stream (see ``wire/tokens.py``)."""
CRASH = "Fatal Python error: Segmentation fault"
"""And what faulthandler says of those that the same mistake lets crash."""
STALL, ABORT = "TrafficManager stalls", "aborts of the client"


class KnownFault(Exception):
    """A program ended by a fault of the client.

    Attributes:
        name: Which.
    """

    def __init__(self, name: str, details: str) -> None:
        super().__init__(details)
        self.name = name


def abort(code: int, errors: str) -> KnownFault | None:
    """The fault that ended a process, or none of the known ones.

    A crash counts only in a thread of the client's own, as faulthandler shows: it names a current thread where Python
    called the client, and a call that always crashes must not pass for chance.
    """
    said = [words for words in ABORTS if words in errors]
    if code == -signal.SIGABRT and said:
        return KnownFault(ABORT, f"the client ended itself: {said[0]}")
    if code == -signal.SIGSEGV and CRASH in errors and "Current thread" not in errors:
        return KnownFault(ABORT, "the client crashed in a thread of its own")
    return None


class Terminal(Protocol):
    """What a summary is written to."""

    def getreports(self, name: str) -> list[Any]:
        """All reports of the run."""

    def write_line(self, line: str) -> None:
        """A line at its end."""


def pytest_terminal_summary(terminalreporter: Terminal) -> None:
    """How often programs were run again because of the client; silent where no client ran."""
    met = [
        value
        for report in terminalreporter.getreports("")
        if getattr(report, "when", "") == "teardown"
        for name, value in report.user_properties
        if name == FAULTS
    ]
    if met:
        counts = Counter(fault for faults in met for fault in faults)
        told = ", ".join(f"{counts[name]} {name}" for name in (STALL, ABORT))
        terminalreporter.write_line(f"real client: {len(met)} tests; run again for faults of its own: {told}")
