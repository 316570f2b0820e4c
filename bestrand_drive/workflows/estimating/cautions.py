"""What a reader must know of a target before using its estimate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bestrand_drive.compression.selectors.registry import DRAWN
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.simulation.attempts.loads import mixture
from bestrand_drive.suite.schema import Suite, SuiteProbe
from bestrand_drive.workflows.estimating.missing import missing_items, only_chosen
from bestrand_drive.workflows.estimating.targets import Target


def cautions(
    suite: Suite, target: Target, same: SuiteProbe | None, twin: SuiteProbe | None, family: str | None
) -> Iterator[str]:
    """Sentences.

    Args:
        suite: The suite.
        target: As read.
        same: The probe with the target's scores on the chosen items, or None.
        twin: The same when that cannot be a coincidence, or None.
        family: The target's family as given, or None.
    """
    names = {probe.name for probe in suite.probes}
    if same is not None and twin is None:
        yield (
            f"the scores on the suite are exactly those of probe {same.name}; if it is that policy, its known full "
            "score is in `bestrand inspect --json`, and this estimate leans on itself"
        )
    if same is None and target.name in names:
        yield (
            f"a probe of this suite is named {target.name} too, but its scores differ; if this is another run or "
            "checkpoint, the suite was chosen with its relative and the intervals may be too narrow"
        )
    related = [label for label, members in suite.families.items() if target.name in members or label == family]
    kin = sorted(names & {member for label in related for member in suite.families[label]} - {target.name})
    if kin:
        yield f"{', '.join(kin)} of the same family guided the choice; the intervals assume an unrelated policy"
    if suite.choice.selector not in DRAWN:
        yield (
            f"{suite.choice.selector} did not draw the suite at random and suite.json does not keep its estimator: "
            "the intervals hold only as far as the probes' model does"
        )
    yield from _of_predecessor(suite, target)
    yield from _gaps(suite, target)
    if said := mixture(target.loads):
        yield said
    crashed = target.counts.get("agent_crashed", 0)
    if crashed:
        records = target.counts.get("records", 0)
        yield f"{crashed} of {records} records are agent crashes; they count as the policy's own scores"
    if not suite.probes:
        yield "the suite was chosen without probes: stratified means, wider intervals"


def _of_predecessor(suite: Suite, target: Target) -> Iterator[str]:
    """Whether results look like those of a run on the suite that this one was refreshed from."""
    before = suite.predecessor
    absent = set(missing_items(target, suite)) & set(before.added) if before else set()
    if before and absent:
        common = sum(bool(has) for has in only_chosen(target, suite).valid.any(dim=2)[:, 0])
        named = [item for item in before.added if item in absent]
        listed = ", ".join(named[:20]) + (" ..." if len(named) > 20 else "")
        yield (
            f"{len(absent)} of the {len(before.added)} items that joined when the suite was refreshed have no result: "
            f"{listed}; --missing exclude estimates from the {common} items that have one"
        )


def _gaps(suite: Suite, target: Target) -> Iterator[str]:
    """What is uneven in the target's results, beyond missing items."""
    scores = only_chosen(target, suite)
    for number, spec in enumerate(scores.metrics):
        repeats = scores.repeats[scores.valid[:, 0, number], 0, number]
        if not len(repeats):
            if not spec.ratio:
                yield f"{spec.name}: the results have no score of it"
            continue
        if int(repeats.min()) < int(repeats.max()):
            fewer, most = int((repeats < repeats.max()).sum()), int(repeats.max())
            yield f"{spec.name}: {fewer} of {len(repeats)} items have fewer runs than the {most} of the others"
        if spec.bounds is None and _looks_like_shares(scores, suite, number):
            yield f"{spec.name}: all values lie in 0..1 while the probes average above 10; is it on another scale?"


def _looks_like_shares(scores: ScoreMatrix, suite: Suite, number: int) -> bool:
    name = scores.metrics[number].name
    known = [probe.full[name] for probe in suite.probes if name in probe.full]
    values = scores.masked(number)[:, 0]
    return bool(known) and min(known) > 10 and bool(np.nanmin(values) >= 0) and bool(np.nanmax(values) <= 1)
