"""Actors as the wire describes them."""

from __future__ import annotations

from typing import Any

import msgpack

from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.world.actor import Actor


def actor_value(actor: Actor, version: ProtocolVersion, token: bytes = b"") -> list[Any]:
    """``carla::rpc::Actor``: [id, parent, [uid, type, attributes], box, tags, stream token].

    Args:
        actor: What is described.
        version: For the numbers of attribute types and the fields of the box.
        token: Of its stream; the parties of an event are described without.
    """
    base = version.attribute_type_base
    attributes = [[name, kind + base, value] for name, (kind, value) in actor.attributes.items()]
    return [
        actor.id,
        actor.parent,
        [actor.blueprint_uid, actor.type_id, attributes],
        box_value(actor, version),
        bytes([actor.semantic_tag]) if actor.semantic_tag else b"",
        token,
    ]


def box_value(actor: Actor, version: ProtocolVersion) -> list[Any]:
    """``carla::geom::BoundingBox`` in the fields of the version; metres and degrees, in the actor's frame."""
    fields = {
        "location": actor.box_centre,
        "extent": actor.extent,
        "rotation": (0.0, 0.0, 0.0),
        "actor_id": actor.id,
    }
    return version.pack("BoundingBox", fields)


def pack(value: Any) -> bytes:  # noqa: ANN401  anything MessagePack can hold
    """MessagePack, where text that arrived as no UTF-8 leaves as the same bytes."""
    return bytes(msgpack.packb(value, unicode_errors="surrogateescape"))
