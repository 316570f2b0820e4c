"""Which items of a suite are compared: those that both sides have, of the part that both got to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bestrand_drive.benchmarks.benchmark import NO_RECORD
from bestrand_drive.compression.stopping.order import Order
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.missing import missing_items
from bestrand_drive.workflows.estimating.stopping import order_of
from bestrand_drive.workflows.estimating.targets import TABLE, Target

STOPPED_SHARE = 0.5
"""Share of the items behind the last whole block without a record from which a run counts as stopped there."""


@dataclass(frozen=True)
class Pairing:
    """What is compared.

    Attributes:
        part: Chosen items that are compared when nothing is missing: all, or the common prefix.
        missing: Of these, without a complete result: one set a side.
        paired: Of these, with results on all sides, suite order.
        prefix: Whole blocks of the common prefix; None when no run was stopped early.
    """

    part: tuple[str, ...]
    missing: tuple[frozenset[str], ...]
    paired: tuple[str, ...]
    prefix: int | None

    def left_out(self, suite: Suite, names: Sequence[str]) -> dict[str, str]:
        """Chosen items that do not count -> why."""
        inside, out = set(self.part), {}
        for item in suite.chosen:
            without = [name for name, gone in zip(names, self.missing, strict=True) if item in gone]
            if item not in inside:
                out[item] = "behind the last block that all sides finished"
            elif without:
                out[item] = f"no result of {' and '.join(without)}"
        return out


def pairing(suite: Suite, targets: Sequence[Target]) -> Pairing:
    """Pair the sides on the suite's items.

    A run that was stopped early counts up to the end of its last whole block, and then so do the others: in the block
    that it had begun, the quick items are finished and the slow ones are not.

    Args:
        suite: What all were run on.
        targets: The sides.
    """
    absent = [missing_items(target, suite) for target in targets]
    wholes = [stopped_after(suite, target, gone) for target, gone in zip(targets, absent, strict=True)]
    known = [blocks for blocks in wholes if blocks is not None]
    prefix = min(known, default=None)
    part = suite.chosen
    if prefix is not None:
        begun = {item for block in order_of(suite).blocks[:prefix] for item in block}
        part = [item for item in part if item in begun]
    inside = frozenset(part)
    missing = tuple(inside & frozenset(gone) for gone in absent)
    gone = frozenset().union(*missing)
    return Pairing(tuple(part), missing, tuple(item for item in part if item not in gone), prefix)


def stopped_after(suite: Suite, target: Target, absent: Collection[str]) -> int | None:
    """Whole blocks of the suite's order that a run finished before it was stopped; None when it was not.

    An item without any record was not driven. A few of these are missing results; when they are most of what lies
    behind the last whole block, the run ended there.

    Args:
        suite: What it was run on.
        target: Its results.
        absent: Chosen items without a complete result.
    """
    if suite.benchmark == TABLE:
        return None
    undriven = {item for item in absent if target.reasons.get(item, NO_RECORD) == NO_RECORD}
    order = order_of(suite)
    whole = _whole(order, undriven)
    behind = [item for block in order.blocks[whole:] for item in block]
    stopped = whole > 0 and len(undriven) > STOPPED_SHARE * len(behind)
    return whole if stopped else None


def _whole(order: Order, undriven: Collection[str]) -> int:
    gone = set(undriven)
    return next((number for number, block in enumerate(order.blocks) if gone & set(block)), len(order.blocks))
