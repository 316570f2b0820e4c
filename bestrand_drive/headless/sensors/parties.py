"""The two parties of an event, as the wire describes actors."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.world.actor import Actor

_NO_STREAM = b""


def actor_value(actor: Actor, version: ProtocolVersion) -> list[Any]:
    """``carla::rpc::Actor``: [id, parent, [uid, type, attributes], box, tags, stream token].

    The token is left empty: parties are vehicles, walkers and props, which have no stream.
    """
    base = version.attribute_type_base
    attributes = [[name, kind + base, value] for name, (kind, value) in actor.attributes.items()]
    fields = {
        "location": list(actor.box_centre),
        "extent": list(actor.extent),
        "rotation": [0.0, 0.0, 0.0],
        "actor_id": actor.id,
    }
    return [
        actor.id,
        actor.parent,
        [actor.blueprint_uid, actor.type_id, attributes],
        version.pack("BoundingBox", fields),
        bytes([actor.semantic_tag]) if actor.semantic_tag else b"",
        _NO_STREAM,
    ]
