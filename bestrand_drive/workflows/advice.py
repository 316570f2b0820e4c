"""What a user may want to change in a suite that was just made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bestrand_drive.compression.pool import near_proportional
from bestrand_drive.suite import Suite
from bestrand_drive.workflows.evidence import Evidence


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
    for probe in suite.probes:
        if probe.copy_of:
            yield f"{probe.name} has exactly the scores of {probe.copy_of}; the two count as one probe"
