"""How the client's own faults are told from all others, run again, counted and told."""

import contextlib
import signal
import subprocess
from types import SimpleNamespace

import pytest

from tests.headless.client import harness
from tests.headless.client.clients import ROOT
from tests.headless.client.known_faults import (
    ABORT,
    ABORTS,
    CRASH,
    FAULTS,
    STALL,
    KnownFault,
    abort,
    pytest_terminal_summary,
)
from tests.headless.client.programs.pulse import Pulse

DOCUMENT = ROOT / "docs" / "headless.md"
LAST_WORDS = "terminate called after throwing\n  what():  close: Bad file descriptor [system:9]\n"


@pytest.mark.parametrize(
    ("code", "errors", "known"),
    [
        (-signal.SIGABRT, LAST_WORDS, True),
        (-signal.SIGABRT, "what():  std::bad_cast", True),
        (-signal.SIGABRT, "what():  bad_weak_ptr", True),
        (-signal.SIGABRT, "what():  time-out of 10000ms while waiting for the simulator", False),
        (-signal.SIGABRT, "", False),
        (-signal.SIGSEGV, LAST_WORDS, False),
        (-signal.SIGSEGV, f"{CRASH}\n\nThread 0x07f (most recent call first):\n", True),
        (-signal.SIGSEGV, f"{CRASH}\n\nCurrent thread 0x07f (most recent call first):\n", False),
        (1, LAST_WORDS, False),
        (0, "", False),
    ],
)
def test_only_an_abort_with_known_words_or_a_crash_in_a_thread_of_its_own_is_a_known_fault(code, errors, known):
    assert (abort(code, errors) is not None) is known


@pytest.mark.parametrize("words", ABORTS)
def test_the_documents_name_each(words):
    assert words in DOCUMENT.read_text()


@pytest.mark.parametrize(
    ("ticking", "managed", "error"),
    [(True, True, KnownFault), (True, False, AssertionError), (False, True, AssertionError)],
)
def test_only_silence_inside_a_tick_with_a_traffic_manager_is_a_stall(monkeypatch, tmp_path, ticking, managed, error):
    monkeypatch.setattr(harness, "STALL_S", 0.2)
    monkeypatch.setattr(harness, "IDLE_S", 0.6)
    pulse, errors = Pulse(tmp_path / "pulse"), tmp_path / "errors"
    errors.write_text("where its threads are")
    pulse.write(7, ticking=ticking, managed=managed)
    with subprocess.Popen(["sleep", "60"]) as process:
        with pytest.raises(error, match="where its threads are"):
            harness._watch(process, pulse, errors)
        process.kill()


def watched(monkeypatch, tmp_path, *outcomes):
    """A runner whose program ends so, run after run."""
    left, told = iter(outcomes), []

    def attend(*_arguments, code):
        outcome = next(left)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(harness, "attend", attend)
    return harness.Watched(contextlib.nullcontext, tmp_path, told.append), told


def test_a_known_fault_is_run_again_counted_and_told(monkeypatch, tmp_path):
    run, told = watched(monkeypatch, tmp_path, KnownFault(STALL, "there"), KnownFault(ABORT, "words"), "found")
    assert run("program") == "found"
    assert run.faults == [STALL, ABORT]
    assert len(told) == 2
    assert "there" in told[0]


def test_a_client_that_always_falls_to_a_known_fault_fails(monkeypatch, tmp_path):
    run, _ = watched(monkeypatch, tmp_path, *[KnownFault(ABORT, "words")] * harness.ATTEMPTS)
    with pytest.raises(AssertionError, match="program"):
        run("program")
    assert len(run.faults) == harness.ATTEMPTS


def test_any_other_failure_is_not_run_again(monkeypatch, tmp_path):
    run, told = watched(monkeypatch, tmp_path, AssertionError("exits with 1"), "found")
    with pytest.raises(AssertionError, match="exits with 1"):
        run("program")
    assert (run.faults, told) == ([], [])


def test_the_summary_counts_over_all_tests():
    reports = [
        SimpleNamespace(when="teardown", user_properties=[(FAULTS, [STALL, ABORT])]),
        SimpleNamespace(when="call", user_properties=[(FAULTS, [STALL])]),
        SimpleNamespace(when="teardown", user_properties=[(FAULTS, [ABORT])]),
        SimpleNamespace(when="teardown", user_properties=[]),
        SimpleNamespace(),
    ]
    lines = []
    pytest_terminal_summary(SimpleNamespace(getreports=lambda _name: reports, write_line=lines.append))
    assert lines == [
        f"real client: 2 tests; run again for faults of its own: 1 {STALL}, 2 {ABORT}",
    ]
    lines.clear()
    pytest_terminal_summary(SimpleNamespace(getreports=lambda _name: reports[3:], write_line=lines.append))
    assert lines == []
