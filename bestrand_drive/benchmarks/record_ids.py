"""Which route and which repeat a record belongs to: from the file's name, its folders, and the record's own id.

Layouts read: one file or shards with ``RouteScenario_<id>_rep<k>``; one folder a route; Fail2Drive's
``<seed>/res/NNNN_res.json``, ``<seed>[/eval]/<Split>_<Class>_<id>.json`` and ``seedN/``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_RECORD_ID = re.compile(r"RouteScenario_(?P<id>[0-9]{1,18})(?:_rep(?P<rep>[0-9]{1,6}))?")
_PAIR_RECORD_ID = re.compile(r"(?:Base|Generalization)_\w+?_(?P<id>[0-9]{4})(?:-\w+)?")
_PAIR_FILE = re.compile(r"(?:(?:Base|Generalization)_\w+?_(?P<long>[0-9]{4})|(?P<short>[0-9]{4})_res)")
_ROUTE_FILE = re.compile(r"(?:RouteScenario_)?(?P<id>[0-9]{1,18})(?:_rep(?P<rep>[0-9]{1,6}))?(?:_res)?")
_SEED_FOLDER = re.compile(r"(?P<word>seed[_-]?)?(?P<seed>[0-9]{1,6})", re.IGNORECASE)


@dataclass(frozen=True)
class RecordKey:
    """Where a record belongs.

    Attributes:
        route_id: Digits without leading zeros.
        rep: The evaluator's own repetition.
        seed: Label of the seed folder, "" when there is none.
        seed_named: The folder says "seed"; a bare number may also be a shard.
        from_file_name: The id came from the file's name, which contradicts the record or is all there is.
    """

    route_id: str
    rep: str
    seed: str
    seed_named: bool
    from_file_name: bool


def identify_record(record_id: str, relative: str, benchmark: str, *, route_folders: bool = True) -> RecordKey | None:
    """Key of a record, or None when neither the record nor the file's name tells its route.

    Args:
        record_id: The record's ``route_id``.
        relative: Path of the file under the results root, with forward slashes.
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``; for Fail2Drive the file's name wins.
        route_folders: A folder that is named like the route is the route's and no seed's.
    """
    path = PurePosixPath(relative)
    own = _RECORD_ID.fullmatch(record_id) or _PAIR_RECORD_ID.fullmatch(record_id)
    named = _PAIR_FILE.fullmatch(path.stem) if benchmark == "fail2drive" else None
    if named is None and own is None:
        named = _ROUTE_FILE.fullmatch(path.stem)
    match = named or own
    if match is None:
        return None
    groups = match.groupdict()
    route_id = str(int(groups.get("id") or groups.get("long") or groups["short"]))
    rep = (own.groupdict().get("rep") if own else groups.get("rep")) or "0"
    differs = own is None or int(own["id"]) != int(route_id)
    folders = path.parent.parts
    if route_folders and named is None and folders and _is_number(folders[-1], route_id):
        folders = folders[:-1]  # one folder a route, not a seed
    seed, is_named = _seed(folders)
    return RecordKey(route_id, str(int(rep)), seed, is_named, named is not None and differs)


def route_number(name: str) -> str:
    """A route or a member of a pair as records name it: ``Base_Animals_0075`` is route 75; other names stay."""
    last = name.rsplit("_", 1)[-1]
    return str(int(last)) if last.isdecimal() else name


def _is_number(part: str, route_id: str) -> bool:
    return part.isdecimal() and part.isascii() and part.lstrip("0") == route_id.lstrip("0")


def _seed(folders: tuple[str, ...]) -> tuple[str, bool]:
    """Label of the nearest folder that is a number or ``seedN``, and whether it says "seed"; "" without one."""
    for part in reversed(folders):
        match = _SEED_FOLDER.fullmatch(part)
        if match:
            return str(int(match["seed"])), bool(match["word"])
    return "", False


def repeat_label(key: RecordKey, *, use_seed: bool) -> str:
    """Label of the repeat: the seed folder, with the evaluator's own repetition where it has more than one."""
    if not use_seed or not key.seed:
        return key.rep
    return key.seed if key.rep == "0" else f"{key.seed}r{key.rep}"
