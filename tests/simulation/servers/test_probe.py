"""The remote call written by hand: the bytes are MessagePack's, and every way to be wrong has its word."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgpack
import pytest

from bestrand_drive.simulation.servers.probe import _REQUEST, Answer, Health, announced, ask_version


@contextmanager
def server(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that does something with its first connection; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with listener.accept()[0] as peer:
                behave(peer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def reply(text: str, number: int = 1) -> bytes:
    return msgpack.packb([1, number, None, [[1, text]]])


def say(*parts: bytes, pause_s: float = 0.0) -> Callable[[socket.socket], None]:
    def behave(peer: socket.socket) -> None:
        peer.recv(100)
        for part in parts:
            peer.sendall(part)
            time.sleep(pause_s)

    return behave


def test_the_request_is_messagepacks():
    assert msgpack.packb([0, 1, "version", [[False]]]) == _REQUEST


@pytest.mark.parametrize("text", ["0.9.15", "", "0.9.15-187-g8b3d", "x" * 31, "y" * 32, "z" * 255, "é"])
def test_a_version_is_read_from_every_cut_of_the_reply(text):
    whole = reply(text)
    assert announced(whole) == text
    for size in range(len(whole)):
        assert announced(whole[:size]) is None
    with server(say(*(whole[place : place + 1] for place in range(len(whole))))) as port:
        assert ask_version(port, 10) == Answer(Health.ANSWERS, text)


def test_who_says_nothing_is_silent():
    with server(lambda peer: peer.recv(100) and peer.recv(1)) as port:
        assert ask_version(port, 0.1).health is Health.SILENT


def test_drops_of_an_answer_do_not_hold_up():
    """The limit is for all of it, not for each byte."""
    drops = [bytes([byte]) for byte in reply("z" * 200)]

    def behave(peer: socket.socket) -> None:
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            say(*drops, pause_s=0.02)(peer)

    with server(behave) as port:
        assert ask_version(port, 0.2).health is Health.SILENT


def test_a_hung_process_is_silent():
    """The kernel takes the connection in its place."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert ask_version(listener.getsockname()[1], 0.1).health is Health.SILENT


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert ask_version(port, 5).health is Health.CLOSED


def test_a_connection_that_is_closed():
    with server(say()) as port:
        assert ask_version(port, 5).health is Health.CLOSED


@pytest.mark.parametrize(
    "content",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", reply("0.9.15", number=2), msgpack.packb([1, 1, "no such call", None])],
)
def test_another_program_answers(content):
    with server(say(content)) as port:
        assert ask_version(port, 5).health is Health.FOREIGN


def test_an_answer_without_end_is_no_version():
    with server(say(msgpack.packb([1, 1, None, [1] * 3])[:4] + b"\x91" * 5000)) as port:
        assert ask_version(port, 5).health is Health.FOREIGN
