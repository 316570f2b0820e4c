"""What made the results of a side, as its run folder tells; sides that were made differently are not compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bestrand_drive.benchmarks.run_header import MIXED_SIMULATORS, RESULTS, UNKNOWN_SIMULATOR, read_header
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import sha256_bytes
from bestrand_drive.simulation.attempts.key import BUILD_FIELDS, WORDS
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.attempts.view import view_name

_CUT = 16
"""Characters of a value that are shown, unless two values agree in them."""


@dataclass(frozen=True)
class Provenance:
    """What is known of how results were made; empty for files that are no run folder's.

    Attributes:
        builds: Field of an attempt's key (``BUILD_FIELDS``) -> its values in the counted results.
        routes: Route id -> hash of its content.
        seeds: Place under ``results/`` -> traffic seed.
        policy: ``PolicyIdentity.digest`` of the counted results, "" when not known or several.
    """

    builds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)
    policy: str = ""


def provenance_of(results: Path) -> Provenance:
    """Read the attempts behind the counted results of a run folder.

    Raises:
        DataRefused: A later version of this package wrote an attempt.
    """
    if not results.is_dir() or read_header(results) is None:
        return Provenance()
    present = {sha256_bytes(path.read_bytes()) for path in (results / RESULTS).rglob("*.json")}
    store = AttemptStore(Layout(results), repair=False)
    counted = [one for one in store.attempts if one.counts and one.result_sha256 in present]
    policies = {one.key.policy for one in counted}
    return Provenance(
        builds={name: _values(counted, name) for name in BUILD_FIELDS},
        routes={one.key.route_id: one.key.route_sha256 for one in counted if one.key.route_sha256 is not None},
        seeds={str(view_name(one.key)): one.key.seed for one in counted if one.key.seed is not None},
        policy=policies.pop() if len(policies) == 1 else "",
    )


def told_by_header(made: Provenance, simulator: str) -> Provenance:
    """The same with what a run folder's header says simulated it: results may lie there without an attempt.

    Args:
        made: What the attempts tell.
        simulator: ``carla``, ``headless``, ``mixed`` for both, or ``unknown``.
    """
    told = made.builds.get("simulator", frozenset())
    if simulator == UNKNOWN_SIMULATOR or (simulator == MIXED_SIMULATORS and told):
        return made
    said = frozenset({"carla", "headless"}) if simulator == MIXED_SIMULATORS else frozenset({simulator})
    return replace(made, builds={**made.builds, "simulator": told | said})


def _values(attempts: list[Attempt], name: str) -> frozenset[str]:
    return frozenset(str(value) for one in attempts if (value := getattr(one.key, name)) is not None)


Two = tuple[str, str]
Loads = tuple[set[int], set[int]]


def refuse_unlike(names: Two, made: tuple[Provenance, Provenance], loads: Loads) -> None:
    """Refuse to pair what was made differently.

    Args:
        names: Of baseline and candidate.
        made: How each was made; what is not known contradicts nothing.
        loads: Servers that shared a GPU, of each; a mixture on a side is for the caller to tell.

    Raises:
        DataRefused: Naming what differs.
    """
    for fault in _faults(names, made, loads):
        raise DataRefused(f"{names[0]} and {names[1]} are not compared: {fault}.")


def _faults(names: Two, made: tuple[Provenance, Provenance], loads: Loads) -> Iterator[str]:
    for name in BUILD_FIELDS:
        values = [one.builds.get(name, frozenset()) for one in made]
        if len(values[0] | values[1]) > 1:
            said = ", ".join(f"{who} {_listed(own, values)}" for who, own in zip(names, values, strict=True) if own)
            yield f"{WORDS[name]} is not the same ({said}); run both with one build"
    other = [route for route, content in made[0].routes.items() if made[1].routes.get(route, content) != content]
    if other:
        yield f"route {other[0]} had another content on each side ({len(other)} such routes); run both on one file"
    if len(loads[0]) == len(loads[1]) == 1 and loads[0] != loads[1]:
        first, second = (next(iter(one)) for one in loads)
        yield (
            f"{names[0]} was driven with {first} servers on a GPU, {names[1]} with {second}: the load can change "
            "scores; run both alike"
        )


def _listed(own: frozenset[str], values: list[frozenset[str]]) -> str:
    every = values[0] | values[1]
    short = {value: value[:_CUT] for value in every}
    whole = len(set(short.values())) < len(every)
    return "/".join(sorted(value if whole else short[value] for value in own))
