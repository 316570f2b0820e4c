"""Figures of the embedded study: against their definitions, written out."""

from __future__ import annotations

import itertools
import math
from statistics import fmean, variance

import numpy as np
import pandas as pd
import pytest

from scripts.documents import markdown, marks, put_into
from scripts.embedded_study.statistics import by_policy, common_share, rho, run_noise

ROUTES, POLICIES, SEEDS = 7, 4, 3


@pytest.fixture(scope="module")
def rows():
    """Scores [policy, route, seed] with common difficulty, a level each, and noise."""
    rng = np.random.default_rng(3)
    hard = rng.normal(60, 20, ROUTES)
    return pd.DataFrame(
        [
            {"policy": f"p{p}", "route": str(r), "seed": s, "x": hard[r] + 5 * p + rng.normal(0, 8)}
            for p in range(POLICIES)
            for r in range(ROUTES)
            for s in range(SEEDS)
        ]
    )


def test_rho_is_the_mean_covariance_over_the_mean_variance(rows):
    scores = by_policy(rows, "x")
    columns = [[float(value) for value in scores[name]] for name in scores]
    pairs = []
    for one, other in itertools.combinations(columns, 2):
        a, b = fmean(one), fmean(other)
        pairs.append(sum((x - a) * (y - b) for x, y in zip(one, other, strict=True)) / (ROUTES - 1))
    assert rho(scores) == pytest.approx(fmean(pairs) / fmean(map(variance, columns)))


def test_rho_of_opposites_is_none():
    assert rho(pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 2.0, 1.0]})) == 0.0


def test_common_share_is_the_reliability_of_a_mean():
    """Simulated: squared correlation of the mean of p unit-variance probes with what they share."""
    rho_, probes = 0.4, 5
    rng = np.random.default_rng(0)
    shared = rng.normal(size=200_000)
    own = rng.normal(size=(probes, shared.size))
    mean = (math.sqrt(rho_) * shared + math.sqrt(1 - rho_) * own).mean(axis=0)
    assert common_share(rho_, probes) == pytest.approx(np.corrcoef(mean, shared)[0, 1] ** 2, abs=0.01)


def test_run_noise_is_what_remains_on_one_route(rows):
    cells = [variance(group["x"]) for _, group in rows.groupby(["policy", "route"])]
    whole = [variance(group["x"]) for _, group in rows.groupby("policy")]
    within = [fmean(cells[first : first + ROUTES]) for first in range(0, len(cells), ROUTES)]
    noise = run_noise(rows, "x")
    assert noise.sd == pytest.approx(math.sqrt(fmean(cells)))
    assert noise.share == pytest.approx(fmean(a / b for a, b in zip(within, whole, strict=True)))
    assert noise.of_mean == pytest.approx(math.sqrt(fmean(cells) / ROUTES))


def test_a_document_keeps_what_stands_around_the_marks(tmp_path):
    path = tmp_path / "page.md"
    begin, end = marks("study")
    path.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    put_into(path, "study", markdown(["a"], [["1"]]))
    assert path.read_text() == f"before\n{begin}\n| a |\n| --- |\n| 1 |\n{end}\nafter\n"
    with pytest.raises(SystemExit, match="marks"):
        put_into(path, "other", "x")
