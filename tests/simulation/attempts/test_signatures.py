"""What logs tell."""

from __future__ import annotations

import pytest

from bestrand_drive.simulation.attempts.log_place import LogPlace, end_of
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import MAX_LINE, MAX_LINES, scan, scan_attempt, scan_logs

CRASH = "Engine crash handling finished; re-raising signal 11 for the default handler. Good bye."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (CRASH, Reason.SIMULATION_CRASH),
        ("Signal 11 caught.", Reason.SIMULATION_CRASH),
        ("RuntimeError: time-out of 600000ms while waiting for the simulator", Reason.SIMULATION_CRASH),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 MiB", Reason.GPU_MEMORY),
        ("RuntimeError: CUDA error: out of memory", Reason.GPU_MEMORY),
        ("Fatal error: Out of video memory trying to allocate a rendering resource", Reason.GPU_MEMORY),
        ("RuntimeError: trying to create rpc server for traffic manager; bind error", Reason.PORT_TAKEN),
        ("OSError: [Errno 98] Address already in use", Reason.PORT_TAKEN),
        ("Defect of the evaluator: KeyError: 'spare' (scenarios/blocked.py:18)", Reason.EVALUATOR_DEFECT),
        ("Error during the simulation:", None),
        ("Watchdog exception", None),
    ],
)
def test_known_lines(line, reason):
    found = scan(["all is well", f"  {line}  "])
    assert (found.reason, found.lines) == (reason, (line,))


def test_a_plain_log_tells_nothing():
    assert scan(["tick 1", "memory 3 GB"]).lines == ()


def test_memory_decides_over_the_crash_that_it_causes():
    found = scan([CRASH, "CUDA out of memory", "Watchdog exception"])
    assert found.reason is Reason.GPU_MEMORY
    assert len(found.lines) == 3


def test_few_and_short_lines_are_kept():
    found = scan([CRASH + "x" * 1000] * 100)
    assert len(found.lines) == MAX_LINES
    assert {len(line) for line in found.lines} == {MAX_LINE}


def test_both_ends_of_a_flood_are_read(tmp_path):
    """F2: 20 MB on standard error; bytes that are no text do no harm."""
    path = tmp_path / "server.log"
    path.write_bytes(b"Address already in use\n" + b"\xff LogCarla: noise\n" * 1_200_000 + b"Signal 11 caught.\n")
    found = scan_logs([path, tmp_path / "absent.log"])
    assert found.lines == ("Address already in use", "Signal 11 caught.")


def test_a_line_is_found_once_where_the_ends_meet(tmp_path):
    path = tmp_path / "server.log"
    path.write_bytes(b"a" * (1 << 22) + b"\nSignal 11 caught.\n" + b"b" * 100)
    assert scan_logs([path]).lines == ("Signal 11 caught.",)


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB"
AGENT_ERROR = "leaderboard.autoagents.agent_wrapper.AgentError:"
CRASHED = "\x1b[91mStopping the route, the agent has crashed:"


def traceback(*said: str, files: tuple[str, ...] = ("/team/agent.py",)) -> list[str]:
    """As Python prints it; of several exceptions each was raised while the one before was handled."""
    lines: list[str] = []
    for one in said:
        between = ["", "During handling of the above exception, another exception occurred:", ""] if lines else []
        frames = [f'  File "{file}", line 7, in {"import_module" if "importlib" in file else "f"}' for file in files]
        lines += [*between, "Traceback (most recent call last):", *frames, one]
    return lines


@pytest.mark.parametrize(
    ("lines", "crash"),
    [
        ([OOM, CRASHED, "", *traceback("ValueError: empty")], None),
        ([*traceback(OOM), CRASHED, *traceback("ValueError: empty")], None),
        ([CRASHED, *traceback(OOM)], Reason.GPU_MEMORY),
        ([CRASHED, *traceback(OOM, AGENT_ERROR)], Reason.GPU_MEMORY),
        ([CRASHED, *traceback("ValueError: x", OOM, AGENT_ERROR, AGENT_ERROR)], Reason.GPU_MEMORY),
        ([CRASHED, *traceback(OOM, "KeyError: 'k'")], None),
        ([CRASHED, *traceback(OOM, "KeyError: 'k'", AGENT_ERROR)], None),
        ([CRASHED, *traceback(OOM, "my.AgentError: no fallback", AGENT_ERROR)], None),
        ([CRASHED, *traceback("KeyError: 'k'", f"{AGENT_ERROR} CUDA out of memory")], Reason.GPU_MEMORY),
        ([CRASHED, *traceback(AGENT_ERROR)], None),
        ([CRASHED, *traceback(OOM), "Failed to stop the scenario:", *traceback("ValueError: x")], Reason.GPU_MEMORY),
        ([CRASHED, *traceback("ValueError: x"), "Failed to stop the agent:", *traceback(OOM)], None),
        ([CRASHED], None),
        (traceback(OOM), None),
    ],
)
def test_why_an_agent_crashed_is_told_by_its_own_traceback(lines, crash):
    """F7: not by a full GPU that it met before and survived, or caught, nor by what was met while all was torn down."""
    assert scan(lines).crash is crash


def test_what_was_survived_decides_nothing_but_is_kept():
    """F4, F7: a later step of the world came back."""
    for line in (OOM, "bind error"):
        assert scan(["Signal 11 caught."], [line]).reason is Reason.SIMULATION_CRASH
        assert scan([], [line]).reason is None
        assert scan([], [line]).lines == (line,)
        assert scan([line], [line]).reason is not None
    assert scan([], ["Signal 11 caught."]).reason is Reason.SIMULATION_CRASH, "a world can step while its server dies"


def test_a_port_that_was_found_in_the_end():
    """F4: Bench2Drive's evaluator tries one after the other."""
    taken, found = (
        "trying to create rpc server for traffic manager; bind error",
        "traffic_manager init success, try_time=2",
    )
    assert scan([taken, taken, found]).reason is None
    assert scan([taken, taken, found, "Signal 11 caught."]).reason is Reason.SIMULATION_CRASH
    assert scan([taken, found, taken]).reason is Reason.PORT_TAKEN


EVALUATOR = "/b2d/leaderboard/leaderboard/leaderboard_evaluator.py"
IMPORTLIB = "/usr/lib/python3.8/importlib/__init__.py"


@pytest.mark.parametrize(
    ("said", "files", "reason"),
    [
        ("ModuleNotFoundError: No module named 'x'", (EVALUATOR, IMPORTLIB, "/team/agent.py"), Reason.AGENT_IMPORT),
        ("SyntaxError: invalid syntax", (EVALUATOR, IMPORTLIB), Reason.AGENT_IMPORT),
        (OOM, (EVALUATOR, IMPORTLIB, "/team/agent.py"), Reason.GPU_MEMORY),
        ("ModuleNotFoundError: No module named 'py_trees'", (EVALUATOR,), None),
        ("ImportError: x", (EVALUATOR, "/team/agent.py", "/team/plugins.py", IMPORTLIB), None),
        ("ImportError: x", ("/b2d/leaderboard/leaderboard/scenarios/route_scenario.py", IMPORTLIB), None),
    ],
)
def test_an_agent_that_cannot_be_imported(said, files, reason):
    """F3: the evaluator's own import of it is on the traceback; other imports, and the agent's later ones, are not."""
    assert scan([OOM, *traceback(said, files=files)] if reason else traceback(said, files=files)).reason is reason
    assert scan([*traceback(said, files=files), *traceback("OSError: later")]).reason is not Reason.AGENT_IMPORT


def test_only_what_was_written_since_the_attempt_began(tmp_path):
    """F7: a server's log of earlier routes; its own of this one is read from the beginning."""
    own, shared = tmp_path / "own.log", tmp_path / "server.log"
    own.write_text("bind error\n")
    survived = end_of(own)
    shared.write_text("Out of video memory\n")
    since = end_of(shared)
    for path in (own, shared):
        with path.open("a") as stream:
            stream.write("Signal 11 caught.\n")
    assert scan_attempt(survived, [since]).reason is Reason.SIMULATION_CRASH
    assert scan_attempt(survived, [since]).lines == ("bind error", "Signal 11 caught.", "Signal 11 caught.")
    assert scan_attempt(survived, [LogPlace(shared)]).reason is Reason.GPU_MEMORY
    assert scan_attempt(LogPlace(own), [since]).reason is Reason.PORT_TAKEN
    assert scan_attempt(LogPlace(tmp_path / "absent")).lines == ()
