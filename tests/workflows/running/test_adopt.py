"""``bestrand adopt``: earlier results as a run folder that says the same numbers."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.simulation.attempts.made import tree

DECLARED = ("--carla-version", "0.9.15", "--evaluator-commit", "7ec25d1")


@pytest.fixture
def quick(monkeypatch):
    """Hundreds of files are written; that they survive a power cut is not what is tested here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def adopted(bestrand, old, out, benchmark="bench2drive", *more: object):
    ran = bestrand("adopt", old, "--out", out, "--benchmark", benchmark, *DECLARED, *more)
    assert ran.code == 0, ran.err
    return ran


def estimated(bestrand, suite, results, *more: object):
    ran = bestrand("estimate", suite, "--results", results, "--missing", "exclude", "--json", *more)
    assert ran.code == 0, ran.err
    return ran.json


def without(said, *names):
    return {key: value for key, value in said.items() if key not in names}


@pytest.fixture(scope="module")
def real_suites(bestrand, shared_data, tmp_path_factory):
    """A suite of either benchmark, chosen by one real policy."""
    made = {}
    for benchmark, routes, probe in (
        ("bench2drive", "routes/bench2drive220.xml", "PDM-Lite"),
        ("fail2drive", "routes", "TFv6"),
    ):
        data, out = shared_data / benchmark, tmp_path_factory.mktemp("real") / benchmark
        ran = bestrand(
            *("compress", benchmark, "--routes", data / routes, "--probe", data / "results" / probe),
            *("--k", 40, "--out", out),
        )
        assert ran.code == 0, ran.err
        made[benchmark] = out
    return made


REAL = [
    ("bench2drive", "SimLingo", 220, 1),
    ("bench2drive", "SimLingo-repeat", 216, 1),
    ("bench2drive", "VAD", 213, 1),
    ("fail2drive", "AlignDrive", 600, 3),
    ("fail2drive", "TFv6", 600, 3),
]


@pytest.mark.parametrize(("benchmark", "policy", "attempts", "repeats"), REAL)
@pytest.mark.usefixtures("quick")
def test_real_results_say_the_same_after_adoption(
    bestrand, shared_data, real_suites, tmp_path, benchmark, policy, attempts, repeats
):
    """Every line of the machine-readable estimate, but for what simulated."""
    old, out, suite = shared_data / benchmark / "results" / policy, tmp_path / policy, real_suites[benchmark]
    said = adopted(bestrand, old, out, benchmark, "--routes", suite, "--json").json
    assert (sum(said["stored"].values()), said["counting"], len(said["repeats"])) == (attempts, attempts, repeats)
    before, after = estimated(bestrand, suite, old), estimated(bestrand, suite, out)
    assert (before["simulator"], after["simulator"]) == ("unknown", "carla")
    assert without(after, "simulator") == without(before, "simulator")


@pytest.mark.parametrize("policy", ["LEAD-TFv6", "UniAD-30bc-sharded"])
@pytest.mark.usefixtures("quick")
def test_failed_and_doubled_real_records_change_no_number(bestrand, shared_data, real_suites, tmp_path, policy):
    """What did not count is no longer among the results; the attempts still hold it, and the estimates are the same."""
    old, suite = shared_data / "bench2drive" / "results" / policy, real_suites["bench2drive"]
    said = adopted(bestrand, old, tmp_path / policy, "bench2drive", "--json").json
    assert said["stored"]["infrastructure"] > 0
    before, after = estimated(bestrand, suite, old), estimated(bestrand, suite, tmp_path / policy)
    assert after["metrics"] == before["metrics"]
    assert without(after["items"], "reasons") == without(before["items"], "reasons")
    assert after["counts"]["usable_routes"] == before["counts"]["usable_routes"]
    assert after["warnings"] == before["warnings"]


def test_what_was_adopted_is_said(bestrand, build, tmp_path):
    crashed = build.record("RouteScenario_1_rep0", "Failed - Simulation crashed", 30)
    for seed in (1, 3):
        records = [build.record("RouteScenario_1_rep0", completion=seed), build.record("RouteScenario_2_rep0")]
        build.write(tmp_path / "old" / f"seed{seed}" / "a.json", [*records, crashed, records[1]])
    routes = tmp_path / "routes.xml"
    routes.write_bytes(build.routes(build.route(1)))
    ran = adopted(bestrand, tmp_path / "old", tmp_path / "run", "bench2drive", "--routes", routes)
    assert ran.out.splitlines()[0] == (
        f"old: 6 attempts on 2 routes adopted into {tmp_path / 'run'} "
        "(4 scored, 0 agent crashed, 2 infrastructure); 4 count"
    )
    assert "note: repeats 1, 3 became 0 to 1" in ran.out
    assert "note: 2 records repeat another one of the same route" in ran.out
    assert "note: 1 routes are not in --routes, their content stays undeclared: 2" in ran.out
    again = adopted(bestrand, tmp_path / "old", tmp_path / "run", "bench2drive")
    assert again.out.splitlines()[0] == f"old: all 6 attempts are in {tmp_path / 'run'} already; nothing was added"
    assert " count" not in again.out
    assert "a later edit of a route cannot be noticed" in again.out


def test_repeats_that_come_later_do_not_count_and_it_is_said(bestrand, build, tmp_path):
    for number in (1, 2):
        build.write(tmp_path / str(number) / "a.json", [build.record("RouteScenario_1_rep0", completion=number)])
        ran = adopted(bestrand, tmp_path / str(number), tmp_path / "run", "bench2drive", "--policy-name", "p")
    assert (
        "1 attempts do not count: an earlier one of that route and repeat does (adopt all repeats at once)" in ran.out
    )
    (counted,) = tree(tmp_path / "run" / "results").values()
    assert json.loads(counted)["_checkpoint"]["records"][0]["scores"]["score_route"] == 1


def test_it_is_a_probe_and_a_target_like_its_origin(bestrand, bench, bench_suite, tmp_path):
    old, run = bench.results("Dan"), tmp_path / "Dan"
    adopted(bestrand, old, run, "bench2drive", "--routes", bench.routes)
    assert without(estimated(bestrand, bench_suite, run), "simulator") == without(
        estimated(bestrand, bench_suite, old), "simulator"
    )
    made = []
    for number, probe in enumerate((old, run)):
        out = tmp_path / f"suite{number}"
        arguments = ("compress", "bench2drive", "--routes", bench.routes, "--probe", probe, "--k", 24, "--out", out)
        assert bestrand(*arguments).code == 0
        made.append((out / "suite.json").read_bytes())
    assert made[0] == made[1]


def test_an_adopted_run_can_be_adopted(bestrand, bench, bench_suite, tmp_path):
    adopted(bestrand, bench.results("Dan"), tmp_path / "Dan", "bench2drive")
    adopted(bestrand, tmp_path / "Dan", tmp_path / "twice", "bench2drive", "--policy-name", "Dan")
    first, second = (estimated(bestrand, bench_suite, tmp_path / n, "--policy", "x") for n in ("Dan", "twice"))
    assert first == second


def test_results_of_the_headless_server_do_not_become_carlas(bestrand, bench, bench_suite, tmp_path):
    adopted(bestrand, bench.results("Dan"), tmp_path / "Dan", "bench2drive", "--simulator", "headless")
    assert estimated(bestrand, bench_suite, tmp_path / "Dan")["simulator"] == "headless"
    said = bestrand("estimate", bench_suite, "--results", tmp_path / "Dan").out
    assert said.startswith("Dan on bench2drive (unknown route set), simulated in headless: ")
    arguments = ("adopt", tmp_path / "Dan", "--out", tmp_path / "run", "--benchmark", "bench2drive", *DECLARED)
    ran = bestrand(*arguments)
    assert ran.code == 2
    assert "simulated in headless, declared as carla" in ran.err
    assert bestrand(*arguments, "--simulator", "headless").code == 0


REFUSED = {
    "absent results": (("absent", "--benchmark", "bench2drive", *DECLARED), 4, "no such file"),
    "no version": (("old", "--benchmark", "bench2drive", "--evaluator-commit", "x"), 2, "--carla-version"),
    "no commit": (("old", "--benchmark", "bench2drive", "--carla-version", "x"), 2, "--evaluator-commit"),
    "no benchmark": (("old", *DECLARED), 2, "--benchmark"),
    "another evaluator": (("fail", "--benchmark", "bench2drive", *DECLARED), 4, "--allow-evaluator-mismatch"),
    "absent routes": (("old", "--benchmark", "bench2drive", *DECLARED, "--routes", "absent"), 4, "cannot be read"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_mistakes_leave_no_folder(bestrand, bench, fail, tmp_path, case):
    arguments, code, word = REFUSED[case]
    places = {"old": bench.results("Dan"), "fail": fail.results("Ann"), "absent": tmp_path / "absent"}
    ran = bestrand("adopt", *(places.get(part, part) for part in arguments), "--out", tmp_path / "run")
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert word in ran.err
    assert not (tmp_path / "run").exists()


def test_another_policy_in_the_folder_is_refused(bestrand, bench, tmp_path):
    adopted(bestrand, bench.results("Dan"), tmp_path / "run", "bench2drive")
    before = tree(tmp_path / "run")
    ran = bestrand(*("adopt", bench.results("Eve"), "--out", tmp_path / "run", "--benchmark", "bench2drive", *DECLARED))
    assert ran.code == 2
    assert "a run of policy Dan (id:Dan), not of Eve (id:Eve)" in ran.err
    assert tree(tmp_path / "run") == before


def test_a_damaged_attempt_is_set_aside_and_adopted_anew(bestrand, bench, tmp_path):
    adopted(bestrand, bench.results("Dan"), tmp_path / "run", "bench2drive")
    before = tree(tmp_path / "run")
    victim = next(iter(sorted((tmp_path / "run" / "attempts").glob("*/1.json"))))
    victim.write_bytes(victim.read_bytes()[:100])
    ran = adopted(bestrand, bench.results("Dan"), tmp_path / "run", "bench2drive")
    assert "moved into the quarantine" in ran.out
    assert ": 1 attempts on 1 routes" in ran.out
    after = tree(tmp_path / "run")
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2


def test_a_full_disk_is_an_error_of_the_environment(bestrand, bench, tmp_path, monkeypatch):
    """F10: and the same command goes on where it stopped."""
    calls: list[Path] = []
    real = os.link

    def full(source, target, **more):
        calls.append(target)
        if len(calls) == 20:
            raise OSError(28, "No space left on device")
        real(source, target, **more)

    monkeypatch.setattr(os, "link", full)
    ran = bestrand(*("adopt", bench.results("Dan"), "--out", tmp_path / "run", "--benchmark", "bench2drive", *DECLARED))
    assert (ran.code, ran.out) == (7, "")
    assert "No space left" in ran.err
    adopted(bestrand, bench.results("Dan"), tmp_path / "run", "bench2drive")
    shutil.copytree(bench.results("Dan"), tmp_path / "Dan")
    adopted(bestrand, tmp_path / "Dan", tmp_path / "whole", "bench2drive")
    names = ("attempts", "results")
    assert [tree(tmp_path / "run" / name) for name in names] == [tree(tmp_path / "whole" / name) for name in names]
