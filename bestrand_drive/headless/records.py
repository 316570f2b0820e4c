"""Byte layouts of a snapshot's records, packed and little endian: what the world keeps and the wire sends.

Source: ``ActorDynamicState`` of CARLA 0.9.15 and 0.9.16: 119 bytes an actor, of which 54 are a union by kind.
"""

from __future__ import annotations

import struct

import numpy as np

MOTION = ("location", "rotation", "velocity", "angular_velocity", "acceleration")
UNION_BYTES = 54
ACTOR_FIELDS = {"id": "I", "active": "B", **dict.fromkeys(MOTION, "3f"), "by_kind": f"{UNION_BYTES}s"}
"""Fields of one actor's record in order -> format of ``struct``."""
_STATE_BYTES = struct.calcsize(f"<{''.join(ACTOR_FIELDS.values())}")
_UNION_AT = _STATE_BYTES - UNION_BYTES

VEHICLE_RECORD = np.dtype(
    [
        ("throttle", "<f4"), ("steer", "<f4"), ("brake", "<f4"), ("hand_brake", "?"), ("reverse", "?"),
        ("manual", "?"), ("gear", "<i4"), ("speed_limit", "<f4"), ("light_state", "u1"), ("has_light", "?"),
        ("light_id", "<u4"), ("failure", "u1"),
    ]
)  # fmt: skip
LIGHT_RECORD = np.dtype(
    [
        ("sign_id", "S32"), ("green", "<f4"), ("yellow", "<f4"), ("red", "<f4"), ("elapsed", "<f4"),
        ("pole", "<u4"), ("frozen", "?"), ("state", "u1"),
    ]
)  # fmt: skip
WALKER_RECORD = np.dtype([("direction", "<f4", 3), ("speed", "<f4"), ("jump", "?")])

ACTOR_RECORD = np.dtype(
    {
        "names": ["id", "active", "state", "vehicle", "light", "walker", "sign_id", "union"],
        "formats": [
            "<u4",
            "u1",
            ("<f4", 3 * len(MOTION)),
            VEHICLE_RECORD,
            LIGHT_RECORD,
            WALKER_RECORD,
            "S32",
            f"V{UNION_BYTES}",
        ],
        "offsets": [0, 4, 5, *(_UNION_AT,) * 5],
        "itemsize": _STATE_BYTES,
    }
)
"""The same record as the world's table holds it: motion as 15 floats in the order of ``Bodies.state``, the union."""
