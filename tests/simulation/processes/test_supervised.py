"""A supervised command: started, ended with everything below it, its output kept."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes.channel import Channel
from bestrand_drive.simulation.processes.identity import is_running
from bestrand_drive.simulation.processes.marks import DRIVER, RUN, START, driver_mark, marked, new_mark
from bestrand_drive.simulation.processes.messages import stop_line
from bestrand_drive.simulation.processes.reaping import reap_run
from bestrand_drive.simulation.processes.records import records_of
from bestrand_drive.simulation.processes.supervised import Launch, Supervised
from tests.simulation.processes.trees import LIMIT_S, NAMES, ROOT, RUNAWAYS, STUBBORN, gone, noted, shell, until

RUN_MARK = new_mark()


@pytest.mark.parametrize(
    ("script", "code"), [("true", 0), ("exit 7", 7), ("kill -SEGV $$", -11), ("echo out; echo err >&2", 0)]
)
def test_a_command_that_ends(tmp_path, script, code):
    process = Supervised(shell(tmp_path, script), RUN_MARK)
    ended = process.wait(LIMIT_S)
    assert (ended.code, ended.supervised, process.code) == (code, True, code)
    assert process.poll() is ended
    assert process.stop() is ended
    assert process.pids() == ()
    assert (tmp_path / "out.log").read_text() == ("out\nerr\n" if "echo" in script else "")
    assert records_of(RUN_MARK) == ()


def test_arguments_environment_and_folder_arrive_unchanged(tmp_path):
    folder = tmp_path / "a b"
    folder.mkdir()
    odd = os.fsdecode(b"caf\xe9 'x' $HOME \n")
    program = (
        "import json, os, sys;"
        "print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), os.getsid(0) == os.getpid()]))"
    )
    environment = {"PATH": os.environ["PATH"], "ODD": odd, "LC_ALL": "C.UTF-8"}
    launch = Launch((sys.executable, "-S", "-c", program, odd, "*"), environment, folder, folder / "log")
    process = Supervised(launch, RUN_MARK)
    assert process.wait(LIMIT_S).code == 0
    arguments, got, where, own_session = json.loads((folder / "log").read_text())
    assert arguments == [odd, "*"]
    assert got == {**environment, RUN: RUN_MARK, START: process.mark, DRIVER: driver_mark()}
    assert (where, own_session) == (str(folder), True)


def test_a_folder_given_from_here(tmp_path, monkeypatch):
    """The supervisor lives elsewhere."""
    monkeypatch.chdir(tmp_path)
    relative = tmp_path.relative_to(tmp_path)
    process = Supervised(Launch(("pwd",), dict(os.environ), relative, relative / "log"), RUN_MARK)
    process.wait(LIMIT_S)
    assert (tmp_path / "log").read_text() == f"{tmp_path}\n"


def test_a_users_python_variables_and_files_are_not_the_supervisors(tmp_path, monkeypatch):
    """An evaluator's PYTHONPATH is for another Python."""
    (tmp_path / "json.py").write_text("raise ImportError('for another Python')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.chdir(tmp_path)
    assert Supervised(shell(tmp_path, "true"), RUN_MARK).wait(LIMIT_S).code == 0


@pytest.mark.parametrize("how", ["command", "folder", "log"])
def test_what_cannot_be_started_is_named(tmp_path, how):
    launch = {
        "command": Launch(("/absent/program",), {}, tmp_path, tmp_path / "log"),
        "folder": Launch(("true",), {}, tmp_path / "absent", tmp_path / "log"),
        "log": Launch(("true",), {}, tmp_path, tmp_path / "absent" / "log"),
    }[how]
    with pytest.raises(EnvironmentFault, match=r"cannot be started: .*absent.*: No such file or directory"):
        Supervised(launch, RUN_MARK)


def test_the_whole_tree_is_ended(tmp_path):
    """Also who left the session, and who left the parent."""
    process = Supervised(shell(tmp_path, RUNAWAYS + "exec sleep 600"), RUN_MARK)
    runaways = [noted(tmp_path, name) for name in NAMES]
    assert {one.pid for one in runaways} < set(process.pids())
    ended = process.stop(LIMIT_S)
    assert (ended.code, ended.supervised) == (-signal.SIGTERM, True)
    assert not any(map(is_running, [process.command, *runaways]))


def test_what_a_command_leaves_behind_is_ended(tmp_path):
    process = Supervised(shell(tmp_path, RUNAWAYS + "while [ ! -f go ]; do sleep 0.01; done; exit 3"), RUN_MARK)
    runaways = [noted(tmp_path, name) for name in NAMES]
    (tmp_path / "go").touch()
    assert process.wait(LIMIT_S).code == 3
    assert not any(map(is_running, runaways))


def test_who_ignores_sigterm_is_killed_after_the_grace(tmp_path):
    inner = STUBBORN.format(name="inner")
    process = Supervised(shell(tmp_path, f"setsid sh -c '{inner}' & {STUBBORN.format(name='outer')}"), RUN_MARK)
    both = noted(tmp_path, "inner"), noted(tmp_path, "outer")
    process.end(600)
    assert process.wait(0.5) is None
    assert all(map(is_running, both))
    process.end(0.0)  # asking again makes it sooner
    assert process.wait(LIMIT_S).code == -signal.SIGKILL
    assert not any(map(is_running, both))


def test_sigterm_comes_once(tmp_path):
    """Many programs take a second one as a wish to hurry."""
    count = "trap 'echo told >> count' TERM; echo $$ > it; while :; do sleep 0.01; done"
    process = Supervised(shell(tmp_path, count), RUN_MARK)
    noted(tmp_path, "it")
    process.end(600)
    until((tmp_path / "count").exists, "it is told")
    assert process.wait(0.3) is None
    process.stop(0.0)
    assert (tmp_path / "count").read_text() == "told\n"


def test_a_driver_that_hangs_up_ends_the_tree(tmp_path):
    process = Supervised(shell(tmp_path, "exec sleep 600"), RUN_MARK)
    process._channel._process.stdin.close()
    assert process.wait(LIMIT_S).code == -signal.SIGTERM


def test_a_longer_grace_comes_too_late(tmp_path):
    process = Supervised(shell(tmp_path, STUBBORN.format(name="it")), RUN_MARK)
    noted(tmp_path, "it")
    process.end(0.1)
    process.end(600)
    assert process.wait(LIMIT_S).code == -signal.SIGKILL


def test_hurrying_ends_the_grace(tmp_path):
    process = Supervised(shell(tmp_path, STUBBORN.format(name="it")), RUN_MARK)
    noted(tmp_path, "it")
    asked = []
    assert process.stop(600, hurry=lambda: len(asked) > 3 or bool(asked.append(1))).code == -signal.SIGKILL


def test_a_stopped_process_is_ended_too(tmp_path):
    process = Supervised(shell(tmp_path, "exec sleep 600"), RUN_MARK)
    os.kill(process.command.pid, signal.SIGSTOP)
    assert process.stop(0.1).code in (-signal.SIGTERM, -signal.SIGKILL)


def test_a_signal_to_the_supervisor_ends_its_tree_and_a_second_one_forces(tmp_path):
    process = Supervised(shell(tmp_path, STUBBORN.format(name="it"), grace_s=600), RUN_MARK)
    known = noted(tmp_path, "it")
    supervisor = process._channel.pid
    os.kill(supervisor, signal.SIGTERM)
    assert process.wait(0.3) is None
    assert is_running(known)
    os.kill(supervisor, signal.SIGTERM)
    assert process.wait(LIMIT_S).code == -signal.SIGKILL


def test_a_terminals_signals_are_the_drivers_business(tmp_path):
    """Neither the command nor its supervisor is in the driver's session."""
    with Supervised(shell(tmp_path, "exec sleep 600"), RUN_MARK) as process:
        assert os.getsid(process.command.pid) != os.getsid(0)
        assert os.getsid(process._channel.pid) != os.getsid(0)
        known = process.command
    assert not is_running(known)


@pytest.mark.parametrize("hasten", [False, True])
def test_a_stop_command_comes_first(tmp_path, hasten):
    """A container ends by its own client; only then, or when it is too late, are processes signalled."""
    stop = ("sh", "-c", "echo stopping; sleep 0.3; touch stopped" if not hasten else "echo stopping; exec sleep 600")
    script = 'trap "[ -f stopped ] && echo in order; exit 4" TERM; while :; do sleep 0.02; done'
    process = Supervised(shell(tmp_path, f"{script}", stop_argv=stop, grace_s=LIMIT_S), RUN_MARK)
    process.end(LIMIT_S)
    until(lambda: "stopping" in (tmp_path / "out.log").read_text(), "the stop command runs")
    if hasten:
        process.end(0.0)
    ended = process.wait(LIMIT_S)
    assert ended.code == (-signal.SIGKILL if hasten else 4)
    assert ("in order" in (tmp_path / "out.log").read_text()) is not hasten


def test_a_stop_command_runs_when_the_command_ends_by_itself(tmp_path):
    process = Supervised(shell(tmp_path, "exit 5", stop_argv=("touch", "stopped")), RUN_MARK)
    assert process.wait(LIMIT_S).code == 5
    assert (tmp_path / "stopped").exists()


@pytest.mark.parametrize(("code", "runs"), [(125, False), (127, False), (1, True), (0, True)])
def test_a_stop_command_does_not_run_for_what_never_ran(tmp_path, code, runs):
    """``docker run`` says 125 when the name is taken: it would end the container that has it."""
    launch = shell(tmp_path, f"exit {code}", stop_argv=("touch", "stopped"), unstarted=(125, 126, 127))
    assert Supervised(launch, RUN_MARK).wait(LIMIT_S).code == code
    assert (tmp_path / "stopped").exists() == runs


def test_a_stop_command_does_not_run_where_nothing_could_be_started(tmp_path):
    launch = Launch(("/absent/docker",), {}, tmp_path, tmp_path / "log", stop_argv=("/bin/touch", "stopped"))
    with pytest.raises(EnvironmentFault, match="cannot be started"):
        Supervised(launch, RUN_MARK)
    assert records_of(RUN_MARK) == ()
    assert not (tmp_path / "stopped").exists()


def test_a_stop_command_that_is_not_there_is_noted(tmp_path):
    process = Supervised(shell(tmp_path, "exec sleep 600", stop_argv=("/absent/stop",)), RUN_MARK)
    assert process.stop(LIMIT_S).code == -signal.SIGTERM
    assert "stop command: /absent/stop: No such file" in (tmp_path / "out.log").read_text()


def test_a_driver_that_threads_and_forgets_is_no_driver_that_ends(tmp_path):
    """The kernel tells of the end of the thread that started the supervisor; the driver lives on."""
    import threading

    started = []
    thread = threading.Thread(target=lambda: started.append(Supervised(shell(tmp_path, "exec sleep 600"), RUN_MARK)))
    thread.start()
    thread.join()
    assert started[0].wait(0.5) is None
    assert is_running(started[0].command)
    started[0].stop(0.0)


def test_the_program_runs_as_a_module():
    """And ends when its driver says nothing."""
    command = [sys.executable, "-m", "bestrand_drive.simulation.processes.supervisor"]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_supervisor_is_small():
    """One runs beside every server: nothing heavy may be imported for it."""
    script = (
        "import sys; before = set(sys.modules); import bestrand_drive.simulation.processes.supervisor;"
        "print({name.split('.')[0] for name in set(sys.modules) - before} & {'pydantic', 'numpy', 'yaml', 'rich'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "set()\n"


def test_a_lost_supervisor_is_replaced_by_its_driver(tmp_path):
    process = Supervised(shell(tmp_path, RUNAWAYS + "exec sleep 600"), RUN_MARK)
    runaways = [noted(tmp_path, name) for name in NAMES]
    os.kill(process._channel.pid, signal.SIGKILL)
    ended = process.wait(LIMIT_S)
    assert (ended.code, ended.supervised) == (None, False)
    assert gone(process.command, *runaways)
    assert records_of(RUN_MARK) == ()


@pytest.mark.parametrize("whole", [True, False])
def test_the_stop_command_outlives_its_supervisor(tmp_path, whole):
    """A container whose client was killed with its supervisor: the driver ends it, or the next start."""
    process = Supervised(shell(tmp_path, "exec sleep 600", stop_argv=("touch", "stopped")), RUN_MARK)
    for pid in (process._channel.pid, process.command.pid):
        os.kill(pid, signal.SIGKILL)
    if whole:
        assert not process.wait(LIMIT_S).supervised
    else:
        assert "by touch stopped" in reap_run(RUN_MARK)
        process._channel.close()
    assert (tmp_path / "stopped").exists()
    assert records_of(RUN_MARK) == ()


def test_a_supervisor_is_heard_where_many_files_are_open():
    """Its pipe has a high number then, as with hundreds of servers, or in a program of somebody else's."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, limits[1]), limits[1]))
    heard, said = os.pipe()
    high = fcntl.fcntl(heard, fcntl.F_DUPFD_CLOEXEC, 1500)
    try:
        channel = Channel.__new__(Channel)
        channel._process, channel._heard = SimpleNamespace(stdout=os.fdopen(high, "rb", buffering=0)), b""
        assert channel.receive(0.0) == []
        os.write(said, b'{"event": "ended"}\n')
        assert channel.receive(0.0) == [{"event": "ended"}]
        os.close(said)
        assert channel.receive(0.0) is None
        channel._process.stdout.close()
    finally:
        os.close(heard)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_supervisor_that_was_closed_is_told_nothing():
    """Where the kernel holds a process of a lost one, that is the news, and not the closed pipe."""
    with open(os.devnull, "wb", buffering=0) as requests:
        channel = Channel.__new__(Channel)
        channel._process = SimpleNamespace(stdin=requests)
    channel.send(stop_line(0.0))


def test_a_start_that_is_never_told_leaves_nothing(tmp_path, monkeypatch):
    """The supervisor has started the command, and nobody hears of it in time."""
    monkeypatch.setattr("bestrand_drive.simulation.processes.supervised._START_LIMIT_S", 0.3)
    started = []

    def deaf(*_):
        started.append(noted(tmp_path, "it") if not started else time.sleep(0.01))
        return []

    monkeypatch.setattr(Channel, "receive", deaf)
    with pytest.raises(EnvironmentFault, match="did not start it"):
        Supervised(shell(tmp_path, RUNAWAYS + "echo $$ > it; exec sleep 600", stop_argv=("touch", "stopped")), RUN_MARK)
    assert not is_running(started[0])
    assert list(marked(RUN, RUN_MARK)) == []
    assert (tmp_path / "stopped").exists()
    assert records_of(RUN_MARK) == ()


def test_a_hung_supervisor_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("bestrand_drive.simulation.processes.supervised._LOST_S", 0.5)
    process = Supervised(shell(tmp_path, "exec sleep 600"), RUN_MARK)
    os.kill(process._channel.pid, signal.SIGSTOP)
    assert not process.stop(0.1).supervised
    assert gone(process.command)
