"""Weather, gravity, the ground."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.rpc import decoding, encoding
from bestrand_drive.headless.rpc.context import Context

_NOWHERE = [[0.0, 0.0, 0.0], 0]


def get_weather_parameters(context: Context) -> list[Any]:
    """WeatherParameters."""
    return encoding.weather(context.version, context.world.weather)


def set_weather_parameters(context: Context, weather: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Keep the weather; nothing looks different for it."""
    context.world.weather = decoding.weather(context.version, weather)


def get_imui_gravity(context: Context) -> float:
    """Gravity that inertial sensors feel, m/s^2."""
    return context.world.imu_gravity


def set_imui_gravity(context: Context, gravity: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Let inertial sensors feel another gravity, until another map is loaded; nothing falls faster for it."""
    context.world.set_imu_gravity(decoding.number(gravity))


def project_point(context: Context, location: Any, direction: Any, search_distance: Any) -> list[Any]:  # noqa: ANN401  whatever a client sent
    """The first thing in a direction: only roads are known; a pair of found and LabelledPoint."""
    ray = decoding.vector(location), decoding.vector(direction), decoding.number(search_distance)
    found = context.world.project_point(*ray)
    return [False, _NOWHERE] if found is None else [True, found]


def cast_ray(context: Context, start: Any, end: Any) -> list[Any]:  # noqa: ANN401  whatever a client sent
    """Where a segment meets the road: LabelledPoints."""
    return list(context.world.cast_ray(decoding.vector(start), decoding.vector(end)))


HANDLERS = {
    handler.__name__: handler
    for handler in (
        get_weather_parameters,
        set_weather_parameters,
        get_imui_gravity,
        set_imui_gravity,
        project_point,
        cast_ray,
    )
}
