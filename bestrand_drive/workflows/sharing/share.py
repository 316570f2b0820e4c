"""A suite in one file for another lab: ids, hashes, seed, settings, statistics; no routes, and no secrets of probes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from unicodedata import category

from pydantic import BaseModel, ConfigDict, ValidationError

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.benchmarks.catalog import load_route_sets
from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.benchmarks.routes import RouteFile, read_route_file
from bestrand_drive.benchmarks.strict_json import parse_json
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import dump_json, read_bytes, sha256_bytes
from bestrand_drive.suite.reading import parsed_suite, read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.suite_folder import OWN_NAMES, USES
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.evidence.driving import load_benchmark
from bestrand_drive.workflows.sharing.probe_data import ProbeDataRule, shareable

SHARE_VERSION = 1
LIMIT_MIB = 256
LONGEST = 4096
"""Characters of one string of a shared file."""
REFUSED_LETTERS = {"Cc", "Cs"}
"""Unicode categories: control characters, and halves of surrogate pairs, which no UTF-8 file or terminal can hold."""
HASH_DIGITS = 16
"""Of a route's content hash, as in the known route sets."""
_NOT_SHARED = {"suite.json", "provenance.json", USES}
"""Of a suite folder: what the shared file holds itself, and what tells of this lab only."""


class SharedSuite(BaseModel):
    """What one lab gives another.

    Attributes:
        share_version: Of this schema.
        suite: The suite, perhaps without probe data.
        routes: Route id -> first 16 hex digits of the hash of its content (whitespace and comments do not count); of
            all routes, or of the suite's only where nobody knew the others. Empty for tables.
        items_sha256: Of the ids of all items, sorted, one a line; the members of a group or pair in its place.
        files: The suite folder's own files: relative name -> SHA-256. Names are looked up, never used as paths.
        left_out: What is not in ``suite``, as a sentence; "" when nothing was left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    share_version: Literal[1] = 1
    suite: Suite
    routes: dict[str, str]
    items_sha256: str
    files: dict[str, str]
    left_out: str

    def to_json(self) -> bytes:
        """The file's bytes."""
        return dump_json(self.model_dump(mode="json", exclude={"suite"}) | {"suite": json.loads(self.suite.to_json())})


def share_suite(folder: Path, *, routes: Path | None = None, probe_data: ProbeDataRule = "auto") -> SharedSuite:
    """What may be given away of a suite folder.

    Args:
        folder: As written by ``compress``.
        routes: The route file or folder the suite was made from, to name the content of every route; without it a known
            route set's hashes are taken, else those of the suite's own routes.
        probe_data: See ``probe_data.shareable``.

    Raises:
        DataRefused: The folder's files are not the suite's, or ``routes`` is not what it was made from.
        UsageError: ``routes`` is given for a table.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: give the suite folder; its route files are hashed too.")
    suite = read_suite(folder)
    if suite.benchmark == TABLE and routes is not None:
        raise UsageError("--routes: this suite is of a table; there are no routes.")
    given, said = shareable(suite, probe_data)
    return SharedSuite(
        suite=given,
        routes={} if suite.benchmark == TABLE else _route_hashes(suite, folder, routes),
        items_sha256=items_digest(item_leaves(suite)),
        files={name: sha256_bytes(read_bytes(folder / name)) for name in sorted(_own_files(folder))},
        left_out=said,
    )


def item_leaves(suite: Suite) -> list[str]:
    """Ids of routes or table rows: the members of a pair or group, else the item itself."""
    return [member for item in suite.items for member in item.leaves]


def items_digest(leaves: Collection[str]) -> str:
    """SHA-256 of ids, whatever their order."""
    return sha256_bytes("\n".join(sorted(leaves)).encode())


def content_hashes(files: Collection[RouteFile]) -> dict[str, str]:
    """First digits of each route's content hash, by id."""
    return {route.id: route.sha256[:HASH_DIGITS] for file in files for route in file.routes}


def route_numbers(suite: Suite, items: Collection[str]) -> set[str]:
    """Ids, as route files write them, of the routes of some items (``Base_Animals_0075`` is route 75)."""
    wanted = set(items)
    return {route_number(leaf) for item in suite.items if item.id in wanted for leaf in item.leaves}


def _own_files(folder: Path) -> Iterator[str]:
    """Relative names of what belongs to the suite beside ``suite.json``."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if path.is_file() and name.parts[0] in OWN_NAMES - _NOT_SHARED:
            yield name.as_posix()


def _route_hashes(suite: Suite, folder: Path, routes: Path | None) -> dict[str, str]:
    """Of all routes when they can be known, else of the suite's.

    Raises:
        DataRefused: The folder's routes are not the suite's.
    """
    own = content_hashes(_own_route_files(folder))
    if set(own) != route_numbers(suite, suite.chosen):
        raise DataRefused(f"{folder}: its route files do not hold the suite's routes; make the suite again.")
    every = _all_hashes(suite, routes)
    changed = sorted(route for route, digest in own.items() if every.get(route, digest) != digest)
    if changed:
        raise DataRefused(f"{folder}: the content of {', '.join(changed[:10])} was changed; make the suite again.")
    return every or own


def _own_route_files(folder: Path) -> list[RouteFile]:
    single = folder / "routes.xml"
    paths = [single] if single.is_file() else sorted((folder / "routes").glob("*.xml"))
    return [read_route_file(path) for path in paths]


def _all_hashes(suite: Suite, routes: Path | None) -> dict[str, str]:
    if routes is not None:
        benchmark = load_benchmark(suite.benchmark, routes)
        if benchmark.sha256 != suite.source_sha256:
            raise DataRefused(f"--routes {routes}: not the routes that the suite was made from (another SHA-256).")
        return content_hashes(benchmark.files)
    ids = route_numbers(suite, suite.item_ids)
    for known in load_route_sets(suite.benchmark):
        if suite.route_set == known.name or suite.route_set.startswith(f"{known.name}-"):  # a part of shipped routes
            return {route: digest for route, digest in known.routes.items() if route in ids}
    return {}


def read_shared(path: Path) -> SharedSuite:
    """Read another lab's file, trusting nothing in it.

    Raises:
        DataRefused: It is absent, too large, no JSON, of another schema, holds control characters, or contradicts
            itself.
    """
    raw = parse_json(read_bytes(path, limit_mib=LIMIT_MIB), str(path))
    version = raw.get("share_version") if isinstance(raw, dict) else None
    if type(version) is not int or version != SHARE_VERSION:  # true and 1.0 equal 1
        raise DataRefused(
            f"{path}: share_version {version!r}; this version reads {SHARE_VERSION}. Is it a file of `bestrand share`?"
        )
    for text in _strings(raw):
        if len(text) > LONGEST or any(category(letter) in REFUSED_LETTERS for letter in text):
            raise DataRefused(f"{path}: {text[:40]!r} is too long for a name or holds control characters.")
    suite = parsed_suite(raw.get("suite"), str(path))
    try:
        shared = SharedSuite.model_validate(raw | {"suite": suite})
    except ValidationError as error:
        first = error.errors()[0]
        raise DataRefused(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from error
    if shared.items_sha256 != items_digest(item_leaves(suite)):
        raise DataRefused(f"{path}: items_sha256 is not that of its items. The file was edited or damaged.")
    return shared


def _strings(raw: Any) -> Iterator[str]:  # noqa: ANN401  anything JSON can hold
    """All keys and strings of a document, without recursion."""
    waiting = [raw]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value


def check_benchmark(shared: SharedSuite, benchmark: Benchmark, place: str) -> None:
    """Refuse routes that are not those of the shared suite.

    The whole set's hash is enough; else every route must have the shared content.

    Raises:
        DataRefused: Saying which routes differ, are missing, foreign, or cannot be compared.
    """
    suite = shared.suite
    here = content_hashes(benchmark.files)
    if benchmark.sha256 != suite.source_sha256:
        _compare(shared, here, place)
    rows = zip(benchmark.items["item_id"], benchmark.items["members"], benchmark.items["stratum"], strict=True)
    mine = {str(item): (tuple(members) if len(members) > 1 else (), str(stratum)) for item, members, stratum in rows}
    theirs = {item.id: (tuple(item.members), item.stratum or "") for item in suite.items}
    wrong = [item for item in mine if mine[item] != theirs.get(item)]
    if wrong or len(mine) != suite.n:
        raise DataRefused(
            f"{place}: same routes, but the shared file describes {_some(wrong) or 'them'} otherwise "
            "(members or scenario type). It was edited, or made by another version."
        )


def _compare(shared: SharedSuite, here: Mapping[str, str], place: str) -> None:
    wanted = route_numbers(shared.suite, shared.suite.item_ids)
    absent, foreign = sorted(wanted - here.keys()), sorted(here.keys() - wanted)
    changed = sorted(route for route in wanted & here.keys() if shared.routes.get(route, here[route]) != here[route])
    unknown = sorted(wanted & here.keys() - shared.routes.keys())
    parts = [(absent, "not in it"), (foreign, "in it but not in the suite's benchmark"), (changed, "of other content")]
    said = [f"{len(ids)} {what}: {_some(ids)}" for ids, what in parts if ids]
    if not said and unknown:
        ask = "the other lab can give them: bestrand share --routes"
        said.append(f"{len(unknown)} routes cannot be compared, as their content hashes were not shared ({ask})")
    if said:
        raise DataRefused(f"{place}: not the routes of the shared suite ({shared.suite.route_set}): {'; '.join(said)}.")


def _some(ids: Collection[str]) -> str:
    names = list(ids)
    return ", ".join(names[:10]) + (" ..." if len(names) > 10 else "")
