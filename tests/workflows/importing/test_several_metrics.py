"""Accuracy, cost and latency of logs are compressed together and estimated each, as metrics of driving are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bestrand_drive as bd
from bestrand_drive import MetricSpec, ScoreMatrix

METRICS = ("accuracy", "cost", "latency")
SPECS = (
    MetricSpec("accuracy", low=0.0, high=1.0, binary=True),
    MetricSpec("cost", low=0.0, higher_is_better=False),
    MetricSpec("latency", low=0.0, higher_is_better=False),
)
IMPORT = [
    *(part for name in METRICS for part in ("--metric", name)),
    *("--lower-is-better", "cost", "--lower-is-better", "latency", "--bounds", "cost=0:", "--bounds", "latency=0:"),
]
ITEMS, PROBES, TARGETS = 90, 5, range(5, 21)
MODELS = 21


def values():
    """float64 [item, model, metric]: hard items are wrong, dear and slow alike; models differ in level."""
    rng = np.random.default_rng(5)
    hard, level = rng.normal(size=(ITEMS, 1)), rng.permutation(np.linspace(-0.8, 0.8, MODELS))[None]
    right = (level - hard + 0.7 * rng.normal(size=(ITEMS, MODELS)) > 0).astype(float)
    cost = 3.0 * np.exp(0.4 * hard - 0.3 * level + 0.2 * rng.normal(size=(ITEMS, MODELS)))
    latency = 20.0 * np.exp(0.5 * hard + 0.1 * level + 0.2 * rng.normal(size=(ITEMS, MODELS)))
    return np.stack([right, cost.round(3), latency.round(3)], axis=2)


def table(path, dense, models, items=range(ITEMS)):
    rows = [(f"q{i}", f"m{m}", *dense[i, m]) for i in items for m in models]
    pd.DataFrame(rows, columns=["item_id", "model", *METRICS]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def home(bestrand, tmp_path_factory):
    """A suite of a third of the items by five models."""
    folder = tmp_path_factory.mktemp("three")
    logs = table(folder / "pool.csv", values(), range(PROBES))
    ran = bestrand("import", "plain", logs, *IMPORT, "--out", folder / "pool.parquet")
    assert ran.code == 0, ran.err
    ran = bestrand("compress", "scores", "--scores", folder / "pool.parquet", "--keep", 0.34, "--out", folder / "suite")
    assert ran.code == 0, ran.err
    return folder


def test_each_metric_is_estimated_with_its_interval_from_the_subset_alone(bestrand, home, tmp_path):
    dense, suite = values(), bd.read_suite(home / "suite")
    chosen = [int(item[1:]) for item in suite.chosen]
    held, errors = np.zeros(len(METRICS)), np.zeros((len(TARGETS), len(METRICS)))
    for row, model in enumerate(TARGETS):
        found = bd.estimate(suite, table(tmp_path / f"{model}.csv", dense, [model], chosen))
        for number, name in enumerate(METRICS):
            line, full = found[name].estimate, dense[:, model, number].mean()
            held[number] += line.run.low <= full <= line.run.high
            errors[row, number] = line.value - full
    spread = dense[:, TARGETS].std(axis=0).mean(axis=0) / np.sqrt(suite.k) * np.sqrt(1 - suite.k / ITEMS)
    assert (np.abs(errors).mean(axis=0) < 0.8 * spread).all(), "at most what a random subset errs (half normal)"
    assert (held >= 0.8 * len(TARGETS)).all(), held
    ran = bestrand("estimate", home / "suite", "--results", tmp_path / "7.csv", "--json")
    assert list(ran.json["metrics"]) == list(METRICS)
    for number, name in enumerate(METRICS):
        line = ran.json["metrics"][name]
        assert line["estimate"] == pytest.approx(dense[:, 7, number].mean() + errors[2, number], rel=1e-6)
        assert line["run"]["low"] < line["estimate"] < line["run"]["high"]


def test_it_is_what_a_matrix_of_such_metrics_gives(home, tmp_path):
    """Same suite and same estimates as without any log: reading adds and loses nothing."""
    dense = values()
    scores = ScoreMatrix.from_arrays(
        dense[:, :PROBES],
        items=[f"q{i}" for i in range(ITEMS)],
        policies=[f"m{m}" for m in range(PROBES)],
        metrics=SPECS,
    )
    direct, read = bd.compress("scores", scores=scores, keep=0.34), bd.read_suite(home / "suite")
    assert direct.chosen == read.chosen
    assert direct.metrics == read.metrics
    long = table(tmp_path / "m6.csv", dense, [6])
    told = pd.read_csv(long).melt(["item_id", "model"], var_name="metric")
    told.to_csv(tmp_path / "long.csv", index=False)
    first, second = bd.estimate(read, long), bd.estimate(direct, tmp_path / "long.csv")
    for name in METRICS:
        assert first[name].estimate.value == pytest.approx(second[name].estimate.value, rel=1e-9)
        assert first[name].estimate.run == second[name].estimate.run
        assert first[name].full == pytest.approx(dense[:, 6, METRICS.index(name)].mean(), rel=1e-6)


def test_a_choice_may_weigh_the_metrics_and_leave_some_out(home):
    suite = bd.compress(
        "scores", scores=home / "pool.parquet", keep=0.34, metric_weights={"accuracy": 1.0, "latency": 0.5}
    )
    assert [metric.name for metric in suite.metrics] == ["accuracy", "latency"]
    assert (suite.metric("latency").low, suite.metric("latency").high) == (0.0, None)
    assert not suite.metric("latency").higher_is_better


def test_a_target_without_one_of_the_figures_is_estimated_on_the_others(home, tmp_path):
    rows = [(f"q{item}", "m6", right) for item, right in enumerate(values()[:, 6, 0])]
    pd.DataFrame(rows, columns=["item_id", "model", "accuracy"]).to_csv(tmp_path / "new.csv", index=False)
    found = bd.estimate(home / "suite", tmp_path / "new.csv")
    assert found["accuracy"].full == pytest.approx(values()[:, 6, 0].mean(), rel=1e-6)
    assert (found["latency"].estimate.value, found["latency"].estimate.reason) == (None, "not measured")
    assert any("metrics that are not in it: cost, latency" in line for line in bd.check(home / "suite", tmp_path).notes)


@pytest.mark.parametrize(
    ("metrics", "bounds", "code", "word"),
    [
        (["cost"], "cost=0:2", 4, "values lie outside its bounds 0:2"),
        (["cost"], "cost=3:", 4, "values lie outside its bounds 3:"),
        (["cost"], "cost=0:inf", 2, "two finite numbers"),
        (["cost"], "cost=inf:", 2, "leave an open end empty"),
        (["cost"], "cost=0", 2, "write NAME=LOW:HIGH"),
        (["cost"], "cost=x:", 2, "write NAME=NUMBER"),
        (["cost", "latency"], "latency=:", 4, "cost=0: without an upper one"),
    ],
)
def test_bounds_that_do_not_hold_or_cannot_be_read(bestrand, tmp_path, metrics, bounds, code, word):
    logs = table(tmp_path / "pool.csv", values(), range(3), range(20))
    asked = [part for name in metrics for part in ("--metric", name)]
    ran = bestrand("import", "plain", logs, *asked, "--bounds", bounds, "--out", tmp_path / "pool.parquet")
    assert (ran.code, word in ran.err) == (code, True), ran.err
    assert not (tmp_path / "pool.parquet").exists()
