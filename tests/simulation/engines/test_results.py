"""What a run is as results: comfort, and why routes have none."""

from __future__ import annotations

import json
import shutil


def test_comfort_comes_from_the_counted_attempts(bestrand, runs):
    """What agents wrote of each step lies where the benchmark's script and ours look for it, and survives the view."""
    runs.routes(1713, 1714)
    runs.order("1713:setup@1,steps")
    runs.run("--servers", 2, "--repeats", 2)
    infos = [name for name in runs.results() if name.endswith("/metric_info.json")]
    assert len(infos) == 4
    names = {json.loads(path.read_text())["_checkpoint"]["records"][0]["save_name"]
             for path in (runs.path / "results").glob("*/*.json")}  # fmt: skip
    assert {name.split("/")[1] for name in infos} == names
    shutil.rmtree(runs.path / "results")
    runs.run("--repeats", 2)
    assert [name for name in runs.results() if name.endswith("/metric_info.json")] == infos
    ran = bestrand("compress", "bench2drive", "--routes", runs.folder / "routes.xml", "--probe", runs.path, "--k", 2,
                   "--out", runs.folder / "suite")  # fmt: skip
    assert ran.code == 0, ran.err
    suite = json.loads((runs.folder / "suite/suite.json").read_text())
    assert suite["probes"][0]["full"]["comfort"] == 50.0


def test_a_run_is_read_as_results_and_an_estimate_says_why_a_route_has_none(bestrand, bench, runs):
    """With what simulated it; the suite's folder is what ``--routes`` takes."""
    place = runs.folder / "suite"
    assert (
        bestrand("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 6, "--out", place).code
        == 0
    )
    lost = json.loads((place / "suite.json").read_text())["chosen"][3]
    arguments = runs.arguments("--servers", 2, "--max-attempts", 2)
    arguments[arguments.index("--routes") + 1] = str(place)
    runs.order(f"{lost}:setup@1,{lost}:simulation_crash")
    assert bestrand(*arguments).code == 6
    said = bestrand("estimate", place, "--results", runs.path, "--missing", "exclude", "--json").json
    assert (said["policy"], said["simulator"], said["items"]["present"]) == ("run", "carla", 5)
    assert said["items"]["missing"] == [lost]
    assert said["items"]["reasons"] == {lost: "no result after 2 attempts (setup_failed, simulation_crash)"}
