"""F6 on a Ray cluster of two nodes: worker, raylet and driver are killed; each route has one attempt that counts.

Ray takes seconds to start, so that there is one cluster; its nodes' stand-ins have one set of orders, by route.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.identity import ProcessId, is_running
from bestrand_drive.simulation.processes.marks import RUN, driver_of, marked, run_mark
from tests.faults.runs import Runs
from tests.simulation.crews.workers import LIMIT_S, Process, command, ended, said
from tests.simulation.processes.trees import ROOT, until

pytest.importorskip("ray")

SLOW = (9000, 9010, 9020, 9021, 9030, 9031)
"""Routes that are driven for minutes at their first attempt."""
GONE_S = 15


@dataclass
class Nodes:
    """The cluster.

    Attributes:
        folder: Of all that its nodes write.
        process: The program that holds it.
        address: Of its head.
        variables: By which a driver is let in.
    """

    folder: Path
    process: subprocess.Popen[str]
    address: str
    variables: dict[str, str]

    def add(self) -> None:
        """One more node with ``far``."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("add\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline()

    def scratch(self, runs: Runs) -> list[Path]:
        """Of the actors of a run, those included that were killed."""
        return list(self.folder.glob(f"tmp/bestrand-{run_mark(runs.path)[:12]}-*"))


def processes(marks: set[str]) -> list[ProcessId]:
    """All supervised ones of actors, with everything below them."""
    return [one.process for mark in marks for one in marked(RUN, mark)]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    folder = Path(tempfile.mkdtemp(prefix="bd-"))  # paths of sockets are short
    for name in ("tmp", "state", "runtime"):
        (folder / name).mkdir(mode=0o700)
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_TMPDIR": str(folder)}
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
        **secret,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder / "tmp"),
        "XDG_RUNTIME_DIR": str(folder / "runtime"),
        "BESTRAND_STAND_IN": ",".join(f"{route}:slow=300@1" for route in SLOW),
        "BESTRAND_STAND_IN_SERVER": "",
        "BESTRAND_STAND_IN_STATE": str(folder / "state"),
    }
    words = [sys.executable, "-W", "ignore", "-m", "tests.simulation.crews.ray_cluster"]
    with (
        open(folder / "said", "w") as out,
        subprocess.Popen(
            words, env=environment, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out
        ) as process,
    ):
        assert process.stdout
        assert process.stdin
        line = process.stdout.readline()
        assert line, (folder / "said").read_text()
        yield Nodes(folder, process, json.loads(line)["address"], secret)
        process.stdin.close()
        process.wait(LIMIT_S)
    shutil.rmtree(folder)


@contextmanager
def driver(runs: Runs, nodes: Nodes, *more: object, resource: str = "place") -> Iterator[Process]:
    """The driver of a run, on the cluster."""
    for name, value in nodes.variables.items():
        runs.monkeypatch.setenv(name, value)
    words = ("--engine", "ray", "--ray-address", nodes.address, "--ray-resource", resource, *more)
    with command(runs, "driver", *runs.arguments(*words)) as process:
        yield process


def driving(runs: Runs, nodes: Nodes, count: int = 1, route: int | str = "") -> set[str]:
    """Marks of actors whose evaluators have begun to drive (a route) once there are so many; nothing before."""
    logs = [path for folder in nodes.scratch(runs) for path in folder.glob(f"logs/{route}*.log")]
    begun = {run_mark(path.parents[1]) for path in logs if "Preparing" in path.read_text(errors="replace")}
    return begun if len(begun) >= count else set()


def actors(marks: set[str]) -> set[ProcessId]:
    """The processes that Ray made for actors which drive now."""
    return {found for one in processes(marks) if (found := driver_of(one.pid))}


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def nothing_survives(marks: set[str]) -> None:
    assert marks
    until(lambda: not processes(marks), "everything of it has ended", GONE_S)


def as_without_ray(worker: ProcessId, marks: set[str]) -> None:
    """Of evaluators and servers: neither Ray's variables, its token among them, nor its niceness."""
    below = [one.pid for one in processes(marks) if parent_of(one.pid) != worker.pid]  # but for supervisors
    assert below
    for pid in below:
        given = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        assert [entry for entry in given if entry.startswith((b"RAY_", b"SPT_", b"PYTHONBREAKPOINT"))] == []
        assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0)


def exactly_once(runs: Runs, routes: range):
    """What is stored: one attempt a route counts, numbers follow on each other, results are those that count."""
    attempts = runs.attempts()
    names = [str(route) for route in routes]
    assert Counter(one.key.route_id for one in attempts if one.counts) == Counter(names)
    for route in names:
        numbers = [one.number for one in attempts if one.key.route_id == route]
        assert numbers == list(range(1, 1 + len(numbers)))
    assert runs.results() == [f"0/RouteScenario_{route}.json" for route in names]
    assert runs.left() == []
    return attempts


def test_two_nodes_share_a_run_and_a_killed_worker_s_route_is_driven_again(runs, nodes):
    routes = range(9000, 9004)
    runs.routes(*routes)
    with driver(runs, nodes, "--servers", 2) as drives:
        marks = until(lambda: driving(runs, nodes, route=9000), "it drives", LIMIT_S)
        (worker,) = actors(marks)
        as_without_ray(worker, marks)
        os.kill(worker.pid, signal.SIGKILL)
        nothing_survives(marks)
        assert ended(drives) == 0, said(runs, "driver")
    attempts = exactly_once(runs, routes)
    (lost,) = [one for one in attempts if not one.counts]
    assert (lost.key.route_id, lost.number, lost.reason) == ("9000", 1, Reason.WORKER_LOST)
    assert lost.detail.startswith("worker ")  # Ray says why in more than one way
    assert all((runs.path / "logs" / name).is_file() for one in attempts for name in one.logs)
    assert {one.load.servers for one in attempts if one.load} <= {1, 2}
    text = said(runs, "driver")
    assert "2 nodes, room for 2 of 2 servers (place 1 each)" in text
    assert text.count(": joins") >= 2, "there is one place on each node"


def test_a_killed_raylet_takes_its_slot_and_a_node_that_joins_gives_one(runs, nodes):
    """The actor stands on the node beside the head; there is no other one with ``far`` then."""
    routes = range(9010, 9012)
    runs.routes(*routes)
    with driver(runs, nodes, resource="far") as drives:
        marks = until(lambda: driving(runs, nodes), "it drives", LIMIT_S)
        (worker,) = actors(marks)
        os.kill(parent_of(worker.pid), signal.SIGKILL)
        nothing_survives(marks)
        assert not is_running(worker)
        until(lambda: any(one.reason is Reason.WORKER_LOST for one in runs.attempts()), "it is lost", LIMIT_S)
        nodes.add()
        assert ended(drives) == 0, said(runs, "driver")
    exactly_once(runs, routes)


def test_a_killed_driver_and_the_same_command_again(runs, nodes):
    routes = range(9020, 9022)
    runs.routes(*routes)
    with driver(runs, nodes, "--servers", 2) as dies:
        marks = until(lambda: driving(runs, nodes, 2), "both drive", LIMIT_S)
        workers = actors(marks)
        dies.send_signal(signal.SIGKILL)
        ended(dies)
    nothing_survives(marks)
    assert not [one for one in workers if is_running(one)]
    assert runs.attempts() == ()
    with driver(runs, nodes, "--servers", 2) as drives:
        assert ended(drives) == 0, said(runs, "driver")
    assert len(exactly_once(runs, routes)) == 2
    until(lambda: not nodes.scratch(runs), "what the killed ones left is removed", LIMIT_S)


def test_ctrl_c_at_the_driver_leaves_no_record_and_no_process(runs, nodes):
    routes = range(9030, 9032)
    runs.routes(*routes)
    with driver(runs, nodes, "--servers", 2) as drives:
        marks = until(lambda: driving(runs, nodes, 2), "both drive", LIMIT_S)
        drives.send_signal(signal.SIGINT)
        assert ended(drives) == 130, said(runs, "driver")
    assert not processes(marks)
    assert runs.attempts() == ()
    assert nodes.scratch(runs) == []
