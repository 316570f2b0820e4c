"""An order of a suite's items of which every beginning holds each stratum's share.

Nothing of it is kept: the keys come from SHA-256 of the suite's seed and the ids, so that the same suite has the same
order with any version of any library, and an item's place among its stratum does not depend on the other strata.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bestrand_drive.errors import UsageError
from bestrand_drive.files import sha256_bytes

PLAIN_BLOCK = 20
"""Items of a block where strata do not tell a size."""
LEAST_BLOCK = 10
"""A block is no smaller: each one is a look, and looks at nearly the same items decide nothing new."""


@dataclass(frozen=True)
class Order:
    """Items in the order in which they are run.

    Attributes:
        items: Ids.
        block: Items of one block; the last one may hold fewer.
    """

    items: tuple[str, ...]
    block: int

    @property
    def blocks(self) -> list[tuple[str, ...]]:
        """Ids of each block."""
        return [self.items[start : start + self.block] for start in range(0, len(self.items), self.block)]


def suite_order(items: Sequence[str], strata: Sequence[str] | None, seed: int, block: int | None = None) -> Order:
    """The order of a suite.

    The items of a stratum are shuffled; the j-th of its n gets the place ``(j + u) / n``, u uniform and its own, and
    all items are put in order of their places. So every beginning holds each stratum's share for one common share f,
    ``floor(f n)`` or ``ceil(f n)`` items; strata of one size make cycles, one item of each in random order.

    Args:
        items: Ids of the chosen items.
        strata: Label of each, or None: then the order is a plain shuffle.
        seed: The suite's.
        block: Items of a block; None takes ``block_size``.

    Raises:
        UsageError: The block is below 1.
    """
    if block is not None and block < 1:
        raise UsageError(f"--block {block}: give 1 or more.")
    labels = [""] * len(items) if strata is None else list(strata)
    members: dict[str, list[str]] = defaultdict(list)
    for item, label in zip(items, labels, strict=True):
        members[label].append(item)
    places: dict[str, float] = {}
    for label, own in members.items():
        start = _uniform(seed, "stratum", label)
        shuffled = sorted(own, key=lambda item: (_uniform(seed, "item", item), item))
        places |= {item: (number + start) / len(own) for number, item in enumerate(shuffled)}
    ordered = sorted(items, key=lambda item: (places[item], item))
    return Order(tuple(ordered), block or block_size(len(set(labels))))


def block_size(strata: int) -> int:
    """Items of a block by default: half a cycle over the strata, at least ten; 20 without strata."""
    return PLAIN_BLOCK if strata < 2 else max(LEAST_BLOCK, (strata + 1) // 2)


def _uniform(seed: int, kind: str, name: str) -> float:
    """A number in [0, 1) that depends on the arguments only."""
    digest = sha256_bytes(f"{seed}\0{kind}\0{name}".encode())
    return int(digest[:13], 16) / 16**13
