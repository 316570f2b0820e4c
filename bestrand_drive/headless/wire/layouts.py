"""The packed little-endian structs of the sensor streams, identical in CARLA 0.9.15 and 0.9.16.

Sources: LibCarla's ``sensor/s11n/SensorHeaderSerializer.h``, ``sensor/s11n/EpisodeStateSerializer.h`` and
``sensor/data/ActorDynamicState.h``, checked against the debug information of the official wheels.
"""

from __future__ import annotations

from struct import Struct

Vector = tuple[float, float, float]

SENSOR_HEADER = Struct("<QQd6f")
"""48 bytes: sensor type, frame, simulated time (s), location x y z (m), rotation pitch yaw roll (degrees)."""

EPISODE_HEADER = Struct("<Qdf3iI")
"""36 bytes: episode id, platform time (s), step (s), map origin x y z, simulation state."""

ACTOR_STATE = Struct("<IB6f3f3f3f54s")
"""119 bytes: id, state (1 active), location, rotation, velocity (m/s), turning (deg/s), acceleration (m/s^2), union."""

VEHICLE_STATE = Struct("<fff???ifB?IB")
"""30 bytes: throttle steer brake, hand brake reverse manual, gear, limit (km/h), light, has light, its id, failure."""

LIGHT_STATE = Struct("<32sffffI?B")
"""54 bytes: sign id, green yellow red elapsed (s), pole index, frozen, state."""

SIGN_STATE = Struct("<32s")
"""32 bytes: sign id."""

WALKER_STATE = Struct("<3ff?")
"""17 bytes: direction, speed (m/s), jump."""

LENGTH = Struct("<I")
"""4 bytes in front of every message of a stream."""

MAP_CHANGED = 1
"""Bit of the simulation state: the client must fetch the map anew."""


def sensor_header(sensor_type: int, frame: int, elapsed_s: float, location: Vector, rotation: Vector) -> bytes:
    """The header of every frame of a stream.

    Args:
        sensor_type: Index of the sensor's class in the version's registry.
        frame: Number of the frame.
        elapsed_s: Simulated time since the episode began.
        location: x, y, z of the sensor in the world, metres.
        rotation: pitch, yaw, roll, degrees.
    """
    return SENSOR_HEADER.pack(sensor_type, frame, elapsed_s, *location, *rotation)


def snapshot_header(
    world_observer: int, frame: int, elapsed_s: float, episode: int, step_s: float, state: int
) -> bytes:
    """What precedes the 119-byte rows of a world snapshot.

    The platform time is the simulated time, so that equal runs give equal bytes.
    """
    head = SENSOR_HEADER.pack(world_observer, frame, elapsed_s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return head + EPISODE_HEADER.pack(episode, elapsed_s, step_s, 0, 0, 0, state)
