"""Fail2Drive's folder of route files as pairs: ``<Split>_<Class>_<id>.xml``, generalization id = base id + 1000."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.routes import RouteFile, read_route_file
from bestrand_drive.errors import DataRefused

SPLITS = ("base", "generalization")
PAIR_OFFSET = 1000
_FILE = re.compile(r"(?P<split>Base|Generalization)_(?P<kind>\w+)_(?P<id>[0-9]{4})")


@dataclass(frozen=True)
class PairMember:
    """One of the two routes of a pair."""

    split: str
    kind: str
    number: int
    file: RouteFile

    @property
    def item_id(self) -> str:
        """Id of the pair: class and base id."""
        return f"{self.kind}_{self.number % PAIR_OFFSET:04d}"


def read_members(folder: Path) -> list[PairMember]:
    """Read every route file of the folder, by name.

    Raises:
        DataRefused: A file is malformed, is not named so, or has another id than its name.
    """
    if not folder.is_dir():
        raise DataRefused(f"{folder}: not a folder. Give Fail2Drive's folder of route files (one XML a route).")
    members = [_member(path) for path in sorted(folder.glob("*.xml"))]
    if not members:
        raise DataRefused(f"{folder}: no XML file. Give Fail2Drive's folder of route files (one XML a route).")
    numbers: dict[int, PairMember] = {}
    for member in members:
        other = numbers.setdefault(member.number, member)
        if other is not member:
            raise DataRefused(f"{member.file.path}: has the id of {other.file.path.name}. Keep one of them.")
    return members


def _member(path: Path) -> PairMember:
    match = _FILE.fullmatch(path.stem)
    if match is None:
        raise DataRefused(f"{path}: not named <Base|Generalization>_<Class>_<four digits>.xml. Move it elsewhere.")
    file = read_route_file(path)
    if len(file.routes) != 1:
        raise DataRefused(f"{path}: holds {len(file.routes)} routes; a Fail2Drive file holds one.")
    split, number = match["split"].lower(), int(match["id"])
    if int(file.routes[0].id) != number:
        where = f"{path}, line {file.routes[0].line}"
        raise DataRefused(f"{where}: route id {file.routes[0].id} is unlike the file's name. Restore the original.")
    if (number >= PAIR_OFFSET) != (split == "generalization"):
        raise DataRefused(f"{path}: base ids lie below {PAIR_OFFSET}, generalization ids above. Restore the name.")
    return PairMember(split, match["kind"], number, file)


def is_pair(members: Sequence[str]) -> bool:
    """Whether these are the stems of a pair's two files, base first."""
    both = [match for match in map(_FILE.fullmatch, members) if match is not None]
    if len(members) != 2 or len(both) != 2:
        return False
    (base, generalization), numbers = both, [int(match["id"]) for match in both]
    named = base["split"].lower(), generalization["split"].lower()
    apart = numbers[1] - numbers[0]
    return named == SPLITS and base["kind"] == generalization["kind"] and apart == PAIR_OFFSET > numbers[0]


def pair_row(folder: Path, item: str, pair: dict[str, PairMember]) -> tuple[str, tuple[str, str], str, str]:
    """One row of the items: item_id, members (stems, base first), stratum, town.

    Raises:
        DataRefused: A partner is missing.
    """
    for split in SPLITS:
        if split not in pair:
            there = next(iter(pair.values()))
            number = there.number % PAIR_OFFSET + (PAIR_OFFSET if split == "generalization" else 0)
            partner = f"{split.capitalize()}_{there.kind}_{number:04d}.xml"
            raise DataRefused(f"{folder}: {there.file.path.name} lacks its partner {partner}. Pairs stay whole.")
    base, generalization = (pair[split] for split in SPLITS)
    return item, (base.file.path.stem, generalization.file.path.stem), base.kind, base.file.routes[0].town
