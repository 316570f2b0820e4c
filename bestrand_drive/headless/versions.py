"""What differs between CARLA versions: the blocks of ``versions.yaml``, one made into a ``ProtocolVersion``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bestrand_drive.errors import UsageError
from bestrand_drive.headless.version_table import read_table

_TABLE = Path(__file__).with_name("versions.yaml")


class Answer(Enum):
    """Shape of a remote call's answer: ``R<void>``, ``R<T>`` or a bare list (``apply_batch``)."""

    VOID = "void"
    VALUE = "value"
    LIST = "list"


@dataclass(frozen=True)
class Layout:
    """The fields of a struct in the order of one version.

    Attributes:
        names: Of all fields.
        fillers: Of fields that the server does not know, what is sent in their place.
    """

    names: tuple[str, ...]
    fillers: Mapping[str, Any]

    def pack(self, values: Mapping[str, Any]) -> list[Any]:
        """The struct as an array; ``values`` may hold more than this version has."""
        return [self.fillers[name] if name in self.fillers else values[name] for name in self.names]


@dataclass(frozen=True)
class ProtocolVersion:
    """One version of the wire protocol.

    Attributes:
        name: What the server announces, e.g. "0.9.16".
        world_observer: First field of a world snapshot's header.
        attribute_type_base: Added to an attribute's version-independent type code (0 bool ... 4 colour).
        geo_projection: How GNSS turns metres into degrees: ``transverse_mercator`` or ``mercator``.
        sensor_types: Sensor blueprint id -> first field of its frames' header.
        structs: Name of a MessagePack struct -> its fields.
        packed: Name of a packed struct of the streams -> its fields; a filler is a format of ``struct``.
        calls: Name of each remote call -> shape of its answer.
    """

    name: str
    world_observer: int
    attribute_type_base: int
    geo_projection: str
    sensor_types: Mapping[str, int]
    structs: Mapping[str, Layout]
    packed: Mapping[str, Layout]
    calls: Mapping[str, Answer]

    def pack(self, struct: str, values: Mapping[str, Any]) -> list[Any]:
        """A MessagePack struct from its values by field; those that this version does not have are left out."""
        return self.structs[struct].pack(values)


def load_version(name: str, table: Path = _TABLE) -> ProtocolVersion:
    """The protocol of CARLA version ``name``.

    Raises:
        UsageError: The table has no such version, or is itself wrong.
    """
    blocks = read_table(table)
    if name not in blocks:
        raise UsageError(f"--carla-version {name}: not one of {', '.join(known_versions(table))}.")
    block = blocks[name]
    return ProtocolVersion(
        name=name,
        world_observer=block["world_observer"],
        attribute_type_base=block["attribute_type_base"],
        geo_projection=block["geo_projection"],
        sensor_types=MappingProxyType(block["sensor_types"]),
        structs=_layouts(block["structs"]),
        packed=_layouts(block["packed"]),
        calls=MappingProxyType({call: Answer(shape) for call, shape in block["calls"].items()}),
    )


def known_versions(table: Path = _TABLE) -> tuple[str, ...]:
    """Names of the versions in the table, newest first."""
    return tuple(reversed(read_table(table)))


def _layouts(structs: Mapping[str, list[str | dict[str, Any]]]) -> Mapping[str, Layout]:
    """Field lists as layouts; a field with a filler is a mapping of one key."""
    found = {}
    for struct, fields in structs.items():
        fillers = {name: value for field in fields if isinstance(field, dict) for name, value in field.items()}
        names = tuple(field if isinstance(field, str) else next(iter(field)) for field in fields)
        found[struct] = Layout(names, MappingProxyType(fillers))
    return MappingProxyType(found)
