"""Whose socket listens on a port, by the kernel's own tables."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from bestrand_drive.simulation.servers import listener
from bestrand_drive.simulation.servers.listener import is_strangers

HELD = "import socket; held = socket.create_server(('127.0.0.1', 0)); print(held.getsockname()[1], flush=True); input()"


@pytest.fixture
def other():
    """Another program that listens; its process and its port."""
    with subprocess.Popen([sys.executable, "-c", HELD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process.pid, int(process.stdout.readline())
        process.communicate(b"\n")


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::")])
def test_our_own_is_no_strangers(family, host, other):
    with socket.create_server((host, 0), family=family) as ours:
        port = ours.getsockname()[1]
        assert not is_strangers(port, [os.getpid()])
        assert not is_strangers(port, [other[0], os.getpid()]), "any of the tree"
        assert is_strangers(port, [other[0]])
        assert is_strangers(port, []), "nobody of ours is left"


def test_a_port_on_which_nobody_listens_is_nobodys(other):
    """Neither one that is only bound, nor one that is talked to."""
    pid, port = other
    with socket.socket() as bound, socket.create_connection(("127.0.0.1", port)) as talks:
        bound.bind(("127.0.0.1", 0))
        for one in (bound, talks):
            assert not is_strangers(one.getsockname()[1], [pid])


def test_what_may_not_be_looked_at_may_be_ours(other, monkeypatch):
    """A server that was started as another user; the tables of a kernel that hides them tell nothing either."""
    _, port = other
    assert is_strangers(port, [os.getpid()])

    def refuse(place):
        raise PermissionError(place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", refuse)
        assert not is_strangers(port, [os.getpid()])
    monkeypatch.setattr(listener, "_TABLES", ("/proc/net/absent",))
    assert not is_strangers(port, [os.getpid()])


def test_a_process_that_has_ended_holds_nothing(other):
    _, port = other
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    assert is_strangers(port, [ended.pid])
