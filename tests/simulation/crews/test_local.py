"""Runs without a fault: what is stored, what is read from it, and what a second start does."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from bestrand_drive.simulation.adapters.checkout import version_of
from tests.faults.runs import record_of
from tests.faults.stand_in.checkout import HERE
from tests.simulation.attempts.made import tree


def test_every_route_once(runs):
    ran = runs.run("--servers", 2)
    assert runs.endings() == ["Completed"] * 4
    assert runs.results() == [f"0/RouteScenario_{route}.json" for route in range(1711, 1715)]
    assert "run: 4 of 4 routes and repeats have a result" in ran.out
    assert runs.left() == []
    assert list((runs.path / "work").rglob("*.json")) == []


def test_what_an_attempt_says_of_itself(runs):
    runs.order("slow=1")
    runs.run("--only", "1712")
    (attempt,) = runs.attempts()
    key = attempt.key
    assert (attempt.number, key.seed, key.simulator, key.carla_version) == (1, 0, "carla", "0.9.15")
    assert (attempt.carla_build, attempt.ticks) == ("0.9.15", 20)
    assert attempt.speed == pytest.approx(attempt.game_s / attempt.system_s, abs=1e-3)
    assert attempt.load.servers == attempt.load.servers_per_gpu == 1
    assert attempt.evaluator.root == str(runs.folder / "checkout")
    assert attempt.evaluator.commit == attempt.key.evaluator_commit
    assert len(set(attempt.ports)) == 4
    assert min(attempt.ports) >= runs.port_base
    assert [(runs.path / "logs" / name).is_file() for name in attempt.logs] == [True]
    assert attempt.wall_s > 1


def test_the_same_command_again_does_nothing(runs):
    runs.run("--servers", 2)
    before = tree(runs.path)
    ran = runs.run("--servers", 2)
    assert tree(runs.path) == before
    assert "attempt" not in ran.out.split("4 of 4")[0]


def test_what_was_lost_of_the_view_is_made_again(runs):
    runs.routes(1712, 1713)
    runs.run()
    (runs.path / "results/0/RouteScenario_1712.json").unlink()
    (runs.path / "results/0/RouteScenario_1713.json").write_text("{}")
    runs.run()
    assert record_of(runs.path / "results/0/RouteScenario_1712.json")["route_id"] == "RouteScenario_1712_rep0"
    assert record_of(runs.path / "results/0/RouteScenario_1713.json")["route_id"] == "RouteScenario_1713_rep0"


def test_more_repeats_later_have_other_seeds(runs):
    runs.run("--only", "1711,1712")
    runs.run("--only", "1711,1712", "--repeats", 2, "--servers", 2)
    assert [(one.key.route_id, one.key.repeat, one.key.seed) for one in runs.attempts()] == [
        ("1711", 0, 0), ("1711", 1, 1), ("1712", 0, 0), ("1712", 1, 1)]  # fmt: skip
    assert runs.results() == [f"{repeat}/RouteScenario_{route}.json" for repeat in (0, 1) for route in (1711, 1712)]


def test_an_edited_route_is_run_again_and_no_other(runs):
    runs.routes(1711, 1712)
    runs.run()
    text = (runs.folder / "routes.xml").read_text()
    (runs.folder / "routes.xml").write_text(text.replace('x="3.0"', 'x="3.5"', 1))
    explained = runs.run("--explain")
    rows = [line.split() for line in explained.out.splitlines() if line.startswith("17")]
    assert [(row[0], row[2]) for row in rows] == [("1711", "run"), ("1712", "done")]
    assert "the route's content was" in explained.out
    runs.run()
    assert [(one.key.route_id, one.number) for one in runs.attempts()] == [("1711", 1), ("1711", 2), ("1712", 1)]


def test_another_agent_is_another_policy(runs):
    runs.run("--only", "1711")
    before = tree(runs.path)
    (runs.folder / "team/agent.py").write_text("def get_entry_point():\n    return 'Better'\n")
    assert "choose another --out" in runs.run("--only", "1711", code=2).err
    assert tree(runs.path) == before


def test_fail2drive_uses_a_server_for_several_routes_and_stays_in_a_town(make_runs):
    runs = make_runs("fail2drive")
    towns = {route: f"Town0{1 + route % 2}" for route in range(6)}
    runs.routes(*range(6), towns=towns)
    runs.run("--routes-per-server", 4)
    order = sorted(runs.attempts(), key=lambda one: one.started)
    assert [one.key.town for one in order] in (["Town01"] * 3 + ["Town02"] * 3, ["Town02"] * 3 + ["Town01"] * 3)
    assert [one.logs[1].rpartition("/")[2] for one in order] == ["server.1.log"] * 4 + ["server.2.log"] * 2
    assert [one.key.seed for one in runs.attempts()] == [route % 1000 + 10_000 for route in range(6)]
    assert runs.results() == [f"1/res/{route:04d}_res.json" for route in range(6)]


def test_fail2drives_other_evaluator(make_runs):
    runs = make_runs("fail2drive")
    runs.routes(75, 1075)
    runs.run("--evaluator", "local", "--servers", 2)
    assert [one.key.adapter for one in runs.attempts()] == ["fail2drive_local/1"] * 2
    assert "timestamp" in record_of(runs.path / "results/1/res/0075_res.json")


def test_the_end_as_one_object(runs):
    ran = runs.run("--json", "--only", "1711,1713")
    said = json.loads(ran.out)
    assert (said["wanted"], said["done"], said["exhausted"], said["stopped"]) == (2, 2, 0, False)
    assert [cell["status"] for cell in said["cells"]] == ["Completed", "Completed"]
    assert [attempt["route"] for attempt in said["attempts"]] == ["1711", "1713"]
    assert "slot 0: route 1711" in ran.err


def test_adopted_results_are_gone_on_with(bestrand, build, runs):
    """What was run by hand counts; only the rest is run."""
    for route in (1711, 1713):
        record = build.record(f"RouteScenario_{route}_rep0", completion=77)
        build.write(runs.folder / "old" / f"{route}.json", [record])
    commit = version_of(runs.folder / "checkout")
    adopted = bestrand("adopt", runs.folder / "old", "--out", runs.path, "--benchmark", "bench2drive",
                       "--carla-version", "0.9.15", "--evaluator-commit", commit, "--policy-id", "mine",
                       "--routes", runs.folder / "routes.xml")  # fmt: skip
    assert adopted.code == 0, adopted.err
    assert "choose another --out" in runs.run(code=2).err
    runs.run("--policy-id", "mine")
    assert [(one.key.route_id, one.adopted_from is None) for one in runs.attempts()] == [
        ("1711", False), ("1712", True), ("1713", False), ("1714", True)]  # fmt: skip
    assert record_of(runs.path / "results/0/RouteScenario_1711.json")["scores"]["score_route"] == 77


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive"])
def test_servers_are_started_and_ended_another_way(make_runs, benchmark):
    """As a container is: by a command, and by another one."""
    runs = make_runs(benchmark)
    runs.routes(1, 2)
    start = f"{shlex.quote(sys.executable)} {HERE / 'server.py'} -carla-rpc-port={{port}} -gpu={{gpu}}"
    stop = f"sh -c 'echo {{port}} >> {runs.folder}/stopped'"
    runs.run("--server-command", start, "--server-stop-command", stop, "--gpus", "0:3", "--routes-per-server", 1)
    stopped = (runs.folder / "stopped").read_text().split()
    assert [str(one.ports[0]) for one in runs.attempts()] == stopped
    assert runs.endings() == ["Completed"] * 2
