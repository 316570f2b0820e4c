"""What is paired: sides made alike, independent repeats, common items, the common prefix of a run that was stopped."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import bestrand_drive as bd
from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.record_parsing import RouteRecord
from bestrand_drive.benchmarks.records import PolicyResults, ReadNotes
from bestrand_drive.errors import DataRefused, Incomplete
from bestrand_drive.simulation.attempts.record import Load
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.provenance import provenance_of, refuse_unlike
from bestrand_drive.workflows.comparing.repeats import independent
from bestrand_drive.workflows.estimating.stopping import order_of
from tests.simulation.attempts.made import empty_store, key, result, scored
from tests.workflows.toys import LEVELS


def run_folder(root: Path, routes: list[str], servers: int = 1, simulator: str = "carla", **changes: object) -> Path:
    """A run whose routes all have a result."""
    store = empty_store(root)
    (root / "run.json").write_text(json.dumps({"schema": "bestrand-run/1", "simulator": simulator}))
    (root / "results" / "0").mkdir(parents=True)
    for number, route in enumerate(routes):
        content = result(route, completion=55.0 if number % 3 else 100.0)
        load = Load(servers=servers, servers_per_gpu=servers, loadavg=0.5)
        store.put(scored(of=key(route, simulator=simulator, **changes), load=load), content)
        (root / "results" / "0" / f"RouteScenario_{route}.json").write_bytes(content)
    return root


@pytest.fixture(scope="module")
def suite(bench_suite: Path) -> Suite:
    return read_suite(bench_suite)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"simulator": "headless"}, "the simulator is not the same"),
        ({"carla_version": "0.9.16"}, "the CARLA version is not the same (a 0.9.15, b 0.9.16)"),
        ({"evaluator_commit": "7ec25d10000000000"}, "the evaluator's commit is not the same"),
        ({"adapter": "bench2drive/2"}, "the way the evaluator is run is not the same"),
        ({"route_sha256": "b" * 64}, "had another content"),
        ({"servers": 4}, "a was driven with 1 servers on a GPU, b with 4"),
    ],
)
def test_sides_that_were_made_differently_are_refused(bestrand, bench_suite, suite, tmp_path, other, said):
    run_folder(tmp_path / "a", suite.chosen[:3])
    run_folder(tmp_path / "b", suite.chosen[:3], **other)
    ran = bestrand("compare", bench_suite, "--baseline", tmp_path / "a", "--candidate", tmp_path / "b")
    assert ran.code == 4
    assert said in " ".join(ran.err.split())


@pytest.mark.parametrize("said", [("carla", "headless"), ("mixed", "carla"), ("mixed", "mixed")])
def test_so_are_they_where_only_the_headers_tell(suite, tmp_path, said):
    """Results without an attempt behind them, as a copy of a run folder's results alone has them; of many too."""
    sides = [run_folder(tmp_path / name, suite.chosen[:3]) for name in "ab"]
    for side, simulator in zip(sides, said, strict=True):
        shutil.rmtree(side / "attempts")
        (side / "run.json").write_text(json.dumps({"schema": "bestrand-run/1", "simulator": simulator}))
    for compared in (lambda: bd.compare(suite, *sides), lambda: bd.compare_many(suite, sides)):
        with pytest.raises(DataRefused, match="the simulator is not the same"):
            compared()


def test_of_many_each_two_are_made_alike_though_the_first_tells_nothing(suite, tmp_path):
    bare, *sides = (run_folder(tmp_path / name, suite.chosen[:3]) for name in ("bare", "a", "b"))
    run_folder(tmp_path / "other", suite.chosen[:3], simulator="headless")
    shutil.rmtree(bare / "attempts")
    (bare / "run.json").unlink()
    assert len(bd.compare_many(suite, [bare, sides[0]]).policies) == 2
    with pytest.raises(DataRefused, match="a and other are not compared: the simulator is not the same"):
        bd.compare_many(suite, [bare, sides[0], tmp_path / "other"])


def test_sides_that_were_made_alike_are_compared(suite, tmp_path):
    run_folder(tmp_path / "a", suite.chosen[:9])
    run_folder(tmp_path / "b", suite.chosen[:9], policy="id:other", seed=7)
    found = bd.compare(suite, tmp_path / "a", tmp_path / "b")
    assert found.simulator == "carla"
    assert not any("do not say what simulated" in caution for caution in found.cautions)


def test_a_mixture_of_builds_on_one_side_is_refused_even_against_bare_files(suite, bench, tmp_path):
    folder = run_folder(tmp_path / "a", suite.chosen[:3])
    store = empty_store(folder)
    for route in suite.chosen[3:5]:
        store.put(scored(of=key(route, carla_version="0.9.14")), result(route))
        (folder / "results" / "0" / f"RouteScenario_{route}.json").write_bytes(result(route))
    with pytest.raises(DataRefused, match=r"0\.9\.14/0\.9\.15"):
        bd.compare(suite, folder, bench.results("Dan"))


def test_what_is_not_known_contradicts_nothing(suite, tmp_path):
    made = provenance_of(run_folder(tmp_path / "a", suite.chosen[:3]))
    assert made.builds["carla_version"] == {"0.9.15"}
    assert made.policy == "id:mine"
    refuse_unlike(("a", "b"), (made, provenance_of(tmp_path)), ({1}, set()))


def records(*changes: dict[str, object]) -> PolicyResults:
    """Repeats of one route that differ as said."""
    first = RouteRecord(
        *("1", "0", "Completed", Outcome.SCORED, "", 100.0, 1.0, 100.0),
        infractions={},
        duration_system_s=10.0,
        duration_game_s=20.0,
        route_length_m=100.0,
        save_name="",
        scenario_name="",
        source="0/x.json#0",
    )
    places = [{"repeat": str(number), "source": f"{number}/x.json#0"} for number in range(len(changes))]
    made = [replace(first, **place, **change) for place, change in zip(places, changes, strict=True)]
    return PolicyResults("p", "bench2drive", Path(), tuple(made), ReadNotes())


def test_the_same_seed_and_content_count_once():
    """The wall time is no evidence; the simulated one is, and so is a seed that is known to differ."""
    copies = records({}, {"duration_system_s": 99.0}, {"duration_game_s": 20.05}, {"driving_score": 60.0})
    kept, dropped = independent(copies, {})
    assert (dropped, [one.repeat for one in kept.records]) == (1, ["0", "2", "3"])
    seeds = {f"{number}/x.json": number for number in range(4)}
    assert independent(copies, seeds)[1] == 0
    assert independent(copies, dict.fromkeys(seeds, 5))[1] == 1


def test_seeds_of_fail2drive_are_its_folders():
    copies = replace(records({}, {}), benchmark="fail2drive")
    assert independent(copies, {})[1] == 0
    assert independent(copies, {"0/x.json": 3, "1/x.json": 3})[1] == 1


def test_repeats_of_a_deterministic_drive_tell_no_noise(bench, suite, tmp_path):
    for repeat in range(3):
        bench.put(tmp_path / "same" / f"seed{repeat}", bench.records("Dan", LEVELS["Dan"]))
        bench.put(tmp_path / "real" / f"seed{repeat}", bench.records("Eve", LEVELS["Eve"], run=repeat))
    found = bd.compare(suite, tmp_path / "same", tmp_path / "real")
    line = found["driving_score"]
    assert line.noise_source == "run noise not measured (baseline: one run)"
    assert line.runs == pytest.approx((1.0, 3.0))
    assert any("120 repeats have the traffic seed and the content" in caution for caution in found.cautions)


def test_repeats_on_both_sides_are_measured_noise(bench, suite, tmp_path):
    for name in ("Dan", "Eve"):
        for repeat in range(3):
            rows = bench.records(name, LEVELS[name], run=repeat)
            for row in rows:
                row["meta"]["duration_game"] += repeat / 20
            bench.put(tmp_path / name / f"seed{repeat}", rows)
    line = bd.compare(suite, tmp_path / "Dan", tmp_path / "Eve")["driving_score"]
    assert line.noise_source == "own repeats"
    assert line.paired.parts.noise > 0


def test_pairs_are_of_what_both_have_and_the_bounds_are_by_hand(bench, suite, tmp_path):
    gone = {"Dan": set(suite.chosen[:2]), "Eve": {suite.chosen[1], suite.chosen[5]}}
    for name, absent in gone.items():
        rows = bench.records(name, LEVELS[name])
        bench.put(tmp_path / name, [row for row in rows if row["route_id"].split("_")[1] not in absent])
    found = bd.compare(suite, tmp_path / "Dan", tmp_path / "Eve")
    assert found.incomplete
    assert set(found.paired) == set(suite.chosen) - gone["Dan"] - gone["Eve"]
    assert found.left_out[suite.chosen[0]] == "no result of Dan"
    assert found.left_out[suite.chosen[1]] == "no result of Dan and Eve"
    line = found["driving_score"]
    worst, best = line.if_missing
    assert worst.value < line.difference < best.value
    assert (worst.n, best.n, line.paired.n) == (24, 24, 21)
    filled = {"Dan": 100.0, "Eve": 0.0}
    for name, absent in gone.items():
        rows = bench.records(name, LEVELS[name])
        for row in rows:
            if row["route_id"].split("_")[1] in absent:
                value = filled[name]
                row["scores"] |= {"score_composed": value, "score_route": value or 0.0, "score_penalty": 1.0}
                row["infractions"] = {kind: [] for kind in row["infractions"]}
        bench.put(tmp_path / f"full {name}", rows)
    by_hand = bd.compare(suite, tmp_path / "full Dan", tmp_path / "full Eve")["driving_score"]
    assert worst.value == pytest.approx(by_hand.difference, abs=1e-4)


def test_missing_items_can_score_zero(bench, suite, tmp_path):
    rows = bench.records("Eve", LEVELS["Eve"])
    bench.put(tmp_path / "Eve", [row for row in rows if row["route_id"].split("_")[1] not in suite.chosen[:3]])
    found = bd.compare(suite, bench.results("Dan"), tmp_path / "Eve", missing="zero")
    assert len(found.paired) == suite.k
    assert not found.incomplete
    paired = bd.compare(suite, bench.results("Dan"), tmp_path / "Eve")
    assert found["driving_score"].difference < paired["driving_score"].difference


def test_a_run_that_was_stopped_counts_by_whole_blocks(bench, suite, tmp_path):
    """12 types: blocks of 10; one and a half are driven, the quick half of the second must not count."""
    order = order_of(suite)
    begun = set(order.items[: order.block + 3])
    rows = bench.records("Eve", LEVELS["Eve"])
    bench.put(tmp_path / "Eve", [row for row in rows if row["route_id"].split("_")[1] in begun])
    found = bd.compare(suite, bench.results("Dan"), tmp_path / "Eve")
    assert found.prefix == 1
    assert set(found.paired) == set(order.items[: order.block])
    assert not found.incomplete
    assert found["driving_score"].if_missing is None
    assert any("stopped early" in caution for caution in found.cautions)
    assert set(found.left_out.values()) == {"behind the last block that all sides finished"}


def test_a_few_missing_routes_are_no_early_stop(bench, suite, tmp_path):
    order = order_of(suite)
    rows = bench.records("Eve", LEVELS["Eve"])
    absent = {order.items[order.block], order.items[0]}
    bench.put(tmp_path / "Eve", [row for row in rows if row["route_id"].split("_")[1] not in absent])
    found = bd.compare(suite, bench.results("Dan"), tmp_path / "Eve")
    assert found.prefix is None
    assert len(found.paired) == suite.k - 2


def test_sides_without_a_common_item_have_nothing_to_say(bench, suite, tmp_path):
    for name, half in (("Dan", suite.chosen[::2]), ("Eve", suite.chosen[1::2])):
        rows = bench.records(name, LEVELS[name])
        bench.put(tmp_path / name, [row for row in rows if row["route_id"].split("_")[1] in half])
    with pytest.raises(Incomplete, match="no item of the suite has a result on every side"):
        bd.compare(suite, tmp_path / "Dan", tmp_path / "Eve")
