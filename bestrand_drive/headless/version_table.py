"""Reads ``versions.yaml``: resolves ``extends`` and refuses what is not clear. How to write a block is said there."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from bestrand_drive.errors import UsageError

Block = dict[str, Any]

STRUCTS: Mapping[str, str] = {
    "SpawnActor": "description transform parent attachment_type? socket_name? do_after",
    "BoundingBox": "location extent rotation actor_id?",
    "VehicleControl": "throttle steer brake hand_brake reverse manual_gear_shift gear",
    "VehicleAckermannControl": "steer steer_speed speed acceleration jerk",
    "AckermannControllerSettings": "speed_kp speed_ki speed_kd accel_kp accel_ki accel_kd",
    "WalkerControl": "direction speed jump",
    "EpisodeSettings": (
        "synchronous_mode no_rendering_mode fixed_delta_seconds substepping max_substep_delta_time max_substeps "
        "max_culling_distance deterministic_ragdolls tile_stream_distance actor_active_distance spectator_as_ego"
    ),
    "WeatherParameters": (
        "cloudiness precipitation precipitation_deposits wind_intensity sun_azimuth_angle sun_altitude_angle "
        "fog_density fog_distance fog_falloff wetness scattering_intensity mie_scattering_scale "
        "rayleigh_scattering_scale dust_storm"
    ),
    "VehiclePhysicsControl": (
        "torque_curve max_rpm moi damping_rate_full_throttle damping_rate_zero_throttle_clutch_engaged "
        "damping_rate_zero_throttle_clutch_disengaged use_gear_autobox gear_switch_time clutch_strength final_ratio "
        "forward_gears mass drag_coefficient center_of_mass steering_curve wheels use_sweep_wheel_collision"
    ),
    "GearPhysicsControl": "ratio down_ratio up_ratio",
    "WheelPhysicsControl": (
        "tire_friction damping_rate max_steer_angle radius max_brake_torque max_handbrake_torque lat_stiff_max_load "
        "lat_stiff_value long_stiff_value position"
    ),
}
"""MessagePack struct -> the fields that the server knows; it can do without those with a question mark."""

WEATHER_FIELDS = tuple(STRUCTS["WeatherParameters"].split())
"""Order of the numbers of the world's weather."""

PACKED: Mapping[str, str] = {
    "SensorHeader": "sensor_type frame elapsed_s location rotation",
    "EpisodeHeader": "episode platform_s step_s map_origin simulation_state",
    "ActorState": "id active location rotation velocity angular_velocity acceleration by_kind",
}
"""The same for the packed structs of the streams."""

_REPLACED = ("world_observer", "attribute_type_base", "geo_projection")
_WHOLE = {*_REPLACED, "sensor_types", "structs", "packed", "calls"}
_PROJECTIONS = ("mercator", "transverse_mercator")
_SHAPES = ("void", "value", "list")


class ConfigurationError(UsageError):
    """The table of versions is wrong; the message names file, version and key."""


def read_table(path: Path) -> dict[str, Block]:
    """Every version of a table in the order of the file, whole: ``calls`` maps a name to ``void``, ``value``, ``list``.

    Raises:
        ConfigurationError: A key is unknown, missing or of another kind than it must be.
    """
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigurationError(f"{path}: cannot be read ({error}).") from error
    if not isinstance(written, dict) or not all(isinstance(name, str) for name in written):
        raise ConfigurationError(
            f"{path}: must map each version's name, in quotes if it looks like a number, to its block."
        )
    blocks: dict[str, Block] = {}
    for name, block in written.items():
        _Reader(f"{path}: version {name}", blocks).read(name, block)
    return blocks


class _Reader:
    """Adds one version to those read before."""

    def __init__(self, place: str, blocks: dict[str, Block]) -> None:
        self._place = place
        self._blocks = blocks

    def read(self, name: str, written: object) -> None:
        """Check a block, complete it from the one that it extends, and add it."""
        block = self._mapping("the block", written)
        base = self._base(block)
        may = _WHOLE | ({"extends", "without_calls"} if base else set())
        self._names("key", block, may, set() if base else _WHOLE)
        whole: Block = {key: self._plain(key, block[key]) if key in block else base[key] for key in _REPLACED}
        whole["sensor_types"] = {**base.get("sensor_types", {}), **self._sensor_types(block.get("sensor_types", {}))}
        for key, known in (("structs", STRUCTS), ("packed", PACKED)):
            whole[key] = {**base.get(key, {}), **self._structs(key, block.get(key, {}), known)}
            self._names(f"{key}:", whole[key], set(known), set(known))
        whole["calls"] = self._calls(base.get("calls", {}), block)
        self._blocks[name] = whole

    def _fault(self, message: str) -> ConfigurationError:
        return ConfigurationError(f"{self._place}: {message}.")

    def _mapping(self, what: str, value: object) -> dict[str, Any]:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise self._fault(f"{what} must map names to values")
        return value

    def _names(self, what: str, given: Mapping[str, object] | set[str], may: set[str], must: set[str]) -> None:
        """Names must be known, and none that is needed may lack."""
        for word, names in (("unknown", set(given) - may), ("missing", must - set(given))):
            if names:
                raise self._fault(f"{word} {what} {', '.join(sorted(names))}")

    def _base(self, block: Block) -> Block:
        """The version that a block extends; nothing for a whole block."""
        extended = block.get("extends")
        if extended is None:
            return {}
        if not isinstance(extended, str) or extended not in self._blocks:
            raise self._fault(f"extends {extended!r}, which is no version above it")
        return self._blocks[extended]

    def _plain(self, key: str, value: object) -> int | str:
        """A number, or the name of a projection."""
        if key == "geo_projection":
            if value not in _PROJECTIONS:
                raise self._fault(f"{key} must be {' or '.join(_PROJECTIONS)}, not {value!r}")
            return str(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._fault(f"{key} must be a whole number, not {value!r}")
        return value

    def _sensor_types(self, written: object) -> dict[str, int]:
        """Sensor blueprint -> number."""
        types = self._mapping("sensor_types", written)
        return {name: int(self._plain(f"sensor_types: {name}", number)) for name, number in types.items()}

    def _structs(self, key: str, written: object, known: Mapping[str, str]) -> dict[str, list[Any]]:
        """Struct -> its fields."""
        structs = self._mapping(key, written)
        self._names(f"{key}:", structs, set(known), set())
        for name, fields in structs.items():
            self._fields(f"of {key}: {name}:", fields, known[name], filler=_is_format if key == "packed" else None)
        return structs

    def _fields(self, where: str, fields: object, known: str, filler: Callable[[object], bool] | None) -> None:
        """One field list: every field once, known by name or with what is sent in its place."""
        if not isinstance(fields, list):
            raise self._fault(f"the fields {where} must be a list")
        may = {name.rstrip("?") for name in known.split()}
        must = {name for name in known.split() if not name.endswith("?")}
        plain = [field for field in fields if isinstance(field, str)]
        filled = [field for field in fields if isinstance(field, dict)]
        names = [*plain, *(name for field in filled for name in field)]
        if len(plain) + len(filled) < len(fields) or any(len(field) != 1 for field in filled):
            raise self._fault(f"a field {where} is a name, or {{name: what is sent in its place}}")
        if len(set(names)) < len(names):
            raise self._fault(f"a field {where} stands there twice")
        self._names(f"field {where}", set(plain), may, must)
        for field in filled:
            ((name, value),) = field.items()
            if name in may:
                raise self._fault(f"field {where} {name} is known to the server and takes no value")
            if filler is not None and not filler(value):
                raise self._fault(f"field {where} {name}: {value!r} is no format of Python's struct module")

    def _calls(self, base: Mapping[str, str], block: Block) -> dict[str, str]:
        """Call -> shape of its answer."""
        written = self._mapping("calls", block.get("calls", {}))
        self._names("calls:", written, set(_SHAPES), set())
        gone = set(self._words("without_calls", block.get("without_calls", "")))
        self._names("without_calls:", gone, set(base), set())
        calls = {name: shape for name, shape in base.items() if name not in gone}
        for shape, names in written.items():
            for name in self._words(f"calls: {shape}", names):
                if name in calls:
                    raise self._fault(f"call {name} stands there twice")
                calls[name] = shape
        return calls

    def _words(self, key: str, value: object) -> list[str]:
        """Names in one text, divided by spaces."""
        if not isinstance(value, str):
            raise self._fault(f"{key} must be names divided by spaces")
        return value.split()


def _is_format(value: object) -> bool:
    """Whether ``struct`` knows a format."""
    try:
        return isinstance(value, str) and struct.calcsize(f"<{value}") > 0
    except struct.error:
        return False
