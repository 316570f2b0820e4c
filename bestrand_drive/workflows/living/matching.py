"""Which item of now is which item of the suite's benchmark: by id and content, by content, by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from bestrand_drive.readers.items import Key


@dataclass(frozen=True)
class Matching:
    """Items of two tables of one benchmark.

    Attributes:
        same: Item then -> item now, of the same content as far as both are known.
        changed: Keys with another content now.
        gone: Items then that are not there now.
        new: Items now that were not there then.
        compared: Of how many items both contents are known.
    """

    same: Mapping[Key, Key]
    changed: tuple[Key, ...]
    gone: tuple[Key, ...]
    new: tuple[Key, ...]
    compared: int

    @property
    def renumbered(self) -> dict[Key, Key]:
        """Items of the same content that have another id now."""
        return {then: now for then, now in self.same.items() if then != now}


def matched(then: Mapping[Key, str], now: Mapping[Key, str]) -> Matching:
    """Match the items of two tables.

    Args:
        then: Item -> ``content_key``, "" where unknown.
        now: Likewise.
    """
    same = {key: key for key, content in then.items() if key in now and _agree(content, now[key])}
    free = defaultdict(list)
    for key, content in now.items():
        if content and key not in same:
            free[key[0], content].append(key)
    for key, content in then.items():
        homes = free[key[0], content] if content and key not in same else []
        if homes:
            same[key] = homes.pop(0)
    taken = set(same.values())
    changed = dict.fromkeys(key for key in then if key not in same and key in now and key not in taken)
    known = taken | set(changed)
    return Matching(
        same={key: same[key] for key in then if key in same},
        changed=tuple(changed),
        gone=tuple(key for key in then if key not in same and key not in changed),
        new=tuple(key for key in now if key not in known),
        compared=len(changed) + sum(bool(then[key] and now[home]) for key, home in same.items()),
    )


def _agree(first: str, second: str) -> bool:
    return not first or not second or first == second
