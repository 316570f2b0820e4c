"""From the compact data file to one draft a blueprint: classes, families and groups with inherited defaults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from bestrand_drive.headless.actor import Kind, Vector
from bestrand_drive.headless.blueprints.blueprint import AttributeSpec, AttributeType, Limits

Data = dict[str, Any]

_TYPES = {
    "bool": AttributeType.BOOL,
    "int": AttributeType.INT,
    "float": AttributeType.FLOAT,
    "string": AttributeType.STRING,
    "colour": AttributeType.COLOUR,
}
_LIMITS = ("max_steer_deg", "wheel_steer_deg", "max_accel", "max_brake", "max_speed", "mass")
_SENSOR_BOX: Vector = (0.05, 0.05, 0.05)
_SIZES = ((0.10, "tiny"), (0.35, "small"), (1.00, "medium"), (2.50, "big"))  # upper bound of the largest half size, m


@dataclass(frozen=True)
class Draft:
    """A blueprint that has no number yet; fields as in ``Blueprint``."""

    id: str
    kind: Kind
    attributes: tuple[AttributeSpec, ...]
    extent: Vector = _SENSOR_BOX
    centre: Vector = (0.0, 0.0, 0.0)
    tag: int = 0
    limits: Limits = field(default_factory=Limits)
    listed: bool = True


def load_data(text: str) -> Data:
    """Parse the data file and check its schema number."""
    data: Data = yaml.safe_load(text)
    if data.get("schema") != 1:
        raise ValueError(f"blueprints.yaml: schema {data.get('schema')!r} is not 1")
    return data


def drafts(data: Data) -> Iterator[Draft]:
    """Every blueprint of the file, in its order."""
    yield from _vehicles(data["vehicles"])
    yield from _walkers(data["walkers"])
    yield from _props(data["props"])
    yield from _sensors(data["sensors"])
    yield from _others(data["others"])


def _vector(values: list[float]) -> Vector:
    x, y, z = values
    return float(x), float(y), float(z)


def _variable(row: list[str]) -> AttributeSpec:
    """An attribute that the client may set: ``[id, type, default, other recommended values ...]``."""
    name, kind, *values = row
    return AttributeSpec(name, _TYPES[kind.rstrip("!")], values[0], tuple(values), True, kind.endswith("!"))


def _variables(rows: list[list[str]]) -> tuple[AttributeSpec, ...]:
    return tuple(_variable(row) for row in rows)


def _fixed(name: str, kind: AttributeType, value: str) -> AttributeSpec:
    return AttributeSpec(name, kind, value, (), False, False)


def _flag(name: str, value: bool) -> AttributeSpec:
    return _fixed(name, AttributeType.BOOL, "true" if value else "false")


def _vehicles(data: Data) -> Iterator[Draft]:
    common = _variables(data["attributes"])
    for name, model in data["models"].items():
        entry: Data = {**data["classes"][model["class"]], **model}
        extent = _vector(entry["box"])
        choices = tuple(_choices(entry, data))
        yield Draft(
            id=f"vehicle.{name}",
            kind=Kind.VEHICLE,
            attributes=common[:1] + choices + common[1:] + _description(entry),
            extent=extent,
            centre=_vector(entry["centre"]),
            tag=entry["tag"],
            limits=Limits(2 * extent[0] * entry["wheelbase_ratio"], *(float(entry[key]) for key in _LIMITS)),
        )


def _choices(entry: Data, data: Data) -> Iterator[AttributeSpec]:
    """Colours and riders, where a vehicle has them."""
    if entry["colours"]:
        yield _variable(["color", "colour", *data["palettes"][entry["colours"]]])
    if entry.get("drivers"):
        yield _variable(["driver_id", "int!", *data["drivers"]])


def _description(entry: Data) -> tuple[AttributeSpec, ...]:
    """What CARLA says of a vehicle. Only the second generation has lights and doors, but for named exceptions."""
    modern = entry["gen"] == 2
    return (
        _fixed("object_type", AttributeType.STRING, ""),
        _fixed("base_type", AttributeType.STRING, entry["class"]),
        _fixed("special_type", AttributeType.STRING, entry.get("special", "")),
        _fixed("number_of_wheels", AttributeType.INT, str(entry["wheels"])),
        _fixed("generation", AttributeType.INT, str(entry["gen"])),
        _flag("has_dynamic_doors", entry.get("doors", modern)),
        _flag("has_lights", entry.get("lights", modern)),
    )


def _walkers(data: Data) -> Iterator[Draft]:
    common = _variables(data["attributes"])
    numbered = ((number, group) for group in data["groups"] for number in _numbers(group["numbers"]))
    for number, group in sorted(numbered, key=lambda pair: pair[0]):
        entry: Data = {**data["families"][group["family"]], **group}
        yield Draft(
            id=f"walker.{entry.get('species', 'pedestrian')}.{number:04d}",
            kind=Kind.WALKER,
            attributes=common + _person(entry),
            extent=_vector(entry["box"]),
            tag=data["tag"],
            limits=Limits(max_speed=float(entry["speed"][-1])),
        )


def _numbers(ranges: list[int | list[int]]) -> Iterator[int]:
    for item in ranges:
        if isinstance(item, int):
            yield item
        else:
            yield from range(item[0], item[1] + 1)


def _person(entry: Data) -> tuple[AttributeSpec, ...]:
    """What CARLA says of a walker."""
    chair = bool(entry.get("wheelchair", False))
    return (
        _variable(["speed", "float", *entry["speed"]]),
        _variable(["use_wheelchair", "bool!", "false", *(["true"] if chair else [])]),
        _fixed("gender", AttributeType.STRING, entry["gender"]),
        _fixed("generation", AttributeType.INT, str(entry["gen"])),
        _fixed("age", AttributeType.STRING, entry["age"]),
        _flag("can_use_wheelchair", chair),
    )


def _props(data: Data) -> Iterator[Draft]:
    common = _variables(data["attributes"])
    for section, centred in (("boxes", False), ("centred", True)):
        for name, box in data[section].items():
            extent = _vector(box)
            size = _fixed("size", AttributeType.STRING, _size(extent))
            centre = (0.0, 0.0, 0.0 if centred else extent[2])
            yield Draft(f"static.prop.{name}", Kind.PROP, (*common, size), extent, centre, data["tag"])
    mesh = data["mesh"]
    extent = _vector(mesh["default"])
    attributes = common + _variables(mesh["attributes"])
    yield Draft("static.prop.mesh", Kind.PROP, attributes, extent, (0.0, 0.0, extent[2]), mesh["tag"])


def _size(extent: Vector) -> str:
    """CARLA's word for the size of a prop; its own bounds are not public, these are ours."""
    return next((word for bound, word in _SIZES if max(extent) < bound), "huge")


def _sensors(data: Data) -> Iterator[Draft]:
    families = {name: _variables(rows) for name, rows in data["families"].items()}
    for name, parts in data["models"].items():
        attributes = tuple(spec for part in parts for spec in families[part])
        yield Draft(f"sensor.{name}", Kind.SENSOR, attributes)


def _others(data: Data) -> Iterator[Draft]:
    for name, entry in data.items():
        attributes = _variables(entry.get("attributes", []))
        yield Draft(name, Kind[entry["kind"]], attributes, tag=entry.get("tag", 0), listed=entry.get("listed", True))
