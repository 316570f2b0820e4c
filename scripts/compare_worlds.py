"""Worlds in which the difference of two policies is known, made of real repeats.

A policy is what was really seen of it: on every item its expected score is the mean over its recorded runs, and a run
draws one of them, item by item. So the difference of two policies is known exactly, runs are independent, and noise,
ceilings and ties are those of real driving. A policy against itself has the difference zero; so have the two runs of
one policy when every item's pair is swapped by a coin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import PolicyResults
from bestrand_drive.compression.comparison.linear import linear_estimator
from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.variance import Frame, RunNoise, paired_difference
from bestrand_drive.compression.estimation import ProbeKnowledge
from bestrand_drive.compression.estimators.sample import Sample, sample_variance
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.workflows.evidence.driving import ResultSource, load_benchmark, metric_specs, read_policy

Array = np.ndarray
ROUTES = {"fail2drive": "routes", "bench2drive": "routes/bench2drive220.xml"}


@dataclass(frozen=True)
class Outcomes:
    """What was recorded of some policies on the items that all of them have.

    Attributes:
        strata: int64 [item].
        runs: Policy -> float64 [item, run, metric].
        metrics: Names.
        ranges: Of each metric, high less low; None when unbounded.
    """

    strata: Array
    runs: dict[str, Array]
    metrics: tuple[str, ...]
    ranges: tuple[float | None, ...]


def recorded(
    data: Path,
    benchmark: str,
    policies: Mapping[str, Sequence[str]],
    kept: Callable[[PolicyResults], PolicyResults] | None = None,
) -> Outcomes:
    """Read real results.

    Args:
        data: Holds a folder a benchmark, with routes and results.
        benchmark: Its name.
        policies: Policy -> result folders that are runs of it; repeats inside a folder are runs too.
        kept: Which of the records count; None for all.
    """
    known = load_benchmark(benchmark, data / benchmark / ROUTES[benchmark])
    specs = [spec for spec in metric_specs(known) if spec.name != "comfort"]
    items = [str(item) for item in known.items["item_id"]]
    found = {}
    for policy, folders in policies.items():
        tables = []
        for folder in folders:
            source = ResultSource(policy, data / benchmark / "results" / folder)
            values = read_policy(known, source, allow_mismatch=False, kept=kept)[1].values
            wide = values.pivot(index="item_id", columns=["metric", "repeat"], values="value").reindex(items)
            for repeat in sorted(set(values["repeat"])):
                tables.append(np.stack([wide[(spec.name, repeat)].to_numpy(dtype=float) for spec in specs], axis=1))
        found[policy] = np.stack(tables, axis=1)
    plain = [number for number, spec in enumerate(specs) if not spec.ratio]
    whole = ~np.any([np.isnan(runs[:, :, plain]).any(axis=(1, 2)) for runs in found.values()], axis=0)
    codes = stratum_codes([str(label) for label in known.items["stratum"][whole]]).codes.numpy()
    ranges = [None if spec.bounds is None else spec.bounds[1] - spec.bounds[0] for spec in specs]
    return Outcomes(
        strata=codes,
        runs={policy: runs[whole][:, :, plain] for policy, runs in found.items()},
        metrics=tuple(specs[number].name for number in plain),
        ranges=tuple(ranges[number] for number in plain),
    )


def without_crashes(results: PolicyResults) -> PolicyResults:
    """Crashes of the agent are no run noise: 35 routes of one of SimLingo's runs ended so."""
    return replace(results, records=tuple(one for one in results.records if one.outcome is Outcome.SCORED))


def dropped(found: PairedDifference, drop: float) -> PairedDifference:
    """The comparison had the candidate been worse by a drop on every item; by t alone, ties being gone."""
    return replace(found, value=found.value - drop, size=None, range=None)


def stratified(strata: Array, k: int, rng: np.random.Generator) -> Array:
    """Items of a systematic proportional draw: every stratum gets its share, rounded down or up."""
    count = len(strata)
    places = [rng.permutation(np.flatnonzero(strata == kind)) for kind in rng.permutation(int(strata.max()) + 1)]
    spots = np.floor((np.arange(k) + rng.random()) * count / k).astype(int)
    return np.sort(np.concatenate(places)[spots])


def drawn_runs(runs: Array, repeats: int, rng: np.random.Generator) -> Array:
    """Independent runs of a policy on some items, [item, repeat]; runs: [item, recorded run]."""
    return np.take_along_axis(runs, rng.integers(0, runs.shape[1], (len(runs), repeats)), axis=1)


def swapped(runs: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Two recorded runs of one policy, every item's pair swapped by a coin; [item, 1] each."""
    coin = rng.integers(0, 2, len(runs))[:, None]
    return np.take_along_axis(runs, coin, axis=1), np.take_along_axis(runs, 1 - coin, axis=1)


@dataclass(frozen=True)
class Case:
    """Two sides of a world on one metric.

    Attributes:
        strata: int64 [item].
        baseline: float64 [item, recorded run].
        candidate: The same.
        range: Of the metric.
        swap: Whether the two are one policy whose runs are swapped by coins.
        known: What a suite knows of the metric.
    """

    strata: Array
    baseline: Array
    candidate: Array
    range: float | None
    swap: bool = False
    known: ProbeKnowledge = field(default_factory=ProbeKnowledge)

    @property
    def truth(self) -> float:
        """Difference of the policies on all items."""
        return 0.0 if self.swap else float(self.candidate.mean() - self.baseline.mean())

    def on(self, chosen: Array, sides: tuple[Array, ...]) -> PairedDifference:
        """The comparison by what was measured; chosen: [n], sides: [n, repeat] each."""
        values = np.full(len(self.strata), np.nan)
        values[chosen] = sides[1].mean(axis=1) - sides[0].mean(axis=1)
        sample = Sample(values, np.ones(len(values)), self.strata)
        frame = Frame(sample, linear_estimator(sample, self.known), self.range)
        return paired_difference(frame, values[frame.estimator.used], _noise(sides))


def judged(case: Case, k: int, repeats: int, draws: int, seed: int) -> Iterator[tuple[PairedDifference, float]]:
    """Comparisons of one case on suites drawn anew, and the half width of the 95 % interval without pairing."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        chosen = stratified(case.strata, k, rng)
        if case.swap:
            first, second = swapped(case.baseline[chosen], rng)
        else:
            first, second = (drawn_runs(one[chosen], repeats, rng) for one in (case.baseline, case.candidate))
        sides = first, second
        yield case.on(chosen, sides), _unpaired(case, chosen, sides)


def _noise(sides: tuple[Array, ...]) -> RunNoise | None:
    """As the repeats tell it; None for one run, or where all repeats agree."""
    repeats = sides[0].shape[1]
    own = [one.var(axis=1, ddof=1) / repeats if repeats > 1 else np.zeros(len(one)) for one in sides]
    if not all(one.any() for one in own):
        return None
    return RunNoise(own[0] + own[1], tuple((float(one.mean()), len(one) * (repeats - 1.0)) for one in own))


def _unpaired(case: Case, chosen: Array, sides: tuple[Array, ...]) -> float:
    """Twice the standard error of two estimates that do not know of each other, run noise not measured."""
    total = 0.0
    for side in sides:
        values = np.full(len(case.strata), np.nan)
        values[chosen] = side.mean(axis=1)
        point = stratified_mean(Sample(values, np.ones(len(values)), case.strata))
        left = 1 - len(chosen) / len(values)
        total += point.variance / left if left > 0 else sample_variance(side.mean(axis=1)) / len(chosen)
    return 1.96 * float(np.sqrt(total))
