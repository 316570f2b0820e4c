"""What a suite cannot be: parts that disagree, and numbers that nothing can have measured, whoever sealed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from bestrand_drive.benchmarks.fail2drive_pairs import is_pair
from bestrand_drive.benchmarks.route_scan import ROUTE_ID
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.metrics import LARGEST, MetricSpec
from bestrand_drive.suite.schema import Predecessor, Regression, Suite, SuiteItem, SuiteMetric
from bestrand_drive.suite.weights import weights_of

ROOM = 10.0
"""Widths of a metric's bounds that a difference of its scores cannot exceed, filled cells and rounding included."""


def faults(suite: Suite, path: str) -> Iterator[str]:
    """What is wrong, one clause a fault; ``path`` is only used in messages.

    Raises:
        DataRefused: How its table was imported cannot be read.
    """
    yield from _faults_of_items(suite)
    yield from _faults_of_choice(suite)
    yield from _faults_of_names(suite)
    for metric in suite.metrics:
        yield from _faults_of_metric(suite, metric)
    if suite.imported is not None:
        from bestrand_drive.readers.spec import spec_of  # noqa: PLC0415  pandas, which no other suite needs

        spec_of(suite.imported, path)


def _faults_of_items(suite: Suite) -> Iterator[str]:
    known, weights = set(suite.item_ids), {item.id: item.weight for item in suite.items}
    leaves = [leaf for item in suite.items for leaf in item.leaves]
    strata = Counter(item.stratum for item in suite.items if item.stratum is not None)
    if len(known) != len(suite.items):
        yield "an item id occurs twice"
    if len(set(leaves)) != len(leaves):
        yield "an item or a member of one occurs twice"
    if len(suite.items) != suite.n:
        yield f"{len(suite.items)} items are listed, n says {suite.n}"
    if len(suite.chosen) != suite.k or len(set(suite.chosen)) != suite.k:
        yield "the chosen ids do not match k"
    if not set(suite.chosen) <= known:
        yield "a chosen id is not among the items"
    if sum(weights.get(name, 0.0) for name in suite.chosen) <= 0:
        yield "the chosen items count nothing"
    if suite.strata != dict(strata) or (suite.strata and strata.total() != len(suite.items)):
        yield "its strata are not those of its items"
    if suite.benchmark == "fail2drive" and not all(is_pair(item.members) for item in suite.items):
        yield "an item is no pair of a base and a generalization route"
    if suite.benchmark in ("bench2drive", "builtin") and not all(_is_route(item) for item in suite.items):
        yield "an item is no route"


def _is_route(item: SuiteItem) -> bool:
    return not item.members and ROUTE_ID.fullmatch(item.id) is not None


def _faults_of_choice(suite: Suite) -> Iterator[str]:
    settings = suite.choice.settings
    if not _is_number(settings.get("pool_factor"), least=1):
        yield "its pool_factor is no number from 1 on"
    if not _is_number(settings.get("imbalance"), least=0):
        yield "its imbalance is no number from 0 on"
    counts = [settings.get(name, 1) for name in ("candidates", "judged")]
    if not all(type(count) is int and _is_number(count, least=1) for count in counts):
        yield "its candidates are no number of them"
    if settings.get("objective", "scores") not in ("scores", "ranking"):
        yield "its objective is unknown"
    if not _are_weights(str(settings.get("metric_weights") or ""), [metric.name for metric in suite.metrics]):
        yield "a metric weight is no number from 0 on"
    if not set(suite.choice.undriven_strata) <= set(suite.strata):
        yield "a stratum without a chosen item is none of its strata"
    if suite.predecessor is not None and not _follows(suite, suite.predecessor):
        yield "its predecessor is another's"


def _is_number(value: object, *, least: float) -> bool:
    """Whether a setting is a number of a size that can be meant, or not there."""
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= LARGEST


def _are_weights(text: str, names: Iterable[str]) -> bool:
    try:
        return all(0.0 <= weight <= LARGEST for weight in weights_of(text, names).values())
    except ValueError:
        return False


def _faults_of_names(suite: Suite) -> Iterator[str]:
    metrics, probes = [metric.name for metric in suite.metrics], [probe.name for probe in suite.probes]
    lines = [*metrics, *(rule.name for rule in suite.harmonic), *(domain.name for domain in suite.domains)]
    if not metrics:
        yield "it has no metric"
    if _twice(lines) or "" in lines:
        yield "two metrics, domains or harmonic means have one name, or one has none"
    if not {part for rule in suite.harmonic for part in (rule.score, rule.success)} <= set(metrics):
        yield "a harmonic mean is of a metric that is not there"
    if not {domain.metric for domain in suite.domains} <= set(metrics):
        yield "a domain is of a metric that is not there"
    if not {item for domain in suite.domains for item in domain.items} <= set(suite.item_ids):
        yield "a domain holds an item that is not there"
    if _twice(probes) or not {probe.copy_of for probe in suite.probes} <= {None, *probes}:
        yield "two probes have one name, or one is the copy of none"
    if any(probe.items > suite.n for probe in suite.probes):
        yield "a probe has scores on more items than there are"
    if any(held > cases for metric in suite.ceiling.values() for held, cases in metric.values()):
        yield "more intervals held than there were"


def _twice(names: Iterable[str]) -> bool:
    counts = Counter(names)
    return counts.total() > len(counts)


def _faults_of_metric(suite: Suite, metric: SuiteMetric) -> Iterator[str]:
    try:
        spec = MetricSpec(metric.name or "of no name", metric.low, metric.high)
    except UsageError as error:
        yield str(error).rstrip(".")
        return
    columns = [column for column in (metric.within, metric.between) if column is not None]
    if any(len(column) != suite.n for column in columns):
        yield "a difficulty column has not one number an item"
    if len(columns) != (0 if metric.model is None else 2):
        yield "a difficulty model lacks its columns, or columns their model"
    if metric.model is not None and not any(item.in_pool for item in suite.items):
        yield "a difficulty model is of no item"
    if not _fits(metric.regression, suite):
        yield "a regression has not a row an id, or another pool than the items say"
    if spec.bounds is not None and _largest(metric) > ROOM * (spec.bounds[1] - spec.bounds[0]):
        yield f"figures of {metric.name} are larger than its bounds allow"


def _largest(metric: SuiteMetric) -> float:
    """The largest size among what is told of a metric, metric units."""
    sizes = [abs(value) for column in (metric.within, metric.between) for value in column or ()]
    sizes += [abs(value) for row in (metric.regression.scores if metric.regression else ()) for value in row]
    variances = [metric.regression.variance] if metric.regression else []
    if metric.model is not None:
        variances += [metric.model.s_u2, metric.model.s_e2, metric.model.within_variance, metric.model.between_variance]
    sizes += [float(variance**0.5) for variance in variances]
    return max([metric.expected_error or 0.0, metric.noise.sd if metric.noise else 0.0, *sizes])


def _fits(regression: Regression | None, suite: Suite) -> bool:
    """Whether a regression, where there is one, has a row of the same probes for each chosen item, and its pool."""
    if regression is None:
        return True
    widths = {len(row) for row in regression.scores}
    pool = sum(item.in_pool for item in suite.items)
    return len(regression.scores) == suite.k and len(widths) == 1 and 0 not in widths and regression.pool == pool


def _follows(suite: Suite, before: Predecessor) -> bool:
    """Whether kept and added items make the suite, and removed ones are not in it."""
    parts = [*before.kept, *before.added]
    gone = set(before.removed)
    return len(parts) == suite.k and set(parts) == set(suite.chosen) and gone <= set(suite.item_ids) - set(suite.chosen)
