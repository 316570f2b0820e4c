"""Every rule in every position of the interval, Holm by brute force, and what would decide."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from bestrand_drive.compression.comparison.paired import PairedDifference, VarianceParts
from bestrand_drive.compression.gating.deciding import deciding
from bestrand_drive.compression.gating.rules import Question, Rule, Status, holm, statuses


def measured(value: float, half: float = 2.0, n: int = 77, noise: float = 1.0) -> PairedDifference:
    """A difference whose 95 % interval is value +- half, the share ``noise`` of its variance by runs."""
    variance = (half / 1.96) ** 2
    parts = VarianceParts((1 - noise) * variance, noise * variance, variance * n, noise * variance * n)
    return PairedDifference(value, variance, 1e6, n, 220.0, parts, None, 0.5, "blup")


def question(rule: str, drop: float | None, *, higher: bool = True) -> Question:
    return Question(Rule(rule), 0.95, drop, higher)


TABLE = [
    # difference (+- 2), regression, regression 3, non-inferior 3
    (-6.0, "failed", "failed", "failed"),
    (-4.5, "failed", "undecided", "undecided"),
    (-2.5, "failed", "undecided", "undecided"),
    (-1.5, "passed", "undecided", "undecided"),
    (-0.5, "passed", "passed", "passed"),
    (1.0, "passed", "passed", "passed"),
    (4.0, "passed", "passed", "passed"),
]


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize(("value", "any_drop", "regression", "non_inferior"), TABLE)
def test_every_rule_in_every_position(value, any_drop, regression, non_inferior, higher):
    found = measured(value if higher else -value)
    asked = [("regression", None, any_drop), ("regression", 3.0, regression), ("non-inferior", 3.0, non_inferior)]
    for rule, drop, said in asked:
        assert question(rule, drop, higher=higher).status(found).value == said


def test_an_interval_on_the_bound_is_neither_side():
    found = measured(-3.0)
    around = found.interval(0.95)
    assert question("regression", -around.high).status(found) is Status.UNDECIDED
    assert question("non-inferior", -around.low).status(found) is Status.UNDECIDED


def test_one_item_decides_nothing():
    assert question("regression", None).status(measured(-50, n=1)) is Status.UNDECIDED


def test_a_blind_gate_does_not_say_passed():
    """Asked for a drop of 2 at a size that sees 10: neither shown nor excluded, wherever it lies near zero."""
    for value in (-4.0, 0.0, 4.0):
        assert question("regression", 2.0).status(measured(value, half=7)) is Status.UNDECIDED


def test_the_first_metric_is_judged_alone_and_the_rest_together():
    weak, strong, none = measured(-2.1), measured(-9.0), measured(0.0)
    alone = [question("regression", None)] * 4
    assert [one.value for one in statuses(alone, [weak, none, none, none])] == ["failed"] + 3 * ["passed"]
    assert [one.value for one in statuses(alone, [none, weak, none, none])] == [
        "passed",
        "undecided",
        "passed",
        "passed",
    ]
    assert [one.value for one in statuses(alone, [none, strong, none, weak])][1:] == ["failed", "passed", "undecided"]
    assert [one.value for one in statuses(alone[:3], [none, strong, weak])] == ["passed", "failed", "failed"]
    assert statuses(alone[:2], [none, None]) == [Status.PASSED, Status.UNDECIDED]


def closed_test(p_values: tuple[float, ...], level: float) -> list[bool]:
    """Holm by its definition: reject what every intersection with Bonferroni's test rejects."""
    many = len(p_values)
    sets = [bits for bits in product([0, 1], repeat=many) if any(bits)]
    rejected = {
        bits: min(p for p, bit in zip(p_values, bits, strict=True) if bit) * sum(bits) < 1 - level for bits in sets
    }
    return [all(rejected[bits] for bits in sets if bits[number]) for number in range(many)]


@pytest.mark.parametrize("p_values", [(0.01, 0.02, 0.03), (0.01, 0.04, 0.03), (0.02, 0.02, 0.9), (0.001, 0.012, 0.04)])
def test_holm_is_the_closed_test(p_values):
    for shuffled in permutations(p_values):
        assert holm(shuffled, 0.95) == closed_test(shuffled, 0.95)
    assert holm([], 0.95) == []


def test_a_drop_on_the_bound_fails_as_seldom_as_promised():
    """False alarms at the edge of what is tolerated: half of what the level leaves."""
    rng = np.random.default_rng(3)
    for rule, drop in (("regression", None), ("regression", 3.0), ("non-inferior", 3.0)):
        asked = question(rule, drop)
        said = [asked.status(measured(asked.bound + 2 / 1.96 * z)) for z in rng.normal(size=2000)]
        share = np.mean([one is Status.FAILED for one in said])
        assert share == pytest.approx(0.025, abs=4 * (0.025 / 2000) ** 0.5)
        if drop is not None:
            passed = np.mean([one is Status.PASSED for one in said])
            assert passed == pytest.approx(0.025, abs=4 * (0.025 / 2000) ** 0.5)


def test_secondary_metrics_together_fail_as_seldom_as_one():
    rng = np.random.default_rng(4)
    asked = [question("regression", None)] * 6
    alarms = single = 0
    for _ in range(800):
        found = [measured(2 / 1.96 * z) for z in rng.normal(size=6)]
        alarms += Status.FAILED in statuses(asked, found)[1:]
        single += any(one.status(each) is Status.FAILED for one, each in zip(asked[1:], found[1:], strict=True))
    assert alarms / 800 < 0.025 + 4 * (0.025 / 800) ** 0.5
    assert single / 800 > 0.07, "without Holm they would cry wolf"


def test_what_would_decide_decides():
    asked, found = question("non-inferior", 2.0), measured(0.0)
    plan = deciding(asked, found)
    assert not plan.measured
    assert plan.distance == 2.0
    assert found.with_items(plan.items).detectable(0.95) <= 2.0 < found.with_items(plan.items - 1).detectable(0.95)
    assert (
        found.with_repeats(plan.repeats).detectable(0.95) <= 2.0 < found.with_repeats(plan.repeats - 1).detectable(0.95)
    )
    rng = np.random.default_rng(5)
    error = found.with_items(plan.items).standard_error
    passed = [
        asked.status(replace(found, value=z * error, variance=error**2)) is Status.PASSED for z in rng.normal(size=2000)
    ]
    assert np.mean(passed) == pytest.approx(0.8, abs=0.04)


def test_no_number_is_enough_for_a_small_drop():
    plan = deciding(question("regression", 0.1), measured(0.0, noise=1.0))
    assert (plan.items, plan.repeats) == (None, None)


def test_near_the_bound_the_measured_difference_is_planned_for():
    plan = deciding(question("regression", 5.0), measured(-4.0))
    assert plan.measured
    assert plan.distance == pytest.approx(1.0)


def test_without_a_bound_nothing_is_planned():
    assert deciding(question("regression", None), measured(0.0)) is None
