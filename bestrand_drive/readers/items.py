"""Which item a row is about: joined by the hash of its content, checked by it, never by position alone."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.collecting import Columns, Entry

Key = tuple[str, str]
"""Task and id."""


@dataclass
class Items:
    """Items of a benchmark.

    Attributes:
        of_entry_model: Item number of each (entry, model) pair that differs from ``of_entry``.
        of_entry: int64 [entry] item number, -1 where no item was found.
        keys: Task and id of each item.
        contents: Content hash of each item, "" where no log has one.
        categories: Category of each item, "" where no log has one.
        renumbered: How many (item, model) pairs were joined by content under another id.
    """

    of_entry: np.ndarray
    keys: list[Key]
    contents: list[str]
    categories: list[str]
    of_entry_model: dict[tuple[int, int], int] = field(default_factory=dict)
    renumbered: int = 0


def content_key(content: str) -> str:
    """A short hash of a content hash of any form: 16 hex digits."""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def resolve_items(columns: Columns, *, positional: bool, known: Mapping[Key, str] | None = None) -> Items:
    """Find the item of every entry.

    Args:
        columns: Rows of the wanted series.
        positional: Whether ids are positions, so that content is needed.
        known: Items of a benchmark that is there already: id -> ``content_key``; they come first, in that order.

    Raises:
        DataRefused: An id stands for different contents in different files, or a position has no content beside it.
    """
    entries = columns.entries
    if positional:
        _refuse_bare_positions(columns)
    homes = _homes(entries) if known is None else None
    if homes is not None:
        return _plain(entries, homes)
    return _Joining(columns, dict(known or {})).items()


def _refuse_bare_positions(columns: Columns) -> None:
    bare = [number for number, entry in enumerate(columns.entries) if not entry.content]
    if bare:
        row = int(np.flatnonzero(columns.entry == bare[0])[0])
        raise DataRefused(
            f"{columns.sources[columns.source[row]]}: item {columns.entries[bare[0]].item} is known by its position, "
            f"with no content beside it to check it by ({len(bare)} such items). Positions alone are not joined."
        )


def _homes(entries: Sequence[Entry]) -> dict[Key, int] | None:
    """Item number by id, when every id has one content and every content one id; else None."""
    numbers: dict[Key, int] = {}
    content_of: dict[Key, str] = {}
    key_of: dict[Key, Key] = {}
    for entry in entries:
        key = (entry.task, entry.item)
        numbers.setdefault(key, len(numbers))
        if not entry.content:
            continue
        if content_of.setdefault(key, entry.content) != entry.content:
            return None
        if key_of.setdefault((entry.task, entry.content), key) != key:
            return None
    return numbers


def _plain(entries: Sequence[Entry], numbers: dict[Key, int]) -> Items:
    contents, categories = [""] * len(numbers), [""] * len(numbers)
    of_entry = np.array([numbers[entry.task, entry.item] for entry in entries], dtype=np.int64)
    for entry, number in zip(entries, of_entry.tolist(), strict=True):
        contents[number] = contents[number] or entry.content
        categories[number] = categories[number] or entry.category
    return Items(of_entry, list(numbers), contents, categories)


class _Joining:
    """The general case, a model at a time, those with most items first: whoever saw most names the items."""

    def __init__(self, columns: Columns, known: dict[Key, str]) -> None:
        self._columns = columns
        self._numbers: dict[Key, int] = {key: number for number, key in enumerate(known)}
        self._shorts = list(known.values())
        self._settled = np.full(len(columns.entries), -1, dtype=np.int64)
        self._of_content: dict[Key, list[int]] = defaultdict(list)
        for (task, _), number in self._numbers.items():
            if self._shorts[number]:
                self._of_content[task, self._shorts[number]].append(number)
        self._items = Items(
            np.full(len(columns.entries), -1, dtype=np.int64),
            list(known),
            [""] * len(known),
            [""] * len(known),
        )

    def items(self) -> Items:
        """Join all models."""
        columns = self._columns
        width = max(len(columns.entries), 1)
        model, entry = np.divmod(np.unique(columns.model.astype(np.int64) * width + columns.entry), width)
        counts = np.bincount(model, minlength=len(columns.models))
        met = np.split(entry, np.cumsum(counts)[:-1])
        for number in np.argsort(-counts, kind="stable").tolist():
            self._join(met[number], number)
        return self._items

    def _join(self, entries: np.ndarray, model: int) -> None:
        settled = self._settled[entries]
        used = set(settled[settled >= 0].tolist())
        later = []
        for number in entries[settled < 0].tolist():
            home = self._own(self._columns.entries[number])
            if home is None:
                later.append(number)
            else:
                used.add(home)
                self._settled[number] = home  # of that id for every model to come
                self._put(number, model, home)
        for number in later:
            home = self._elsewhere(number, used)
            used.add(home)
            self._put(number, model, home)

    def _own(self, entry: Entry) -> int | None:
        """The item of that very id, when its content is the same or one of the two is not known."""
        number = self._numbers.get((entry.task, entry.item))
        if number is None:
            return None
        short = content_key(entry.content) if entry.content else ""
        return number if not short or self._shorts[number] in ("", short) else None

    def _elsewhere(self, number: int, used: set[int]) -> int:
        """The item with that content under another id, else a new one."""
        entry = self._columns.entries[number]
        short = content_key(entry.content) if entry.content else ""
        free = [home for home in self._of_content[entry.task, short] if short and home not in used]
        if free:
            self._items.renumbered += 1
            return free[0]
        key = (entry.task, entry.item)
        if key in self._numbers:
            raise DataRefused(self._drift(number, self._numbers[key]))
        self._numbers[key] = home = len(self._items.keys)
        self._items.keys.append(key)
        self._items.contents.append(entry.content)
        self._items.categories.append(entry.category)
        self._shorts.append(short)
        if short:
            self._of_content[entry.task, short].append(home)
        return home

    def _put(self, entry: int, model: int, item: int) -> None:
        items, told = self._items, self._columns.entries[entry]
        if items.of_entry[entry] in (-1, item):
            items.of_entry[entry] = item
        else:
            items.of_entry_model[entry, model] = item
        if told.content and not items.contents[item]:
            items.contents[item] = told.content
            if not self._shorts[item]:
                self._shorts[item] = content_key(told.content)
                self._of_content[told.task, self._shorts[item]].append(item)
        items.categories[item] = items.categories[item] or told.category

    def _drift(self, entry: int, home: int) -> str:
        mine = self._file(self._columns.entry == entry)
        entries = [number for number, item in enumerate(self._items.of_entry.tolist()) if item == home]
        other = self._file(np.isin(self._columns.entry, entries)) if entries else "the suite's benchmark"
        key = self._items.keys[home]
        return (
            f"Item {key[1]!r}{f' of {key[0]}' if key[0] else ''} is not the same in {other} and in {mine}: the hashes "
            "of its content differ. The data changed in between; import logs of one version of it only."
        )

    def _file(self, rows: np.ndarray) -> str:
        return str(self._columns.sources[self._columns.source[int(np.flatnonzero(rows)[0])]])
