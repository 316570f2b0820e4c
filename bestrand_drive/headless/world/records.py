"""Byte layouts of a snapshot's records, packed and little endian.

Source: ``ActorDynamicState`` of CARLA 0.9.15 and 0.9.16: 119 bytes an actor, of which 54 are a union by kind.
"""

from __future__ import annotations

import numpy as np

STATE_BYTES, UNION_BYTES = 119, 54
_UNION_AT = STATE_BYTES - UNION_BYTES

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
        "formats": ["<u4", "u1", ("<f4", 15), VEHICLE_RECORD, LIGHT_RECORD, WALKER_RECORD, "S32", f"V{UNION_BYTES}"],
        "offsets": [0, 4, 5, *(_UNION_AT,) * 5],
        "itemsize": STATE_BYTES,
    }
)
"""One actor: id, state (1 active), 15 floats in the order of ``Bodies.state``, and the union."""
