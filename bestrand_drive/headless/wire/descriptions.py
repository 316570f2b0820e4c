"""Actors as the wire describes them."""

from __future__ import annotations

from typing import Any

import msgpack

from bestrand_drive.headless.actor import Actor, Vector
from bestrand_drive.headless.versions import ProtocolVersion


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
        actor_box(actor, version),
        bytes([actor.semantic_tag]) if actor.semantic_tag else b"",
        token,
    ]


def actor_box(actor: Actor, version: ProtocolVersion) -> list[Any]:
    """The box of an actor in its own frame."""
    return box_value(version, actor.id, actor.box_centre, actor.extent, (0.0, 0.0, 0.0))


def box_value(version: ProtocolVersion, actor_id: int, location: Vector, extent: Vector, rotation: Vector) -> list[Any]:
    """``carla::geom::BoundingBox`` in the fields of the version; metres and degrees."""
    fields = {"location": location, "extent": extent, "rotation": rotation, "actor_id": actor_id}
    return version.pack("BoundingBox", fields)


def pack(value: Any) -> bytes:  # noqa: ANN401  anything MessagePack can hold
    """MessagePack, where text that arrived as no UTF-8 leaves as the same bytes."""
    return bytes(msgpack.packb(value, unicode_errors="surrogateescape"))
