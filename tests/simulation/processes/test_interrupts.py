"""Signals are counted while the block runs, and work as before after it."""

from __future__ import annotations

import signal

import pytest

from bestrand_drive.simulation.processes.interrupts import interrupts


@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGTERM), (signal.SIGHUP, signal.SIGTERM)]
)
def test_the_first_asks_and_the_second_forces(numbers):
    before = [signal.getsignal(number) for number in numbers]
    with interrupts() as heard:
        assert (heard.asked, heard.forced, heard.first) == (False, False, None)
        signal.raise_signal(numbers[0])
        assert (heard.asked, heard.forced, heard.first) == (True, False, numbers[0])
        signal.raise_signal(numbers[1])
        assert (heard.asked, heard.forced, heard.first) == (True, True, numbers[0])
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_hang_up_that_nohup_ignores_stays_ignored():
    """F12."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts() as heard:
            signal.raise_signal(signal.SIGHUP)
            assert not heard.asked
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_handlers_come_back_after_an_error():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError), interrupts():
        raise RuntimeError
    assert signal.getsignal(signal.SIGINT) is before
