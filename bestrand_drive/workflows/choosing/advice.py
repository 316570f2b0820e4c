"""What a user may want to change in a suite that was just made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from bestrand_drive.compression.pool import near_proportional
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.evidence.evidence import Evidence

DOMINANT = 0.9
"""Share of the spread from which the other probes hardly matter: together a third of the one's standard deviation."""
NOTHING = 1e-9
"""Sum of squares, against the mean's square, below which a column is a constant."""


def advice(evidence: Evidence, suite: Suite, word: str) -> Iterator[str]:
    """Sentences, the most useful first.

    Args:
        evidence: What the suite was chosen by.
        suite: The suite.
        word: What its items are called.
    """
    excluded = suite.choice.excluded
    if suite.strata and suite.choice.selector == "balanced":
        sizes = Counter(item.stratum for item in suite.items if item.id not in excluded)
        size = near_proportional(suite.k, list(sizes.values()))
        if size is not None:
            yield f"--k {size} is near and gives each of the {len(sizes)} strata exactly its share: sharper estimates"
    fragile = [item for item in evidence.fragile if item not in excluded]
    if fragile:
        yield f"{word} reported to crash simulators: --exclude {','.join(fragile)} leaves them out of the choice"
    yield from _of_size(evidence, suite, word)
    for probe in suite.probes:
        if probe.copy_of:
            yield f"{probe.name} has exactly the scores of {probe.copy_of}; the two count as one probe"
    yield from _of_probes(evidence, suite)


def _of_size(evidence: Evidence, suite: Suite, word: str) -> Iterator[str]:
    """What a size means that is as large as the benchmark, below the number of strata, or counts groups."""
    if suite.k == suite.n:
        yield f"all {suite.n} {word} are chosen: nothing is saved, and an estimate is the full score itself"
    strata = {item.stratum for item in suite.items if item.id not in suite.choice.excluded}
    if suite.strata and suite.k < len(strata):
        yield (
            f"{suite.k} {word} cannot reach all {len(strata)} strata: what a policy scores on the others is inferred "
            f"from those that are driven; --k {len(strata)} can reach each"
        )
    sizes = {item: max(len(members), 1) for item, members in zip(evidence.scores.items, evidence.members, strict=True)}
    if word == "items" and max(sizes.values()) > 1:
        inside = sum(sizes[item] for item in suite.chosen)
        yield f"groups stay together and count as one item: the {suite.k} chosen hold {inside} of {sum(sizes.values())}"


def _of_probes(evidence: Evidence, suite: Suite) -> Iterator[str]:
    """Whether the choice leans on one probe alone."""
    distinct = [probe for probe in suite.probes if not probe.copy_of]
    shares = spread_shares(evidence.scores.with_policies([probe.name for probe in distinct]))
    families = {probe.family or probe.name for probe in distinct if shares[probe.name] > 0}
    if len(families) == 1:
        yield f"{families.pop()} alone guides the choice: for a policy unlike it this is little better than chance"
    for name, share in shares.items():
        if share == 0:
            yield f"{name} scores alike on every item, which guides nothing"
        elif share > DOMINANT and len(distinct) > 1:
            yield (
                f"{name} dominates: {share:.0%} of the probes' spread over the items is its own, and the choice "
                "follows it nearly alone; leave it out, or add probes that some items part as clearly"
            )


def spread_shares(scores: ScoreMatrix) -> dict[str, float]:
    """What each probe contributes to the features that candidates are balanced on.

    Args:
        scores: Of the probes.

    Returns:
        Probe -> its sum of squared deviations from its own mean over the items, as a share of all probes', averaged
        over the metrics that vary and guide the choice (candidates see every metric on one scale).
    """
    shares = []
    for spec in (metric for metric in scores.metrics if metric.select):
        columns = scores.masked(spec.name)
        known = ~np.isnan(columns)
        means = np.where(known, columns, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        squares = (np.where(known, columns - means, 0) ** 2).sum(axis=0)
        squares[squares < NOTHING * np.maximum(means**2, 1)] = 0  # what rounding leaves of a constant
        if squares.sum() > 0:
            shares.append(squares / squares.sum())
    mean = np.mean(shares, axis=0) if shares else np.zeros(len(scores.policies))
    return {name: float(share) for name, share in zip(scores.policies, mean, strict=True)}
