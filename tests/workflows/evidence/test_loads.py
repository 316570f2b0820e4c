"""F23: results that were made at different loads are not mixed in silence."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.simulation.attempts.loads import loads_of, mixture
from bestrand_drive.simulation.attempts.record import Load
from bestrand_drive.workflows.evidence.loads import load_notes, loads_in
from tests.simulation.attempts.made import empty_store, key, result, scored

RUN = {"schema": "bestrand-run/1", "simulator": "carla"}


def load(servers):
    return Load(servers=servers, servers_per_gpu=servers, loadavg=0.5)


def run_folder(root, *loads):
    """A run whose routes counted at these loads, and one attempt more that did not come to count."""
    store = empty_store(root)
    (root / "run.json").write_text(json.dumps(RUN))
    for route, servers in enumerate(loads, start=1):
        attempt = scored(of=key(route), load=load(servers))
        content = result(route)
        store.put(attempt, content)
        (root / "results").mkdir(exist_ok=True)
        (root / "results" / f"RouteScenario_{route}.json").write_bytes(content)
    store.put(scored(of=key(99), load=load(7)), result(99))
    return root


def test_only_what_counts_is_looked_at(tmp_path):
    assert loads_in(run_folder(tmp_path / "run", 2, 1, 2)) == {1: 1, 2: 2}


def test_other_results_tell_nothing(tmp_path):
    (tmp_path / "0.json").write_bytes(result())
    assert loads_in(tmp_path) == loads_in(tmp_path / "0.json") == {}


def test_a_mixture_is_said_and_results_without_a_load_are_not(tmp_path):
    assert mixture({}) == mixture({4: 200}) == ""
    assert "(1 at 1, 2 at 2)" in mixture({1: 1, 2: 2})
    ours = scored(of=key(1, benchmark="builtin"), load=load(3))
    assert loads_of([scored(), None, ours, scored(of=key(2), load=load(1))]) == {1: 1}


def test_probes_at_different_loads_are_told_apart(tmp_path):
    paths = [run_folder(tmp_path / "a", 1, 1), run_folder(tmp_path / "b", 2, 2), run_folder(tmp_path / "c", 1, 2)]
    alone, other, mixed = load_notes(paths)
    assert "made with 1 on a GPU, others with 2 servers" in alone
    assert "made with 2 on a GPU, others with 1 servers" in other
    assert "are mixed (1 at 1, 1 at 2)" in mixed
    assert load_notes(paths[:1]) == [""]


@pytest.mark.parametrize("as_json", [True, False])
def test_an_estimate_warns(bestrand, bench, bench_suite, tmp_path, as_json):
    suite = json.loads((bench_suite / "suite.json").read_text())
    chosen = suite["chosen"]
    folder = tmp_path / "run"
    store = empty_store(folder)
    (folder / "run.json").write_text(json.dumps(RUN))
    (folder / "results").mkdir()
    for number, route in enumerate(chosen):
        content = result(route)
        store.put(scored(of=key(route), load=load(1 + (number == 0))), content)
        (folder / "results" / f"RouteScenario_{route}.json").write_bytes(content)
    ran = bestrand("estimate", bench_suite, "--results", folder, *(["--json"] if as_json else []))
    assert ran.code == 0, ran.err
    if as_json:
        assert ran.json["servers_per_gpu"] == {"1": len(chosen) - 1, "2": 1}
        assert any("are mixed" in line for line in ran.json["warnings"])
    else:
        assert "different numbers of servers on a GPU are mixed" in " ".join(ran.out.split())
