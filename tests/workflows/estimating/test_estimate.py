"""Estimates from a suite: probes recognised, missing routes, bounds, noise, domains, harmonic means, exact cases."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestrand_drive import compress, estimate, read_suite
from bestrand_drive.compression.estimation import Bound
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.estimate import SuiteEstimate
from tests.workflows.toys import LEVELS, PROBES, Bench, Record, drop_columns, write_wide

ABILITIES = ("overtaking", "merging", "emergency_brake", "give_way", "traffic_signs")


@pytest.fixture
def driven(bench: Bench, bench_suite: Path, tmp_path: Path) -> Callable[..., SuiteEstimate]:
    """Estimate a policy from records that a function may change first."""

    def call(change: Callable[[list[Record]], list[Record]], who: str = "Dan", **options: object) -> SuiteEstimate:
        records = change(bench.records(who, LEVELS[who]))
        return estimate(bench_suite, bench.put(tmp_path / f"runs{len(list(tmp_path.iterdir()))}", records), **options)

    return call


@pytest.fixture(scope="session")
def chosen(bench_suite: Path) -> list[str]:
    return read_suite(bench_suite).chosen


def route(record: Record) -> str:
    return str(record["route_id"]).split("_")[1]


def crash(record: Record) -> Record:
    return record | {"status": "Failed - Simulation crashed"}


def fail_all(records: list[Record]) -> list[Record]:
    return [
        record
        | {
            "status": "Failed - Agent got blocked",
            "infractions": record["infractions"] | {"vehicle_blocked": ["Agent got blocked at (x=1, y=2, z=0)"]},
        }
        for record in records
    ]


def perfect(records: list[Record]) -> list[Record]:
    return [
        record
        | {
            "status": "Completed",
            "infractions": {kind: [] for kind in record["infractions"]},
            "scores": {"score_route": 100, "score_penalty": 1.0, "score_composed": 100.0},
        }
        for record in records
    ]


def test_estimates_lie_inside_their_intervals_and_near_the_truth(bench, bench_suite):
    for policy in ("Dan", "Eve"):
        found = estimate(bench_suite, bench.results(policy))
        told = [result for result in found.results if result.estimate.value is not None]
        assert {"driving_score", "success", "efficiency", "route_completion"} <= {result.name for result in told}
        for result in told:
            line = result.estimate
            assert line.run.low <= line.value <= line.run.high
            assert line.policy is not None
            assert line.policy.low <= line.run.low + 1e-9
            assert line.policy.high >= line.run.high - 1e-9
            assert result.full is not None
            assert abs(line.value - result.full) < 25


def test_only_the_suite_s_items_count(bench, bench_suite, chosen, driven):
    """A run on the suite alone gives the same numbers as a run on everything."""
    whole = estimate(bench_suite, bench.results("Dan"))
    part = driven(lambda records: [record for record in records if route(record) in chosen])
    assert [r.estimate for r in part.results] == [r.estimate for r in whole.results]
    assert part.missing == ()
    assert all(result.full is None for result in part.results)
    assert whole["driving_score"].full is not None


def test_full_results_give_the_benchmark_s_own_totals(bench, bench_suite):
    records = bench.records("Dan", LEVELS["Dan"])
    found = estimate(bench_suite, bench.results("Dan"))
    composed = [record["scores"]["score_composed"] for record in records]
    clean = [
        record["status"] == "Completed" and not any(v for k, v in record["infractions"].items() if k[:3] != "min")
        for record in records
    ]
    assert found["driving_score"].full == pytest.approx(np.mean(composed))
    assert found["success"].full == pytest.approx(100 * np.mean(clean))
    kinds = {"Accident", "ParkedObstacle"}
    inside = [won for record, won in zip(records, clean, strict=True) if bench.types[route(record)] in kinds]
    assert found["ability_overtaking"].full == pytest.approx(100 * np.mean(inside))


@pytest.mark.parametrize("probe", PROBES)
def test_a_probe_gets_its_known_score_without_an_interval(bench, bench_suite, probe):
    found = estimate(bench_suite, bench.results(probe))
    records = bench.records(probe, LEVELS[probe])
    assert found["driving_score"].estimate.value == pytest.approx(
        np.mean([record["scores"]["score_composed"] for record in records]), rel=1e-6
    )
    for result in found.results:
        assert result.estimate.run is None
        assert result.estimate.policy is None
        assert result.estimate.method == "known"
        assert f"probe {probe}" in result.estimate.reason


def test_a_probe_is_recognised_by_its_suite_run_alone(bench, bench_suite, chosen, driven):
    found = driven(lambda records: [record for record in records if route(record) in chosen], "Bob", policy="anonymous")
    assert "probe Bob" in found["success"].estimate.reason


def test_a_single_changed_score_is_no_longer_the_probe(driven, chosen):
    def change(records: list[Record]) -> list[Record]:
        one = next(record for record in records if route(record) == chosen[3])
        one["scores"] = one["scores"] | {"score_route": 41.0, "score_composed": 41.0 * one["scores"]["score_penalty"]}
        one["status"] = "Failed - Agent got blocked"
        return records

    found = driven(change, "Bob")
    assert found["driving_score"].estimate.method == "blup"
    assert found["driving_score"].estimate.run is not None


def test_a_policy_that_only_agrees_on_the_suite_is_not_the_probe(toy_table, table_suite, tmp_path):
    """Right on the same few questions is no proof: the table shows that the model differs elsewhere."""
    chosen = set(read_suite(table_suite).chosen)
    other = [
        value if item in chosen else 1 - value
        for item, value in zip(toy_table.ids, toy_table.values[:, 3], strict=True)
    ]
    path = write_wide(tmp_path / "target.csv", toy_table.ids, {"other": other})
    found = estimate(table_suite, path)
    line = found["score"].estimate
    assert line.method != "known"
    assert line.run is not None
    assert any("exactly those of probe m3" in warning for warning in found.warnings)


def test_a_model_with_few_different_values_is_the_probe_when_all_items_agree(toy_table, table_suite):
    """Zeros and ones on the suite prove nothing; the same on all 80 questions do."""
    found = estimate(table_suite, toy_table.scores, policy="m3")
    line = found["score"].estimate
    assert (line.method, line.run, line.at_bound) == ("known", None, None)
    assert line.value == pytest.approx(toy_table.values[:, 3].mean())
    assert found.known
    assert not any("exactly those" in warning for warning in found.warnings)


def test_two_flawless_models_are_not_taken_for_one(toy_table, tmp_path):
    """On a few items every good model scores the same; that is no identity, and the interval must stay."""
    best = np.ones(80)
    best[::20] = 0
    columns = {"a": best, "b": toy_table.values[:, 1]}
    scores = write_wide(tmp_path / "scores.csv", toy_table.ids, columns)
    for seed in range(30):
        suite = compress("scores", scores=scores, probes=["a", "b"], k=6, seed=seed)
        if all(best[toy_table.ids.index(item)] == 1 for item in suite.chosen):
            break
    else:
        pytest.fail("no seed gives a suite on which the probe is flawless")
    target = write_wide(tmp_path / "target.csv", suite.chosen, {"mine": [1] * 6})
    line = estimate(suite, target)["score"].estimate
    assert line.run is not None, "a flawless short run is reported as the probe's known score"


def test_missing_routes_are_listed_with_reasons(driven, chosen):
    def change(records: list[Record]) -> list[Record]:
        kept = [record for record in records if route(record) != chosen[5]]
        return [crash(record) if route(record) == chosen[2] else record for record in kept]

    found = driven(change)
    assert found.missing == (chosen[2], chosen[5])
    assert found.reasons == {chosen[2]: "simulation crashed", chosen[5]: "no record"}
    assert found.suite_items == 24


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("lost", [1, 6, 15])
def test_both_bounds_bracket_the_estimate(driven, chosen, lost, seed):
    gone = set(np.random.default_rng(seed).choice(chosen, lost, replace=False).tolist())
    found = driven(lambda records: [record for record in records if route(record) not in gone], "Eve")
    assert len(found.missing) == lost
    for result in found.results:
        if result.estimate.value is None or result.name == "efficiency":
            continue
        assert result.if_missing is not None
        worst, best = result.if_missing
        assert worst - 1e-9 <= result.estimate.value <= best + 1e-9, result.name
    assert found["driving_score"].if_missing[0] < found["driving_score"].if_missing[1]


def test_missing_zero_is_scoring_zero(driven, chosen):
    gone = set(chosen[4:8])

    def zero(records: list[Record]) -> list[Record]:
        for record in records:
            if route(record) in gone:
                record["scores"] = {"score_route": 0.0, "score_penalty": 1.0, "score_composed": 0.0}
                record["status"] = "Failed - Agent got blocked"
                record["infractions"] = {kind: [] for kind in record["infractions"]}
        return records

    without = driven(lambda records: [record for record in records if route(record) not in gone], missing="zero")
    scored = driven(zero)
    for name in ("driving_score", "success", "route_completion", "ability_merging"):
        assert without[name].estimate.value == pytest.approx(scored[name].estimate.value)
        for kind in ("run", "policy"):
            one, other = (getattr(found[name].estimate, kind) for found in (without, scored))
            assert (one and (one.low, one.high)) == pytest.approx(other and (other.low, other.high))
    assert without["driving_score"].estimate.policy is not None
    assert without.missing == tuple(item for item in chosen if item in gone)
    assert without["driving_score"].estimate.value == pytest.approx(without["driving_score"].if_missing[0])


def test_a_route_without_a_score_that_is_a_number_is_missing(driven, chosen):
    def change(records: list[Record]) -> list[Record]:
        one = next(record for record in records if route(record) == chosen[0])
        one["scores"]["score_composed"] = math.nan
        return records

    found = driven(change)
    assert found.missing == (chosen[0],)
    assert found.reasons[chosen[0]]


def test_efficiency_counts_only_routes_that_logged_it(driven, chosen):
    def change(records: list[Record]) -> list[Record]:
        for record in records:
            if route(record) in chosen[:12]:
                record["infractions"]["min_speed_infractions"] = []
        return records

    found = driven(change)
    assert found.missing == (), "a route without a speed checkpoint is not missing"
    assert found["efficiency"].estimate.value is not None


def test_abilities_with_fewer_than_eight_routes_are_withheld(bench, bench_suite, chosen):
    found = estimate(bench_suite, bench.results("Dan"))
    suite = read_suite(bench_suite)
    withheld = 0
    for domain in suite.domains:
        inside = len(set(domain.items) & set(chosen))
        line = found[domain.name].estimate
        assert (line.value is None) == (inside < 8)
        if line.value is None:
            withheld += 1
            items = "item tests" if inside == 1 else "items test"
            assert line.reason == f"{inside} measured {items} it, 8 are needed"
    assert 0 < withheld < 5
    assert {domain.name for domain in suite.domains} == {f"ability_{name}" for name in ABILITIES}


def with_ceiling(suite: Path, ceiling: dict[str, dict[int, tuple[int, int]]]) -> Suite:
    return read_suite(suite).model_copy(update={"ceiling": ceiling})


MEASURED = {"success": {10: (97, 100), 22: (811, 1000), 77: (1, 2)}, "driving_score": {37: (5, 6)}}


def test_near_the_ceiling_the_measured_coverage_is_told(bench, bench_suite, tmp_path):
    target = bench.put(tmp_path / "Best", perfect(bench.records("Dan", 1.0)))
    line = estimate(with_ceiling(bench_suite, MEASURED), target)["success"].estimate
    assert line.value == pytest.approx(100, abs=0.5)
    assert line.run is not None
    assert line.run.low < 95
    assert line.at_bound is Bound.BEST
    assert line.reason == (
        "no failure in the suite: in replays of real policies at k = 22 without a failure the 95 % interval held in "
        "811 of 1000"
    )
    other = estimate(with_ceiling(bench_suite, MEASURED), target)["driving_score"].estimate
    assert "was not measured" in other.reason, "37 routes are too far from 24, and another metric's figures are not its"


def test_near_the_floor_nothing_is_said_of_suites_without_a_failure(bench, bench_suite, tmp_path):
    target = bench.put(tmp_path / "Worst", fail_all(bench.records("Dan", 1.0)))
    line = estimate(with_ceiling(bench_suite, MEASURED), target)["success"].estimate
    assert line.at_bound is Bound.WORST
    assert line.reason == "no success in the suite: how often its interval holds there was not measured"


def test_near_the_ceiling_of_an_unmeasured_benchmark_that_is_told(bench, tmp_path, bench_suite):
    target = bench.put(tmp_path / "Best", perfect(bench.records("Dan", 1.0)))
    line = estimate(with_ceiling(bench_suite, {}), target)["driving_score"].estimate
    assert "was not measured" in line.reason
    assert line.run is not None
    assert line.run.high == pytest.approx(100), "the policy is flawless on all 60 routes: its value must stay inside"


def test_no_success_at_all_keeps_an_open_interval(driven):
    line = driven(fail_all)["success"].estimate
    assert line.value == pytest.approx(0, abs=1e-6)
    assert line.run is not None
    assert line.run.low == pytest.approx(0, abs=1e-6)
    assert line.run.high > 2
    assert line.policy is not None
    assert line.policy.low == 0
    assert "no success in the suite" in line.reason


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive", "scores", "scores with groups"])
def test_all_items_give_the_exact_value(bench, fail, toy_table, tmp_path, benchmark):
    if benchmark == "bench2drive":
        probes = {name: bench.results(name) for name in PROBES}
        suite = compress("bench2drive", routes=bench.routes, probes=probes, keep=1.0)
        found = estimate(suite, bench.results("Dan"))
    elif benchmark == "fail2drive":
        suite = compress("fail2drive", routes=fail.routes, probes={"Ann": fail.results("Ann")}, keep=1.0)
        found = estimate(suite, fail.results("Eve"))
    else:
        items = toy_table.items if "groups" in benchmark else None
        suite = compress("scores", scores=toy_table.scores, items=items, probes=["m1", "m5"], keep=1.0)
        found = estimate(suite, toy_table.scores, policy="m4")
        assert found["score"].estimate.value == pytest.approx(toy_table.values[:, 4].mean())
    assert suite.k == suite.n
    for result in found.results:
        line = result.estimate
        assert result.full is not None
        tolerance = 0.1 if benchmark == "fail2drive" else 1e-5  # its own totals are rounded to one decimal
        assert line.value == pytest.approx(result.full, abs=tolerance)
        assert line.run is not None
        if "harmonic" not in result.name:
            assert line.run.high - line.run.low == pytest.approx(0, abs=1e-6)


def test_three_seeds_give_the_policy_s_own_noise(fail, fail_suite):
    own = estimate(fail_suite, fail.results("Dan"))["base_driving_score"].estimate
    assert own.noise is not None
    assert own.noise.source == "own repeats"
    suite = read_suite(fail_suite)
    runs = []
    for pair in suite.chosen:
        stem = fail.stems(pair)[0]
        files = [json.loads((fail.results("Dan") / str(seed) / f"{stem}.json").read_text()) for seed in (1, 2, 3)]
        runs.append([file["_checkpoint"]["records"][0]["scores"]["score_composed"] for file in files])
    assert own.noise.sd == pytest.approx(np.sqrt(np.var(runs, axis=1, ddof=1).mean()), rel=1e-5)
    borrowed = estimate(fail_suite, fail.results("Eve"))["base_driving_score"].estimate
    assert borrowed.noise is not None
    assert borrowed.noise.source == "borrowed: repeats of Ann"


def test_noise_is_borrowed_from_the_reference_when_no_probe_has_repeats(bench, bench_suite):
    line = estimate(bench_suite, bench.results("Dan"))["driving_score"].estimate
    assert line.noise is not None
    assert line.noise.source.startswith("borrowed: ")
    assert line.policy is not None
    assert line.run is not None
    assert line.policy.half_width > line.run.half_width


def test_without_any_reference_there_is_no_policy_interval_and_a_reason(toy_table, table_suite):
    line = estimate(table_suite, toy_table.scores, policy="m4")["score"].estimate
    assert line.run is not None
    assert line.policy is None
    assert "run noise is not known" in line.reason


@pytest.mark.parametrize("policy", ["Dan", "Eve"])
def test_a_harmonic_mean_lies_between_its_parts(fail, fail_suite, policy):
    found = estimate(fail_suite, fail.results(policy))
    for split in ("base", "generalization"):
        score, success, both = (
            found[f"{split}_{name}"].estimate for name in ("driving_score", "success", "harmonic_mean")
        )
        assert both.value == pytest.approx(2 / (1 / score.value + 1 / success.value))
        assert min(score.value, success.value) <= both.value <= max(score.value, success.value)
        assert 0 <= both.run.low < both.value < both.run.high <= 100
        assert both.run.high - both.run.low < 2 * max(p.run.high - p.run.low for p in (score, success))
        assert both.policy.low <= both.run.low
        assert both.policy.high >= both.run.high


def test_a_harmonic_mean_of_no_success_is_zero_with_an_interval_from_zero(fail, fail_suite, tmp_path):
    folder = fail.put(tmp_path / "Low", "Low", -4.0, 1)
    found = estimate(fail_suite, folder)
    score, success, both = (
        found[f"generalization_{name}"].estimate for name in ("driving_score", "success", "harmonic_mean")
    )
    assert success.value == pytest.approx(0, abs=1e-3)
    assert both.value == pytest.approx(0, abs=1e-3)
    assert both.run.low == pytest.approx(0, abs=1e-6)
    top = 2 / (1 / score.run.high + 1 / success.run.high)
    assert success.run.high / 2 < both.run.high <= top * 1.25


def test_half_a_pair_is_a_missing_pair(fail, fail_suite, tmp_path):
    folder = fail.put(tmp_path / "Half", "Half", 0.4, 1)
    pair = read_suite(fail_suite).chosen[0]
    (folder / "1" / f"{fail.stems(pair)[1]}.json").unlink()
    found = estimate(fail_suite, folder)
    assert found.missing == (pair,)
    assert found.reasons[pair] == "no record"


def test_a_group_s_score_is_the_mean_of_its_members(toy_table, tmp_path):
    suite = compress("scores", scores=toy_table.scores, items=toy_table.items, probes=["m1", "m5"], k=9)
    assert suite.metrics[0].regression is None, "groups carry weights, which the regression does not know"
    found = estimate(suite, toy_table.scores, policy="m4")
    assert found["score"].full == pytest.approx(toy_table.values[:, 4].mean())
    assert found["score"].estimate.method == "blup"
    members = [member for item in suite.items if item.id in suite.chosen for member in item.members]
    rows = [toy_table.ids.index(member) for member in members]
    part = write_wide(tmp_path / "part.csv", members, {"m4": toy_table.values[rows, 4]})
    assert estimate(suite, part)["score"].estimate == found["score"].estimate


def test_weights_are_group_sizes(tmp_path):
    """Two groups of 3 and 1 items, no probes: 3/4 of the one and 1/4 of the other."""
    ids = [f"q{number}" for number in range(4)]
    scores = write_wide(tmp_path / "s.csv", ids, {"a": [1, 1, 0, 0]})
    items = write_wide(tmp_path / "i.csv", ids, {"group": ["x", "x", "x", "y"]})
    suite = compress("scores", scores=scores, items=items, n_probes=0, k=2)
    target = write_wide(tmp_path / "t.csv", ids, {"t": [1, 1, 1, 0]})
    assert estimate(suite, target)["score"].estimate.value == pytest.approx(0.75)


def test_a_table_on_another_scale_is_refused(toy_table, table_suite, tmp_path):
    percent = write_wide(tmp_path / "percent.csv", toy_table.ids, {"m4": 100 * toy_table.values[:, 4]})
    with pytest.raises(DataRefused, match="another scale"):
        estimate(table_suite, percent)


def test_a_table_of_other_items_is_refused(table_suite, tmp_path):
    foreign = write_wide(tmp_path / "foreign.csv", ["a", "b"], {"m4": [1, 0]})
    with pytest.raises(DataRefused, match=r"foreign\.csv"):
        estimate(table_suite, foreign)


@pytest.mark.parametrize("seed", range(4))
def test_one_probe_gives_the_stratum_part_only(bench, tmp_path, seed):
    """With a single probe no slope can be told; every metric must come out, whatever its variances."""
    for probe in LEVELS:
        suite = compress("bench2drive", routes=bench.routes, probes={probe: bench.results(probe)}, k=24, seed=seed)
        for metric in suite.metrics:
            assert metric.model is not None
            assert metric.model.beta == (0, 0)
            assert metric.model.s_u2 >= 0
        found = estimate(suite, bench.results("Dan" if probe != "Dan" else "Eve"))
        assert found["driving_score"].estimate.run is not None


def test_strata_without_probes_give_stratified_means(toy_table, tmp_path):
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group", "cost_s")
    suite = compress("scores", scores=toy_table.scores, items=items, n_probes=0, k=16)
    found = estimate(suite, toy_table.scores, policy="m4")
    rows = {item: number for number, item in enumerate(toy_table.ids)}
    by_stratum = {name: [] for name in suite.strata}
    for item in suite.chosen:
        by_stratum[toy_table.strata[rows[item]]].append(toy_table.values[rows[item], 4])
    assert found["score"].estimate.value == pytest.approx(np.mean([np.mean(v) for v in by_stratum.values()]))
    assert found["score"].estimate.method == "stratified mean"
    assert "without probes" in found.warnings[0]


def test_an_unknown_metric_of_an_estimate_is_named(bench, bench_suite):
    with pytest.raises(UsageError, match="No metric 'speed' in this estimate; it has driving_score, success"):
        estimate(bench_suite, bench.results("Dan"))["speed"]
