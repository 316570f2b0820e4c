"""What differs between CARLA versions, read from ``versions.yaml``: one table in data, no branches in code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from bestrand_drive.errors import UsageError

_TABLE = Path(__file__).with_name("versions.yaml")


class Answer(Enum):
    """Shape of a remote call's answer: ``R<void>``, ``R<T>`` or a bare list (``apply_batch``)."""

    VOID = "void"
    VALUE = "value"
    LIST = "list"


@dataclass(frozen=True)
class ProtocolVersion:
    """One version of the wire protocol.

    Attributes:
        name: What the server announces, e.g. "0.9.16".
        world_observer: First field of a world snapshot's header.
        attribute_type_base: Added to an attribute's version-independent type code (0 bool ... 4 colour).
        geo_projection: How GNSS turns metres into degrees: ``transverse_mercator`` or ``mercator``.
        spawn_command: Fields of the SpawnActor command, in order.
        bounding_box: Fields of a bounding box, in order.
        sensor_types: Sensor blueprint id -> first field of its frames' header.
        rpcs: Name of each remote call -> shape of its answer.
    """

    name: str
    world_observer: int
    attribute_type_base: int
    geo_projection: str
    spawn_command: tuple[str, ...]
    bounding_box: tuple[str, ...]
    sensor_types: Mapping[str, int]
    rpcs: Mapping[str, Answer]


def load_version(name: str) -> ProtocolVersion:
    """The protocol of CARLA version ``name``.

    Raises:
        UsageError: The table has no such version.
    """
    table = _read_table()
    if name not in table["versions"]:
        raise UsageError(f"--carla-version {name}: not one of {', '.join(known_versions())}.")
    entry = table["versions"][name]
    merged: dict[str, Any] = {**table["common"], **entry}
    return ProtocolVersion(
        name=name,
        world_observer=merged["world_observer"],
        attribute_type_base=merged["attribute_type_base"],
        geo_projection=merged["geo_projection"],
        spawn_command=tuple(merged["spawn_command"]),
        bounding_box=tuple(merged["bounding_box"]),
        sensor_types=MappingProxyType({**table["common"]["sensor_types"], **entry.get("sensor_types", {})}),
        rpcs=MappingProxyType(_rpcs(table["common"]["rpcs"], set(entry.get("rpcs_absent", "").split()))),
    )


def known_versions() -> tuple[str, ...]:
    """Names of the versions in the table, newest first."""
    return tuple(_read_table()["versions"])


def _read_table() -> dict[str, Any]:
    """The whole table."""
    table: dict[str, Any] = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))
    return table


def _rpcs(shapes: Mapping[str, str], absent: set[str]) -> dict[str, Answer]:
    """Names by shape, turned into shapes by name."""
    return {name: answer for answer in Answer for name in shapes[answer.value].split() if name not in absent}
