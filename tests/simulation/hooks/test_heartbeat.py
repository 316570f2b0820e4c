"""What the hooks write is what the driver reads."""

from __future__ import annotations

import errno
import os
import random
import struct
import zlib
from pathlib import Path

import pytest

from bestrand_drive.simulation import heartbeat
from bestrand_drive.simulation.heartbeat import State, read_beat
from bestrand_drive.simulation.hooks import sitecustomize
from tests.simulation.hooks.running import FAKE_CARLA, FOLDER, PYTHONS, program, run

REPO = Path(heartbeat.__file__).resolve().parents[2]
SHOW = """
    import sys
    sys.path.append({repo!r})  # in this test the program's Python has our reader
    from bestrand_drive.simulation.heartbeat import read_beat
    from pathlib import Path
    import carla
    def show(*_):
        beat = read_beat(Path({file!r}))
        print(beat.state.name, beat.ticks, beat.frame, beat.town)
        return 41
"""


def shown(folder: Path, text: str) -> list[str]:
    """Run a program that may call ``show``; what it printed. The heartbeat is ``folder/beat``."""
    program(folder, FAKE_CARLA, "carla.py")
    head = SHOW.format(repo=str(REPO), file=str(folder / "beat"))
    body = "\n".join("    " + line for line in text.strip("\n").splitlines())
    return run(program(folder, head + body), env={heartbeat.VARIABLE: str(folder / "beat")}).stdout.splitlines()


def test_both_sides_know_one_format():
    source = (FOLDER / "sitecustomize.py").read_text()
    assert f'FORMAT = "{heartbeat.FORMAT}"' in source
    assert f"START, LOAD, TICK, BETWEEN = range({len(State)})" in source
    assert [state.name for state in State] == ["START", "LOAD", "TICK", "BETWEEN"]


def test_a_full_disk_is_met_where_it_can_be_said(tmp_path, monkeypatch):
    """Where the file is made, as an error; a hole would be filled at the first beat, and a signal would end us."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            sitecustomize.Heart(str(tmp_path / "beat"))


def test_a_second_one_on_the_file_does_not_take_it_from_the_first(tmp_path, monkeypatch):
    """Of a child that was started before ``carla`` was imported: a map without its file ends us by a signal."""
    path = tmp_path / "beat"
    first = sitecustomize.Heart(str(path))
    size, seen, write = path.stat().st_size, [], os.write
    monkeypatch.setattr(os, "write", lambda *words: seen.append(path.stat().st_size) or write(*words))
    sitecustomize.Heart(str(path))
    assert seen == [size]
    first.write()


def test_states_follow_the_calls(tmp_path):
    lines = shown(
        tmp_path,
        """
client = carla.Client()
carla.World.step = lambda self, seconds: show()
show()
world = client.load_world("Carla/Maps/Town12", reset_settings=False)
show()
world.tick(3.0)
show()
client.apply_batch_sync([1])
show()
client.apply_batch_sync([1], True)
client.apply_batch_sync([1], due_tick_cue=True)
show()
""",
    )
    assert lines == ["START 0 0 ", "BETWEEN 0 0 Town12", "TICK 0 0 Town12", "BETWEEN 1 41 Town12",
                     "BETWEEN 1 41 Town12", "BETWEEN 3 43 Town12"]  # fmt: skip


def test_a_tick_that_fails_is_no_tick(tmp_path):
    lines = shown(
        tmp_path,
        """
def fail(self, seconds):
    show()
    raise RuntimeError("time-out")
carla.World.step = fail
try:
    carla.World().tick()
except RuntimeError as error:
    print(error)
show()
""",
    )
    assert lines == ["TICK 0 0 ", "time-out", "BETWEEN 0 0 "]


def test_a_call_of_another_thread_does_not_hide_the_tick(tmp_path):
    """Scenarios are built in a thread beside the ticks; that one does not drive."""
    lines = shown(
        tmp_path,
        """
import threading
def step(self, seconds):
    beside = threading.Thread(target=carla.Client().apply_batch_sync, args=([1], True))
    beside.start()
    beside.join()
    return show()
carla.World.step = step
carla.World().tick()
show()
""",
    )
    assert lines == ["TICK 0 0 ", "BETWEEN 1 41 "]


@pytest.mark.parametrize("first", ["beside", "main"])
def test_calls_of_two_threads_that_overlap_leave_the_main_ones_state(tmp_path, first):
    """F3: whichever begins and ends first; a hang of the agent must not pass for a tick, nor a tick for a hang."""
    text = f"""
import threading, types
first, begun, ended = {first!r}, threading.Event(), threading.Event()
def snapshot(self):
    begun.set()
    assert ended.wait(20)
    return types.SimpleNamespace(frame=41)
def step(self, seconds):
    if first == "main":
        beside.start()
    assert begun.wait(20)
    if first == "beside":
        ended.set()
        beside.join()
    return show()
carla.World.step, carla.World.snapshot = step, snapshot
beside = threading.Thread(target=carla.World().wait_for_tick)
if first == "beside":
    beside.start()
    assert begun.wait(20)
show()
carla.World().tick()
show()
ended.set()
beside.join()
carla.World.step = lambda self, seconds: 42
carla.World().tick()
show()
"""
    assert shown(tmp_path, text) == ["START 0 0 ", "TICK 0 0 ", "BETWEEN 1 41 ", "BETWEEN 2 42 "]


def test_ticks_are_counted_by_frame(tmp_path):
    """A tick and the wait for it are one; a batch that ticks tells no frame, and is one more."""
    lines = shown(
        tmp_path,
        """
import types
world, frames = carla.World(), iter([41, 41, 42])
carla.World.step = lambda self, seconds: next(frames)
carla.World.snapshot = lambda self: types.SimpleNamespace(frame=next(frames))
world.tick()
world.wait_for_tick()
show()
world.tick()
carla.Client().apply_batch_sync([], True)
show()
""",
    )
    assert lines == ["BETWEEN 1 41 ", "BETWEEN 3 43 "]


def test_children_do_not_write(tmp_path):
    """Neither a forked one nor a program that it starts, such as a server that is itself written in Python."""
    text = """
import os, subprocess
carla.World().tick()
if not os.fork():
    carla.World().tick()
    os._exit(0)
os.wait()
subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "inner.py")], check=True)
show()
"""
    program(tmp_path, "import carla; carla.World().tick()", "inner.py")
    assert shown(tmp_path, text) == ["BETWEEN 1 41 "]


def test_a_program_around_the_evaluator_is_not_taken_for_it(tmp_path):
    """``conda run`` is a Python program, which reads the same path; it does not load carla."""
    program(tmp_path, FAKE_CARLA, "carla.py")
    inner = program(tmp_path, "import carla; carla.World().tick()", "inner.py")
    outer = program(tmp_path, f"import subprocess, sys; subprocess.run([sys.executable, {str(inner)!r}], check=True)")
    run(outer, env={heartbeat.VARIABLE: str(tmp_path / "beat")})
    beat = read_beat(tmp_path / "beat")
    assert beat is not None
    assert (beat.ticks, beat.frame, beat.state) == (1, 41, State.BETWEEN)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_interpreter_writes_it(tmp_path, python):
    program(tmp_path, FAKE_CARLA, "carla.py")
    file = program(tmp_path, "import carla, os; carla.World().tick(); print(os.getpid())")
    done = run(file, python=python, env={heartbeat.VARIABLE: str(tmp_path / "beat")})
    beat = read_beat(tmp_path / "beat")
    assert beat is not None
    assert (beat.ticks, beat.pid) == (1, int(done.stdout))


@pytest.mark.parametrize("place", ["absent/beat", ""])
def test_a_heartbeat_that_cannot_be_written_ends_nothing(tmp_path, place):
    """The reason is said once; nothing is said when none was asked for."""
    program(tmp_path, FAKE_CARLA, "carla.py")
    file = program(tmp_path, "import carla; print(carla.World().tick(), carla.World().tick())")
    done = run(file, env={heartbeat.VARIABLE: str(tmp_path / place) if place else ""})
    assert done.stdout == "41 41\n"
    assert done.stderr.count("bestrand hooks") == bool(place)


def test_a_heartbeat_that_fails_later_ends_nothing(tmp_path):
    lines = shown(
        tmp_path,
        """
import zlib
zlib.crc32 = None
print(carla.World().tick(), carla.World().tick())
""",
    )
    assert lines == ["41 41"]


def packed(magic: bytes = b"BSHB", version: int = 1, town: bytes = b"Town01") -> bytes:
    body = struct.pack(heartbeat.FORMAT, magic, version, 2, 7, 3, 2, 1, 5.0, town)
    return body + struct.pack("<I", zlib.crc32(body))


def test_reading(tmp_path):
    file = tmp_path / "beat"
    assert read_beat(file) is None
    file.write_bytes(packed())
    beat = read_beat(file)
    assert beat is not None
    assert (beat.state, beat.pid, beat.changes, beat.ticks, beat.frame) == (State.TICK, 7, 3, 2, 1)
    assert (beat.changed_s, beat.town) == (5.0, "Town01")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        packed()[:-1],
        bytes(len(packed())),
        packed(version=2),
        packed(magic=b"XXXX"),
        random.Random(0).randbytes(80),
    ],
    ids=["empty", "short", "zeros", "another version", "another file", "noise"],
)
def test_what_is_no_reading(tmp_path, content):
    (tmp_path / "beat").write_bytes(content)
    assert read_beat(tmp_path / "beat") is None


def test_every_torn_reading_is_noticed(tmp_path):
    """A reader between two halves of a write; of the new one so much, of the old one the rest."""
    old, new = packed(), packed(town=b"Town02-and-more")
    for cut in range(1, len(old)):
        mixed = new[:cut] + old[cut:]
        (tmp_path / "beat").write_bytes(mixed)
        assert (read_beat(tmp_path / "beat") is None) == (mixed not in (old, new)), cut
