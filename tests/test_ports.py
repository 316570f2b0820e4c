"""Ports for servers of tests."""

import socket

from tests.ports import free_ports


def test_they_are_free_with_their_successors_and_not_told_twice():
    told = [free_ports(10) for _ in range(20)]
    assert len(set(told)) == 20
    for port in range(told[0], told[0] + 10):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_taken_ones_are_passed_over():
    first = free_ports(1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first + 10))
        assert free_ports(1) not in {first, first + 10}
