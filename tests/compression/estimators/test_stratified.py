"""The stratified mean against the slow reference, and with weights against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, ratio_sample
from bestrand_drive.compression.estimators.stratified import LEAST_FREEDOM, stratified_mean
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds


def _brute(sample: Sample) -> tuple[float, float, float]:
    """Value, variance and degrees of freedom, item by item."""
    items, w = range(len(sample.values)), sample.weights
    total = sum(w)
    s = [i for i in items if not np.isnan(sample.values[i]) and w[i] > 0]
    labels = [sample.strata[i] for i in s]
    inside = {h: sum(w[i] for i in s if sample.strata[i] == h) for h in set(sample.strata)}
    whole = {h: sum(w[i] for i in items if sample.strata[i] == h) for h in set(sample.strata)}
    lost = sum(whole[h] for h in whole if inside[h] == 0) / total
    a = {}
    for i in s:
        h = sample.strata[i]
        a[i] = w[i] / inside[h] * whole[h] / total + lost * w[i] / sum(inside.values())
    y = [sample.values[i] for i in s]
    freedom = len(s) - len(set(labels))
    s_w2, s_u2, df = (float(np.var(y, ddof=1)) if len(s) > 1 else 0.0), 0.0, max(len(s) - 1, 1)
    if freedom >= LEAST_FREEDOM:
        msb, s_w2, n0 = reference._anova(np.array(y), labels)
        s_u2, df = max(0.0, (msb - s_w2) / n0), freedom
    inner = sum((a.get(i, 0.0) - w[i] / total) ** 2 for i in items)
    gap = sum((sum(a[i] for i in s if sample.strata[i] == h) - whole[h] / total) ** 2 for h in whole)
    return sum(a[i] * sample.values[i] for i in s), s_w2 * inner + s_u2 * gap, df


def _check(found: PointEstimate, sample: Sample) -> None:
    value, variance, df = _brute(sample)
    close(found.value, value, scale=10)
    close(found.variance, variance, rtol=1e-6, scale=10)
    assert found.df == df


@LIGHT
@given(worlds(), st.booleans())
def test_weighted_and_domain_means_equal_brute_force(world: World, domain: bool) -> None:
    weights = np.where(np.arange(len(world.target)) % 2 == world.suite[0] % 2, world.weights, 0.0)
    sample = world.sample(weights if domain else None)
    _check(stratified_mean(sample), sample)


@LIGHT
@given(worlds(least=8, most=40))
def test_plain_means_equal_the_reference(world: World) -> None:
    sample = world.sample(np.ones(len(world.target)))
    labels = world.strata[world.suite]
    freedom = len(labels) - len(set(labels))
    sizes = {int(h): int((world.strata == h).sum()) for h in set(world.strata)}
    found = stratified_mean(sample)
    if len(world.suite) < 2:
        close(found.value, world.target[world.suite][0])
        return
    value, variance = reference.stratified_mean(world.target[world.suite], labels.tolist(), sizes)
    close(found.value, value, scale=10)
    if freedom == 0 or freedom >= LEAST_FREEDOM:  # between, the package takes the variance of the whole sample
        close(found.variance, variance, rtol=1e-6, scale=10)


def test_every_stratum_measured_is_cochran_s_formula() -> None:
    strata = np.repeat(np.arange(3), [4, 6, 10])
    y = np.random.default_rng(0).normal(size=20)
    suite = np.array([0, 1, 4, 5, 6, 10, 11, 12, 13])
    values = np.full(20, np.nan)
    values[suite] = y[suite]
    counts, sizes = np.array([2, 3, 4]), np.array([4, 6, 10])
    within = (
        sum(((y[suite][strata[suite] == h] - y[suite][strata[suite] == h].mean()) ** 2).sum() for h in range(3)) / 6
    )
    found = stratified_mean(Sample(values, np.ones(20), strata))
    close(found.value, sum(sizes[h] / 20 * y[suite][strata[suite] == h].mean() for h in range(3)))
    close(found.variance, ((sizes / 20) ** 2 * (1 / counts - 1 / sizes) * within).sum())


@LIGHT
@given(worlds())
def test_all_items_measured_give_the_exact_mean(world: World) -> None:
    found = stratified_mean(Sample(world.target, world.weights, world.strata))
    close(found.value, world.weights @ world.target / world.weights.sum(), scale=10)
    close(found.variance, 0.0)
    assert found.n == len(world.target)
    assert found.complete
    close(found.population, world.weights.sum() ** 2 / (world.weights**2).sum())


@LIGHT
@given(worlds())
def test_affine_values_move_and_scale_the_estimate(world: World) -> None:
    straight = stratified_mean(world.sample())
    sample = world.sample()
    moved = stratified_mean(Sample(4 * sample.values - 9, sample.weights, sample.strata))
    close(moved.value, 4 * straight.value - 9, scale=100)
    close(moved.variance, 16 * straight.variance, scale=1000)


def test_undriven_strata_take_the_plain_mean() -> None:
    values = np.array([1.0, 3.0, np.nan, np.nan])
    found = stratified_mean(Sample(values, np.ones(4), np.array([0, 0, 1, 1])))
    assert found.value == 2.0


def test_measured_items_that_do_not_count_are_left_out() -> None:
    values = np.array([1.0, 99.0, 3.0, np.nan])
    weights = np.array([1.0, 0.0, 1.0, 1.0])
    found = stratified_mean(Sample(values, weights, np.zeros(4, dtype=int)))
    assert (found.value, found.n, found.population, found.complete) == (2.0, 2, 3.0, False)


def test_a_ratio_metric_has_the_variance_of_a_mean_over_the_items_that_log_it() -> None:
    """Half of 20 driven items logged, so that about 50 of 100 do: (1/10 - 1/50) s2, as if just those 50 were there."""
    values = np.full(100, np.nan)
    values[:10] = np.random.default_rng(2).normal(size=10)
    plain = Sample(values, np.ones(100), np.zeros(100, dtype=int))
    sample = ratio_sample(plain, np.arange(100) < 20)
    found = stratified_mean(sample)
    close(found.population, 50.0)
    close(found.value, values[:10].mean())
    close(found.variance, (1 / 10 - 1 / 50) * values[:10].var(ddof=1))


def test_residuals_are_about_stratum_means_when_the_variance_is_pooled_within_strata() -> None:
    strata = np.repeat(np.arange(2), 5)
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 11.0, 12.0, 13.0, np.nan, np.nan])
    enough = stratified_mean(Sample(values, np.ones(10), strata))  # 4 + 2 degrees of freedom
    close(enough.residuals, [-2.0, -1.0, 0.0, 1.0, 2.0, -1.0, 0.0, 1.0])
    values[[1, 2]] = np.nan
    few = stratified_mean(Sample(values, np.ones(10), strata))
    close(few.residuals, values[~np.isnan(values)] - np.nanmean(values))
