"""Boxes of what stands in the world, by semantic class."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.actor import Actor, Kind, Vector
from bestrand_drive.headless.rpc.context import Context
from bestrand_drive.headless.sensors.pose import rotation_matrix
from bestrand_drive.headless.wire.descriptions import box_value

_ANY = 255
_PLATE_HALF_M: Vector = (0.05, 0.35, 0.35)
_PLATE_CENTRE_M: Vector = (0.0, 0.0, 2.2)
_BUILT = (Kind.VEHICLE, Kind.WALKER, Kind.PROP, Kind.SIGN)


def get_all_level_BBs(context: Context, tag: int) -> list[Any]:
    """World boxes of vehicles, walkers, props and signs of a class, ascending by actor; 255 is every class.

    A sign's plate stands over its place, as the actor's own box is the trigger volume. Lamps and scenery have none.
    """
    actors = (actor for _, actor in sorted(context.world.actors.items()) if actor.kind in _BUILT)
    return [_world_box(context, actor) for actor in actors if tag in (_ANY, actor.semantic_tag)]


def _world_box(context: Context, actor: Actor) -> list[Any]:
    """``carla::geom::BoundingBox`` of an actor in the world's frame; metres and degrees."""
    sign = actor.kind is Kind.SIGN
    centre, extent = (_PLATE_CENTRE_M, _PLATE_HALF_M) if sign else (actor.box_centre, actor.extent)
    place = actor.transform
    turned = rotation_matrix(place.rotation) @ centre
    x, y, z = (float(at + offset) for at, offset in zip(place.location, turned, strict=True))
    return box_value(context.version, actor.id, (x, y, z), extent, place.rotation)


HANDLERS = {"get_all_level_BBs": get_all_level_BBs}
