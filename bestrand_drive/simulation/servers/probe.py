"""Does a server answer? One remote call, written by hand: nothing of a client's weight or threads is needed for it."""

from __future__ import annotations

import socket
import sys
import time
from dataclasses import dataclass
from enum import Enum

_REQUEST = b"\x94\x00\x01\xa7version\x91\x91\xc2"
"""MessagePack-RPC: ``[0, 1, "version", [[false]]]``: request number 1, whose one argument says "not asynchronously"."""
_REPLY = b"\x94\x01\x01\xc0"
"""``[1, 1, nil, ...``: the reply to number 1, no error."""
_LONGEST = 1024


class Health(str, Enum):
    """What a server does."""

    ANSWERS = "answers"
    SILENT = "silent"
    """It accepts connections (or the kernel does for it) and says nothing in time."""
    CLOSED = "closed"
    """Nobody listens, or the connection was closed."""
    FOREIGN = "foreign"
    """Something else than CARLA answers."""


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        health: What the server does.
        version: As it announces it; "" unless it answers.
    """

    health: Health
    version: str = ""


def ask_version(port: int, limit_s: float) -> Answer:
    """Make the call ``version`` on this machine.

    Args:
        port: Of remote calls.
        limit_s: Seconds for all of it.
    """
    until = time.monotonic() + limit_s
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as connection:
            connection.sendall(_REQUEST)
            return _read(connection, until)
    except TimeoutError:
        return Answer(Health.SILENT)
    except OSError:
        return Answer(Health.CLOSED)


def _read(connection: socket.socket, until: float) -> Answer:
    reply = b""
    while len(reply) < _LONGEST and (left := until - time.monotonic()) > 0:
        connection.settimeout(left)
        part = connection.recv(_LONGEST)
        if not part:
            return Answer(Health.CLOSED)
        reply += part
        if not reply.startswith(_REPLY[: len(reply)]):
            return Answer(Health.FOREIGN)
        text = announced(reply)
        if text is not None:
            return Answer(Health.ANSWERS, text)
    return Answer(Health.FOREIGN if len(reply) >= _LONGEST else Health.SILENT)


def announced(reply: bytes) -> str | None:
    """The version in a reply; None while it is not whole.

    A result is ``[[1, text]]``: CARLA's wrapped response, in which 1 marks a value. Nesting and marks are passed over.
    """
    place = len(_REPLY)
    while place < len(reply):
        kind = reply[place]
        if 0xA0 <= kind <= 0xBF:  # a text of up to 31 bytes
            return _text(reply, place + 1, kind & 0x1F)
        if kind == 0xD9:  # a text of up to 255 bytes
            return _text(reply, place + 2, reply[place + 1]) if place + 1 < len(reply) else None
        place += 1  # heads of short arrays and small numbers are one byte each
    return None


def _text(reply: bytes, start: int, length: int) -> str | None:
    content = reply[start : start + length]
    return content.decode("utf-8", "replace") if len(content) == length else None


def wait(port: int, limit_s: float, pause_s: float = 0.2) -> bool:
    """Whether a server answers in time; for lines in a shell."""
    until = time.monotonic() + limit_s
    while (left := until - time.monotonic()) > 0:
        if ask_version(port, min(2.0, left)).health is Health.ANSWERS:
            return True
        time.sleep(pause_s)
    return False


if __name__ == "__main__":
    sys.exit(None if wait(int(sys.argv[1]), float(sys.argv[2])) else f"no server answers on port {sys.argv[1]}")
