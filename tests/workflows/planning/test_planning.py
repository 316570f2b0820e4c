"""Plans: they agree with compress, serve every metric, and give one clear answer at every end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bestrand_drive import compress
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.theory import r1_squared
from bestrand_drive.errors import DataRefused, NothingSelected, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.tabular import TableSource, table_evidence
from bestrand_drive.workflows.planning.outlook import LEAST_POSITIVE
from bestrand_drive.workflows.planning.plan_request import PlanRequest
from bestrand_drive.workflows.planning.planning import noise_of_runs, plan_evidence, plan_suite

PROBES = ("Ann", "Bob", "Cid")


def evidence_of(values: np.ndarray, names: tuple[str, ...] = ("score",), probes: tuple[str, ...] = ()):
    """A table: [item, model] or [item, model, metric]."""
    dense = values if values.ndim == 3 else values[:, :, None]
    items, models, _ = dense.shape
    specs = [MetricSpec(name) for name in names]
    matrix = ScoreMatrix.from_arrays(
        dense, items=[f"q{i}" for i in range(items)], policies=[f"m{i}" for i in range(models)], metrics=specs
    )
    return table_evidence(TableSource(matrix, probes=probes))


def world(items: int = 200, models: int = 6, rho: float = 0.4, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sqrt(rho) * rng.normal(size=(items, 1)) + np.sqrt(1 - rho) * rng.normal(size=(items, models))


def bench_evidence(bench):
    known = load_benchmark("bench2drive", bench.routes)
    return driving_evidence(known, [ResultSource(name, bench.results(name)) for name in PROBES])


@pytest.mark.parametrize("k", [12, 24, 47])
def test_plan_and_compress_agree_on_routes(bench, k):
    """The plan averages over random subsets where compress has the one chosen: within 3 %, metric by metric."""
    plan = plan_evidence(bench_evidence(bench), PlanRequest(k=k))
    suite = compress("bench2drive", routes=bench.routes, probes={name: bench.results(name) for name in PROBES}, k=k)
    assert len(plan.metrics) == 3
    for one in plan.metrics:
        assert one.run.expected == pytest.approx(suite.metric(one.outlook.name).expected_error, rel=0.03)
    hours = suite.predicted_hours()
    assert plan.hours.mean == pytest.approx(hours[1] * k / suite.n, rel=1e-6)
    assert plan.hours.least <= plan.hours.mean <= plan.hours.most
    assert plan_suite(suite, PlanRequest()).hours.mean == pytest.approx(hours[0], rel=1e-6), "of its own routes"


@pytest.mark.parametrize("selector", ["balanced", "bestrand", "random"])
@pytest.mark.parametrize("items", [False, True])
def test_plan_and_compress_agree_on_tables(toy_table, selector, items):
    table = toy_table.items if items else None
    source = TableSource(toy_table.scores, items=table, probes=("m1", "m3", "m6"))
    for k in (5, 9):
        plan = plan_evidence(table_evidence(source), PlanRequest(k=k, selector=selector))
        suite = compress(
            "scores", scores=toy_table.scores, items=table, probes=["m1", "m3", "m6"], k=k, selector=selector
        )
        wanted = suite.metrics[0].expected_error
        within = 0.25 if items or selector == "bestrand" else 1e-6
        assert plan.metrics[0].run.expected == pytest.approx(wanted, rel=within), (
            "groups differ in size, so which are chosen matters, and bestrand's suite knows its pool only; else the "
            "formula is the same"
        )


def test_a_suite_alone_tells_its_own_errors(bench_suite, table_suite, fail_suite):
    for folder in (bench_suite, table_suite, fail_suite):
        suite = read_suite(folder)
        plan = plan_suite(suite, PlanRequest())
        assert plan.k == suite.k
        for one in plan.metrics:
            assert one.run.expected == pytest.approx(suite.metric(one.outlook.name).expected_error, rel=1e-6)


def test_a_suite_alone_plans_other_sizes(bench, bench_suite):
    """What it keeps leads where the probes' own scores lead; differences are the cautious end."""
    own = plan_suite(read_suite(bench_suite), PlanRequest(k=40))
    full = plan_evidence(bench_evidence(bench), PlanRequest(k=40, metrics=tuple(m.outlook.name for m in own.metrics)))
    for one, two in zip(own.metrics, full.metrics, strict=True):
        assert one.run.expected == pytest.approx(two.run.expected, rel=0.05)
        assert one.run.detects >= 0.95 * two.run.detects


def test_both_ways_meet():
    """The smallest k for the P95 error that a k has is that k, for one target and for many."""
    evidence = evidence_of(world())
    for targets in (1, 7):
        for selector in ("random", "balanced", "bestrand"):
            there = plan_evidence(evidence, PlanRequest(k=40, targets=targets, selector=selector))
            goal = there.metrics[0].at.p95 * (1 + 1e-9)
            back = plan_evidence(
                evidence, PlanRequest(goal="p95", wanted={"": goal}, targets=targets, selector=selector)
            )
            assert back.k == 40
    for goal, wanted in (("error", there.metrics[0].at.expected), ("detect", there.metrics[0].at.detects)):
        request = PlanRequest(goal=goal, wanted={"": wanted * (1 + 1e-9)}, targets=7, selector="bestrand")
        assert plan_evidence(evidence, request).k == 40


def test_many_targets_err_less_at_the_95th_percentile():
    evidence = evidence_of(world())
    one, many = (plan_evidence(evidence, PlanRequest(k=40, targets=count)).metrics[0].at for count in (1, 50))
    assert one.expected == many.expected
    assert one.p95 > 1.3 * many.p95


def test_the_size_that_serves_every_metric():
    both = np.stack([world(seed=1), 3 * world(seed=2)], axis=2)
    plan = plan_evidence(evidence_of(both, ("small", "large")), PlanRequest(goal="p95", wanted={"": 0.4}))
    sizes = {one.outlook.name: one.k for one in plan.metrics}
    assert sizes["small"] < sizes["large"] == plan.k
    named = PlanRequest(goal="p95", wanted={"": 0.4, "large": 1.2})
    equal = {one.outlook.name: one.k for one in plan_evidence(evidence_of(both, ("small", "large")), named).metrics}
    assert equal["large"] == pytest.approx(equal["small"], rel=0.15)
    with pytest.raises(UsageError, match="nothing is said of small"):
        plan_evidence(evidence_of(both, ("small", "large")), PlanRequest(goal="p95", wanted={"large": 1.0}))


NOISE = {"score": Noise(1.0, "own repeats: a, b")}


def test_below_the_noise_floor_there_is_no_size():
    """One run of 200 items with noise 1: P95 1.96 / sqrt(200) = .1386, mean sqrt(2 / pi) / sqrt(200) = .0564."""
    evidence = evidence_of(world())
    plan = plan_evidence(evidence, PlanRequest(goal="p95", wanted={"": 0.13}), NOISE)
    assert plan.k is None
    assert plan.metrics[0].k is None
    assert "noise floor" in plan.notes[0]
    assert plan.metrics[0].floor.p95 == pytest.approx(0.1386, abs=2e-4)
    assert plan.metrics[0].floor.expected == pytest.approx(0.0564, abs=1e-4)
    just = plan_evidence(evidence, PlanRequest(goal="p95", wanted={"": 0.15}), NOISE)
    assert 100 < just.k < 200
    about_this_run = plan_evidence(evidence, PlanRequest(goal="p95", wanted={"": 0.13}, claim="run"), NOISE)
    assert about_this_run.k == plan_evidence(evidence, PlanRequest(goal="p95", wanted={"": 0.13})).k
    assert "finer than a re-run" in about_this_run.notes[0]


def test_noise_is_in_the_claim_about_policies_only():
    """Var + s^2 / N, and twice that for two policies."""
    at = plan_evidence(evidence_of(world()), PlanRequest(k=50), NOISE).metrics[0]
    assert at.claim == "policy"
    assert (at.at.p95 / 1.959964) ** 2 == pytest.approx((at.run.p95 / 1.959964) ** 2 + 1 / 200, rel=1e-3)
    ratio = at.run.detects / math.sqrt(at.outlook.difference(50).variance)
    assert (at.at.detects / ratio) ** 2 == pytest.approx(at.outlook.difference(50).variance + 2 / 200, rel=1e-6)
    with pytest.raises(UsageError, match="run noise of score is not known"):
        plan_evidence(evidence_of(world()), PlanRequest(k=50, claim="policy"))


def test_ends_of_the_sizes():
    evidence = evidence_of(world(items=30))
    assert plan_evidence(evidence, PlanRequest(goal="p95", wanted={"": 100.0})).k == 1
    assert plan_evidence(evidence, PlanRequest(goal="error", wanted={"": 1e-9})).k == 30
    whole = plan_evidence(evidence, PlanRequest(k=30)).metrics[0]
    assert (whole.at.expected, whole.at.p95, whole.at.detects, whole.break_even) == (0.0, 0.0, 0.0, None)
    one = plan_evidence(evidence, PlanRequest(k=1)).metrics[0]
    assert one.at.detects is None
    assert plan_evidence(evidence, PlanRequest(goal="detect", wanted={"": 1e6})).k == 2
    with pytest.raises(NothingSelected, match="31 items"):
        plan_evidence(evidence, PlanRequest(k=31))


@pytest.mark.parametrize("targets", [1, 3])
def test_one_probe_tells_no_correlation(targets):
    """No help by probes, errors of several targets taken for one, differences for unrelated."""
    values = world(models=4)
    plan = plan_evidence(evidence_of(values, probes=("m0",)), PlanRequest(k=20, targets=targets))
    found = plan.metrics[0]
    sd = math.sqrt(values[:, 0].var(ddof=1) * (1 / 20 - 1 / 200) * 200 / 199)
    assert found.at.p95 == pytest.approx(1.959964 * sd, rel=1e-3)
    assert (found.outlook.correlation, found.outlook.doubt) == (None, None)
    assert found.break_even.if_run is None


def test_unrelated_probes_are_no_guide():
    """Two policies that fail on opposite items."""
    values = np.stack([np.tile([0.0, 1.0], 30), np.tile([1.0, 0.0], 30)], axis=1)
    plan = plan_evidence(evidence_of(values), PlanRequest(goal="p95", wanted={"": 0.1}, targets=4))
    assert 1 < plan.k < 60
    assert any("no guide" in note for note in plan.notes)
    assert plan.metrics[0].break_even.if_run is None


def test_opposed_kinds_of_policies_are_said():
    """Half of the policies score where the others do not: every mixed pair is negatively related, 9 of 15."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(100, 1)) * np.array([1, 1, 1, -1, -1, -1]) + 0.3 * rng.normal(size=(100, 6))
    notes = plan_evidence(evidence_of(values), PlanRequest(k=10)).notes
    assert any("60% of the pairs" in note for note in notes)
    assert plan_evidence(evidence_of(world()), PlanRequest(k=10)).notes == []


def test_many_targets_of_opposed_kinds_err_together_on_a_random_suite():
    """What one policy gains its opposite loses, but both err: a mean correlation near 0 would promise half the P95."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(100, 1)) * np.array([1, 1, 1, -1, -1, -1]) + 0.3 * rng.normal(size=(100, 6))
    request = PlanRequest(k=10, selector="random", estimator="mean")
    one, many = (plan_evidence(evidence_of(values), replace(request, targets=n)).metrics[0].at.p95 for n in (1, 20))
    assert 0.9 * one < many <= one


@pytest.mark.parametrize(("k", "said"), [(40, True), (10, False)])
def test_a_suite_says_that_its_probes_are_of_opposed_kinds(tmp_path, k, said):
    """By the chosen items' scores, the only ones it keeps: of few items the signs say nothing."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(100, 1)) * np.array([1, 1, 1, -1, 1, 1]) + 0.3 * rng.normal(size=(100, 6))
    table = tmp_path / "scores.csv"
    rows = [f"q{i}," + ",".join(map(str, row)) for i, row in enumerate((values - values.min()).tolist())]
    table.write_text("\n".join(["item,a,b,c,d,e,f", *rows]) + "\n")
    compress("scores", scores=table, k=k, out=tmp_path / "suite")
    notes = plan_suite(read_suite(tmp_path / "suite"), PlanRequest()).notes
    assert any("33% of the pairs" in note for note in notes) == said


@pytest.mark.parametrize(("r", "left"), [(0.3, 0.94), (0.4, 0.90), (0.5, 0.86)])
def test_what_the_share_of_positive_pairs_is_worth(r, left):
    """Two opposed kinds: what is said by their mean correlation, and the truth, in which signs do not matter."""
    mean = r * (2 * LEAST_POSITIVE - 1)
    assert math.sqrt((1 - r1_squared(r, 5)) / (1 - r1_squared(mean, 5))) == pytest.approx(left, abs=0.006)


def test_a_constant_metric_is_left_out_of_the_answer():
    both = np.stack([world(), np.full((200, 6), 0.5)], axis=2)
    plan = plan_evidence(evidence_of(both, ("real", "flat")), PlanRequest(goal="p95", wanted={"": 0.3}))
    assert plan.k == plan.metrics[0].k is not None
    assert plan.metrics[1].k is None
    assert "flat: no probe's score varies" in plan.notes[0]
    with pytest.raises(DataRefused, match="no probe's score varies"):
        plan_evidence(evidence_of(np.full((20, 3), 1.0)), PlanRequest(k=3))


def test_probes_that_share_too_few_items():
    values = world(items=60, models=3)
    for model in range(3):
        values[model * 20 : model * 20 + 20, np.arange(3) != model] = np.nan
    with pytest.raises(DataRefused, match="overlap on too few items"):
        plan_evidence(evidence_of(values), PlanRequest(k=3))


def test_hours(toy_table):
    source = TableSource(toy_table.scores, items=toy_table.items)
    total = plan_evidence(table_evidence(source), PlanRequest(keep=1.0)).hours.mean
    plan = plan_evidence(table_evidence(source), PlanRequest(hours=total / 2))
    assert plan.k == plan.terms.items // 2
    assert plan.hours.mean <= total / 2
    with pytest.raises(NothingSelected, match="even one item"):
        plan_evidence(table_evidence(source), PlanRequest(hours=1e-6))
    with pytest.raises(UsageError, match="--hours needs durations"):
        plan_evidence(table_evidence(TableSource(toy_table.scores)), PlanRequest(hours=1))


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (PlanRequest(), "exactly one of --p95"),
        (PlanRequest(k=3, keep=0.5), "exactly one of --p95"),
        (PlanRequest(goal="p95", wanted={"": 1.0}, k=3), "exactly one of --p95"),
        (PlanRequest(goal="p95", wanted={"": 0.0}), "--p95 0: goals and sizes"),
        (PlanRequest(goal="p95", wanted={"": float("nan")}), "--p95 nan: goals and sizes"),
        (PlanRequest(goal="p95", wanted={"score": 1.0, "speed": 1.0}), "--p95 speed: not planned"),
        (PlanRequest(k=3, targets=0), "--targets 0"),
        (PlanRequest(k=3, claim="runs"), "--claim runs: known are"),
        (PlanRequest(k=3, selector="anchor-points"), "--selector anchor-points: planned are"),
        (PlanRequest(k=3, estimator="blup"), "--estimator blup: planned are"),
        (PlanRequest(k=3, pool_factor=0.5), "--pool-factor 0.5"),
        (PlanRequest(k=3, candidates=0), "--candidates 0"),
        (PlanRequest(k=3, seed=-1), "--seed -1"),
        (PlanRequest(k=3, metrics=("absent",)), "absent"),
    ],
)
def test_what_cannot_be_meant(request_, said):
    with pytest.raises(UsageError, match=said):
        plan_evidence(evidence_of(world(items=20)), request_)


def test_a_goal_that_is_none_is_named():
    with pytest.raises(UsageError, match="--p95 score 0: goals and sizes must be above 0"):
        PlanRequest(goal="p95", wanted={"": 1.0, "score": 0.0}).check()
    with pytest.raises(UsageError, match="--k 0: goals"):
        PlanRequest(k=0).check()


def test_no_probe_tells_nothing(bench):
    bare = driving_evidence(load_benchmark("bench2drive", bench.routes), [])
    with pytest.raises(UsageError, match="give --probe"):
        plan_evidence(bare, PlanRequest(k=5))


def test_a_suite_without_probe_data_tells_nothing(toy_table):
    suite = compress("scores", scores=toy_table.scores, probes=["m1", "m3"], k=9, probe_data=False)
    other = suite.metrics[0].model_copy(update={"name": "other"})
    bare = suite.model_copy(update={"metrics": [*suite.metrics, other]})
    with pytest.raises(DataRefused, match=r"^score, other: the suite keeps no per-item figures") as refused:
        plan_suite(bare, PlanRequest())
    assert str(refused.value).count("keeps no") == 1


def test_own_repeats_go_before_borrowed_noise(bench):
    """Two runs of one policy: root of the mean of half their squared differences."""
    known = load_benchmark("bench2drive", bench.routes)
    bench.put(bench.folder / "again", bench.records("Dan", 0.9, run=1))
    sources = [ResultSource("first", bench.results("Dan")), ResultSource("second", bench.folder / "again")]
    runs = driving_evidence(known, sources).scores
    noise = noise_of_runs(runs, ["first", "second"])
    apart = np.diff(runs.masked("driving_score"), axis=1)
    assert noise["driving_score"].sd == pytest.approx(math.sqrt((apart**2).mean() / 2), rel=1e-5)
    plan = plan_evidence(bench_evidence(bench), PlanRequest(k=24), noise)
    assert plan.metrics[0].outlook.noise.source == "own repeats: first, second"
    with pytest.raises(DataRefused, match="copies of one run"):
        noise_of_runs(driving_evidence(known, [sources[0], ResultSource("copy", bench.results("Dan"))]).scores, ["a"])
