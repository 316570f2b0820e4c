"""The Ray crew against a Ray that the test plays: who answers late, dies, is silent, or may run nothing."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.crews.letters import Hello, Offer, Order, Told
from bestrand_drive.simulation.crews.on_ray import crew as crews
from bestrand_drive.simulation.crews.on_ray import seat, tenant
from bestrand_drive.simulation.crews.on_ray.cluster import Cluster, Lease, joined, lease_of, ray_module
from bestrand_drive.simulation.crews.on_ray.seat import Opening, Seated
from bestrand_drive.simulation.crews.on_ray.tenant import Tenant
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.slots.cell import Cell, Sharing
from bestrand_drive.workflows.running.ray_crew import leased
from tests.simulation.attempts.made import key, result, scored
from tests.simulation.crews.played_ray import Actor, Ray, RayError, Ref
from tests.simulation.processes.trees import until

OFFER = Offer(version="1", folder="/", request={}, keys=(key(),))
ORDER = Order(key=key(), number=1, slot=0, servers=1, servers_per_gpu=1)
HELLO = Seated(hello=Hello(host="node7", pid=1, gpus=("0",)), remarks=("numpy is old",)).model_dump_json()
DIED = RayError("The actor died unexpectedly.\n\tclass_name: Seat\nThe actor is dead because its worker has died. EOF")


def ready(actor: Actor, one: Tenant, said: str = HELLO) -> None:
    """Play an actor that has found its place and opened."""
    actor.last("where").answer("node7")
    one.look()
    actor.last("open").answer(said)
    one.look()


@pytest.fixture
def told():
    return []


@pytest.fixture
def actor():
    return Actor()


@pytest.fixture
def one(actor, told):
    return Tenant(Ray(), actor, (Ref(), "/run"), itertools.count(1), told.append)


def test_an_order_and_its_answer(one, actor, told):
    assert not one.able
    ready(actor, one)
    assert (one.able, one.host, told) == (True, "node7", ["node7: numpy is old"])
    errand = one.send(ORDER)
    actor.last("make").answer((Told(attempt=scored()).model_dump_json(), result(), None))
    one.look()
    assert (errand.done.is_set(), errand.answer.told.attempt, errand.answer.result) == (True, scored(), result())
    one.look()
    assert actor.count("make") == 1


def test_an_answer_that_came_before_the_end_counts(one, actor):
    """Both are found at one look; a result of the policy counts, whatever its worker did then."""
    ready(actor, one)
    one.look()
    errand = one.send(ORDER)
    actor.last("seen").answer(DIED)
    actor.last("make").answer((Told(attempt=scored()).model_dump_json(), result(), None))
    one.look()
    assert errand.answer.told.attempt == scored()
    assert one.gone


def test_what_an_actor_that_dies_was_given_is_lost_and_never_asked_again(one, actor):
    ready(actor, one)
    errand = one.send(ORDER)
    actor.last("make").answer(DIED)
    one.look()
    assert (errand.answer, errand.lost) == (
        None, "worker 1 on node7: The actor is dead because its worker has died. EOF")  # fmt: skip
    assert actor.killed, "Ray may hold one for dead that is only out of reach"
    late = one.send(ORDER)
    assert (late.done.is_set(), late.answer, late.lost, actor.count("make")) == (True, None, "", 1)


def test_a_silent_actor_is_killed_and_not_heard_any_more(one, actor, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(tenant, "time", SimpleNamespace(monotonic=lambda: now[0]))
    ready(actor, one)
    errand = one.send(ORDER)
    now[0] += tenant.SILENT_S - 1
    one.look()
    assert not one.gone
    now[0] += 2
    one.look()
    assert (actor.killed, "silent for 60 s" in errand.lost) == (True, True)
    actor.last("make").answer((Told(attempt=scored()).model_dump_json(), result(), None))
    one.look()
    assert errand.answer is None


def test_where_nothing_can_be_run_the_lease_is_kept(one, actor):
    ready(actor, one, Seated(fault="other files").model_dump_json())
    assert (one.able, one.why, one.gone, actor.killed) == (False, "other files", "", False)


@pytest.fixture
def crew(tmp_path, told, monkeypatch):
    for name, value in (("LOOK_S", 0.005), ("JOIN_S", 0.3), ("AGAIN_S", 0.0)):
        monkeypatch.setattr(crews, name, value)
    halt = SimpleNamespace(asked=False, forced=False)
    opening = Opening(lambda _: None, OFFER, tmp_path)
    made = crews.RayCrew(
        Cluster(Ray(), "x:1"), Lease(gpu=0.5), 2, opening, halt=halt, logs=tmp_path / "logs", tell=told.append
    )
    yield made
    halt.forced = True
    made.close()


def play(crew, number: int, said: str = HELLO) -> Actor:
    """An actor that opens, once it is there."""
    ray = crew._cluster.ray
    until(lambda: len(ray.actors) > number, "it is made")
    actor = ray.actors[number]
    until(lambda: actor.last("where"), "it is asked").answer("node7")
    until(lambda: actor.last("open"), "it opens").answer(said)
    return actor


def test_actors_are_made_at_most_once_with_what_they_lease(crew):
    play(crew, 1)
    first, _ = crew._cluster.ray.options
    assert (first["num_gpus"], first["num_cpus"], first["max_restarts"], first["max_task_retries"]) == (0.5, 0, 0, 0)
    assert first["scheduling_strategy"] == "SPREAD"
    (slot,) = until(crew.slots, "it joins")
    assert (slot.host, slot.gpu_name) == ("node7", "0")


def test_one_that_dies_takes_its_slot_and_another_one_is_asked_for(crew, told):
    dies = play(crew, 0)
    (slot,) = until(crew.slots, "it joins")
    until(lambda: dies.last("seen"), "it is asked").answer(DIED)
    until(lambda: not crew.slots(), "it is gone")
    play(crew, 2)
    (other,) = until(crew.slots, "another one joins")
    assert other.number != slot.number
    assert "server on node7: The actor is dead because its worker has died. EOF" in told


def test_a_node_on_which_actors_cannot_begin_is_said_once_and_left_alone_for_longer_and_longer(crew, told, monkeypatch):
    """The package is not installed there; the other server of the run works on, for hours."""
    monkeypatch.setattr(crews, "AGAIN_S", 0.01)
    play(crew, 0)
    until(crew.slots, "one joins")
    ray = crew._cluster.ray
    cause = RayError(
        "The actor died because of an error raised in its creation task, ray::Seat.__init__()\n"
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'bestrand_drive'"
    )
    for number in range(1, 5):
        until(lambda: crew.slots() and len(ray.actors) > number, "it is asked for")  # noqa: B023
        before_s = crews.time.monotonic()
        until(lambda: ray.actors[number].last("where"), "it begins").answer(cause)  # noqa: B023
    until(lambda: crew.slots() and crew._unborn == 4, "all are noted")
    assert told.count("server on some node: ModuleNotFoundError: No module named 'bestrand_drive'") == 1
    assert crew._again_s - before_s >= 8 * crews.AGAIN_S


def test_where_no_node_can_run_anything_the_run_ends_and_says_why(crew):
    """Each keeps its place, so that others are asked for elsewhere; then nobody comes any more."""
    other = Seated(fault="node7 sees other files").model_dump_json()
    refused = [play(crew, number, other) for number in range(3)]
    with pytest.raises(EnvironmentFault, match="no node of the cluster can run anything: node7 sees other files"):
        until(lambda: crew.slots() and False, "it is given up")
    assert not any(actor.killed for actor in refused)


def test_a_cluster_whose_good_nodes_went_is_waited_for_though_a_bad_one_is_left(crew, monkeypatch):
    """What the bad one said was known before the good one worked: it is no reason to give up."""
    play(crew, 0, Seated(fault="other files").model_dump_json())
    good = play(crew, 1)
    until(crew.slots, "it joins")
    until(lambda: good.last("seen"), "it is asked").answer(DIED)
    until(lambda: not crew.slots(), "it is gone")
    monkeypatch.setattr(crews, "JOIN_S", 0.0)
    assert crew.slots() == []


def test_a_defect_that_stays_ends_the_run_and_is_waited_for_by_nobody(crew, monkeypatch):
    """An actor may still work and answer; nobody takes it."""
    actor = play(crew, 0)
    (slot,) = until(crew.slots, "it joins")
    monkeypatch.setattr(crews, "CLOSE_S", 0.05)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(slot.run, Cell(key(), 1, None), Sharing(1, 1))
        until(lambda: actor.last("make"), "it is ordered")

        def defect(_):
            raise RuntimeError("a defect")

        with monkeypatch.context() as patch:
            patch.setattr(Tenant, "look", defect)
            assert run.result(20).attempt is None
    actor.last("make").answer((Told(attempt=scored()).model_dump_json(), result(), None))
    with pytest.raises(RuntimeError, match="a defect"):
        crew.slots()


@pytest.mark.parametrize(("resource", "share", "headless", "needs"), [
    ("", 1, False, {"GPU": 1.0}),
    ("", 2, False, {"GPU": 0.5}),
    ("", 1, True, {"CPU": 1.0}),
    ("place", 2, False, {"place": 1.0}),
])  # fmt: skip
def test_what_a_server_leases(resource, share, headless, needs):
    assert lease_of(resource, share, headless=headless).needs == needs


@pytest.mark.parametrize("resource", ["GPU", "CPU", "a b", "-x"])
def test_no_name_of_a_resource(resource):
    with pytest.raises(UsageError, match="--ray-resource"):
        lease_of(resource, 1, headless=False)


def test_the_room_of_a_cluster():
    """Shares of a GPU do not add up over GPUs or nodes; a dead node has none."""
    ray = Ray()
    have = [({"GPU": 2.0, "place": 3.0}, True), ({"GPU": 1.0}, True), ({"GPU": 8.0}, False)]
    ray.nodes = lambda: [{"Resources": resources, "Alive": alive} for resources, alive in have]
    room = Cluster(ray, "x:1").room
    assert [room(Lease(gpu=1 / share)) for share in (1, 2, 3)] == [3, 6, 9]
    assert (room(Lease(resource="place")), room(Lease(cpu=1.0))) == (3, 0)


@pytest.mark.parametrize(("version", "fits"), [("2.51.9", False), ("2.52.0", True), ("3.0.0.dev0", True)])
def test_versions_of_ray(monkeypatch, version, fits):
    module = ModuleType("ray")
    module.__version__ = version
    monkeypatch.setitem(sys.modules, "ray", module)
    if fits:
        assert ray_module() is module
    else:
        with pytest.raises(EnvironmentFault, match=r"ray is 2\.51\.9; it must be 2\.52 or newer: pip install"):
            ray_module()


def test_without_ray_a_run_says_what_to_install(runs, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    ran = runs.run("--engine", "ray", "--ray-resource", "place", code=7)
    assert "pip install '.[ray]'" in ran.err


def test_options_of_ray_without_the_engine_are_refused(runs):
    assert "--engine ray" in runs.run("--ray-address", "local", code=2).err


class Init:
    """A module whose ``init`` notes what it is given, and does what Ray does to SIGTERM."""

    exceptions = Ray.exceptions
    __version__ = "2.60.0"

    def __init__(self) -> None:
        self.given: dict[str, object] = {}
        self.over = 0

    def init(self, **given):
        self.given = given
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return SimpleNamespace(address_info={"gcs_address": "x:1"})

    def shutdown(self):
        self.over += 1


@pytest.fixture
def init(monkeypatch):
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_ADDRESS"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    made = Init()
    monkeypatch.setitem(sys.modules, "ray", made)
    return made


def test_a_ray_of_our_own_has_a_token_and_no_dashboard(init):
    before = signal.getsignal(signal.SIGTERM)
    with joined("local", Lease(resource="place"), 3):
        assert signal.getsignal(signal.SIGTERM) == before
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
    assert init.given["include_dashboard"] is False
    assert init.given["resources"] == {"place": 3.0}
    assert init.over == 1


def test_how_a_cluster_authenticates_is_left_as_it_is(init, monkeypatch):
    """Neither on nor off: who started the cluster has decided."""
    with socket.create_server(("127.0.0.1", 0)) as head:
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{head.getsockname()[1]}")
        with joined("auto", Lease(cpu=1.0), 1):
            assert not {name for name in os.environ if name.startswith("RAY_AUTH")}
    assert init.given["include_dashboard"] is False
    assert init.given["address"] == os.environ["RAY_ADDRESS"]
    assert "resources" not in init.given


def test_an_address_at_which_nobody_listens_is_refused_at_once(init):
    """Ray itself would try for minutes, and end the process then."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(EnvironmentFault, match=r"Connection refused\. Run on a node"), joined(address, Lease(), 1):
        pass
    with pytest.raises(UsageError, match="HOST:PORT"), joined("ray://head:10001", Lease(), 1):
        pass
    assert init.given == {}


def test_gpus_under_both_names():
    said = (Gpu("1", 2), Gpu("GPU-aaaa", 0))
    assert leased(("0",), said) == (Gpu("0", 0),)
    assert leased(("1",), said) == (Gpu("1", 2),)
    assert leased(("GPU-aaaa",), said) == (Gpu("GPU-aaaa", 0),)
    assert leased((), said) == ()
    with pytest.raises(EnvironmentFault, match="--gpus GPU-bbbb:ADAPTER"):
        leased(("GPU-bbbb",), said)


def test_attempts_find_what_the_node_s_ray_was_started_with(monkeypatch):
    """Not what Ray adds for its workers: a number of threads would change how long a policy thinks."""
    given = {"PATH": os.environ["PATH"], "OURS": "1", "RAY_AUTH_TOKEN": "secret"}
    with subprocess.Popen([sys.executable, "-c", "input()"], env=given, stdin=subprocess.PIPE) as raylet:
        until(lambda: b"OURS" in Path(f"/proc/{raylet.pid}/environ").read_bytes(), "it runs")
        monkeypatch.setattr(seat.os, "getppid", lambda: raylet.pid)
        for name, value in {**given, "OURS": "2", "OMP_NUM_THREADS": "1", "RAY_JOB_ID": "1"}.items():
            monkeypatch.setenv(name, value)
        assert seat.environment_of_node() == {"PATH": given["PATH"], "OURS": "2"}
        raylet.communicate(b"\n")
