"""The hooks around the real client, on a headless server."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

from bestrand_drive.simulation.heartbeat import VARIABLE, State, read_beat
from tests.headless.client.clients import release_of
from tests.headless.client.harness import Release, serving
from tests.headless.client.known_faults import ABORTS
from tests.simulation.hooks.running import program, run

pytestmark = pytest.mark.client
PROGRAM = """
    import json, os, sys
    import carla
    client = carla.Client("127.0.0.1", int(os.environ["PORT"]))
    threads = len(os.listdir("/proc/self/task"))
    client.set_timeout(20.0)
    world = client.load_world("Town02")
    settings = world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
    world.apply_settings(settings)
    frames = [world.tick() for _ in range(5)]
    client.apply_batch_sync([], False)
    responses = client.apply_batch_sync([], True)
    settings.synchronous_mode = False
    world.apply_settings(settings)
    print(json.dumps([threads, frames, len(responses), os.environ.get("BESTRAND_HEARTBEAT"), os.getpid()]))
    sys.stdout.flush()
    os._exit(0)  # the client's own end may fail
"""
TRIES = 4


@pytest.fixture(scope="module")
def port(shared_data, tmp_path_factory):
    """A server with the towns at hand."""
    if importlib.util.find_spec("carla") is None or importlib.util.find_spec("msgpack") is None:
        pytest.skip("pip install '.[headless]'")
    towns = shared_data / "towns"
    if not (towns / "Town02.xodr").is_file():
        pytest.skip(f"no Town02.xodr in {towns}")
    with serving(Release(release_of(), Path(sys.executable)), towns, tmp_path_factory.mktemp("server")) as server:
        yield server.port


def drive(folder: Path, port: int, **env: str) -> list:
    """What the program printed; a known abort of the client is tried again."""
    file = program(folder, PROGRAM)
    for _ in range(TRIES):
        try:
            done = run(file, env={"PORT": str(port), **env})
        except AssertionError as error:
            if not any(words in str(error) for words in ABORTS):
                raise
        else:
            assert done.stderr == ""
            return json.loads(done.stdout.splitlines()[-1])
    raise AssertionError(f"the client failed {TRIES} times by a known fault of its own")


def test_the_heartbeat_of_a_real_drive(tmp_path, port):
    threads, frames, _, variable, pid = drive(tmp_path, port, **{VARIABLE: str(tmp_path / "beat")})
    beat = read_beat(tmp_path / "beat")
    assert (beat.state, beat.ticks, beat.town, beat.pid) == (State.BETWEEN, 6, "Town02", pid)
    assert beat.frame == frames[-1] + 1
    assert beat.changes == 1 + 2 * 7, "the first, and two for the load and each tick"
    assert variable is None
    assert threads >= 9, "the eight workers and the program itself"


def test_without_a_place_for_it(tmp_path, port):
    assert len(drive(tmp_path, port, **{VARIABLE: ""})[1]) == 5
    assert os.listdir(tmp_path) == ["program.py"]
