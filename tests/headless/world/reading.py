"""What a snapshot says of an actor, read from the table that is sent."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World


def record(world: "World", actor_id: int, part: str) -> Any:
    """The fields of one actor: ``part`` is vehicle, light, walker, sign_id or state."""
    rows = world.snapshot_rows()
    return rows[part][rows["id"] == actor_id][0].copy()
