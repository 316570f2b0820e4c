"""How actors come and go, and which of them can collide."""

from __future__ import annotations

import numpy as np

from bestrand_drive.headless.actor import Actor, Kind, Transform, Vector
from bestrand_drive.headless.blueprints.blueprint import Blueprint
from bestrand_drive.headless.world.bodies import Bodies, TableActor, X, Y
from bestrand_drive.headless.world.boxes import Boxes, overlap
from bestrand_drive.headless.world.contacts import CLEARANCE_M
from bestrand_drive.headless.world.errors import SPAWN_COLLISION, SPAWN_INVALID, WorldError
from bestrand_drive.headless.world.fleet import MASS
from bestrand_drive.headless.world.props import MASS_KG as PROP_KG
from bestrand_drive.headless.world.ranges import LONGEST_CHAIN, MOST_ACTORS, check_transform
from bestrand_drive.headless.world.solids import reach
from bestrand_drive.headless.world.state import WorldState
from bestrand_drive.headless.world.walkers import MASS_KG as WALKER_KG

_LONGEST_SAID = 80
_BY_THE_MAP = frozenset({Kind.TRAFFIC_LIGHT, Kind.SIGN, Kind.SPECTATOR})
_SOLID_KINDS = frozenset({Kind.VEHICLE, Kind.WALKER, Kind.PROP})


class Population(WorldState):
    """Spawning and destroying."""

    def spawn(
        self, type_id: str, attributes: dict[str, tuple[int, str]], transform: Transform, parent: int = 0
    ) -> Actor:
        """Spawn an actor; with a parent the transform is relative to it.

        Args:
            type_id: Blueprint.
            attributes: What the client sets: id -> (type code, value); the blueprint's defaults fill the rest, its type
                codes hold for all, and what it does not have is left out.
            transform: Where.
            parent: Actor to attach to, or 0.

        Raises:
            WorldError: Unknown blueprint or parent, something is there already, too many actors, or no such place.
        """
        check_transform(transform)
        blueprint = self.catalog.find(type_id)
        if blueprint is None or blueprint.kind in _BY_THE_MAP:
            raise WorldError(f"{SPAWN_INVALID}: {type_id[:_LONGEST_SAID]}")
        if len(self.actors) >= MOST_ACTORS:
            raise WorldError(f"this server holds no more than {MOST_ACTORS:,} actors, the map's own included")
        filled = blueprint.defaults()
        filled |= {name: (filled[name][0], text) for name, (_, text) in attributes.items() if name in filled}
        box = self.catalog.body(blueprint, filled)
        if parent:
            self._check_chain(parent)
        elif self._occupied(blueprint.kind, transform, box):
            raise WorldError(SPAWN_COLLISION)
        actor = self._add(blueprint.kind, type_id, transform, box, tag=blueprint.semantic_tag, attributes=filled)
        self._enlist(actor, blueprint)
        if parent:
            self._attach(actor, parent, transform)
        self._solidify(actor.id)
        return actor

    def _check_chain(self, parent: int) -> None:
        """Refuse an attachment to nothing, or at the end of an endless chain: each link is placed after the one before.

        Raises:
            WorldError: See above.
        """
        for _ in range(LONGEST_CHAIN):
            parent = self.actor(parent).parent
            if not parent:
                return
        raise WorldError(f"this server attaches no more than {LONGEST_CHAIN} actors one to another")

    def _enlist(self, actor: Actor, blueprint: Blueprint) -> None:
        """Put vehicles and walkers into their tables."""
        if actor.kind is Kind.VEHICLE:
            self.fleet.add(actor.id, self.slot(actor.id), blueprint.limits, actor.extent)
        elif actor.kind is Kind.WALKER:
            self.walkers.add(actor.id, self.slot(actor.id))

    def _attach(self, actor: Actor, parent: int, relative: Transform) -> None:
        actor.parent, actor.attachment = parent, relative
        self.attachments.add(actor.id, self.slot(actor.id), parent, self.slot(parent), relative)
        self.attachments.place(self.bodies.state)

    def _occupied(self, kind: Kind, transform: Transform, box: tuple[Vector, Vector]) -> bool:
        """Something is in the way of an actor that is to be put there.

        A vehicle is refused where its box overlaps another vehicle's, a walker's or that of a prop that it could not
        drive over; a walker where it overlaps a vehicle or walker. Props are put anywhere: CARLA always spawns
        ``static.prop.mesh``, and scenario_runner spawns props on the bare ground, which it lifts everything else from.
        No prop keeps a walker out, for scenarios start walkers inside the boxes of bus shelters and food carts.
        """
        if kind not in (Kind.VEHICLE, Kind.WALKER):
            return False
        solids, (x, y, _) = self.solids, transform.location
        at, within = self.bodies.state[:2, solids.slots], solids.reach + reach(*box)
        close = (np.abs(at[X] - x) < within) & (np.abs(at[Y] - y) < within)
        rows = np.flatnonzero(close if kind is Kind.VEHICLE else close & ~solids.prop)
        if not rows.size:
            return False
        probe = Bodies()
        mine = Boxes.of(probe, np.array([probe.add(0, transform, *box)], dtype=np.intp))
        theirs = Boxes.of(self.bodies, solids.slots[rows])
        near = np.flatnonzero(
            (np.hypot(theirs.x - mine.x, theirs.y - mine.y) < theirs.radius + mine.radius)
            & (np.abs(theirs.z - mine.z) < theirs.height + mine.height - CLEARANCE_M * solids.prop[rows])
        )
        return bool(near.size) and bool(
            (overlap(mine.take(np.zeros(near.size, dtype=np.intp)), theirs.take(near)).depth > 0.0).any()
        )

    def destroy(self, actor_id: int) -> bool:
        """Remove an actor and everything attached to it; false where there is none, or where the map owns it."""
        actor = self.actors.get(actor_id)
        if actor is None or actor.kind in _BY_THE_MAP:
            return False
        for one in sorted([actor_id, *self.attachments.below(actor_id)], reverse=True):  # children before parents
            self._remove(self.actors.pop(one))
        return True

    def _remove(self, actor: Actor) -> None:
        """Take an actor out of every table."""
        actor_id = actor.id
        if actor.kind is Kind.VEHICLE:
            self.fleet.remove(actor_id)
        elif actor.kind is Kind.WALKER:
            self.walkers.remove(actor_id)
        self.solids.drop(actor_id)
        self.attachments.remove(actor_id)
        self.props.remove(actor_id)
        self.light_flags.pop(actor_id, None)
        self._ackermann.pop(actor_id, None)
        self._ghosts.discard(actor_id)
        assert isinstance(actor, TableActor)  # noqa: S101  the world makes no others
        actor.leave()

    # --- solids
    def _solidify(self, actor_id: int) -> None:
        """Bring the table of what can collide up to date with an actor that has come or changed."""
        actor = self.actor(actor_id)
        if actor.kind not in _SOLID_KINDS or actor.parent or actor_id in self._ghosts:
            self.solids.drop(actor_id)
        else:
            self.solids.put(actor, self.slot(actor_id), *self._inverse_mass(actor))

    def _inverse_mass(self, actor: Actor) -> tuple[float, bool]:
        """1/kg, and whether it may be pushed away."""
        if actor.kind is Kind.VEHICLE:
            row = self.fleet.row[actor.id]
            simulated = bool(self.fleet.simulated[row])
            return (1.0 / float(self.fleet.limits[MASS, row]) if simulated else 0.0), simulated
        if actor.kind is Kind.WALKER:
            return 1.0 / WALKER_KG, self.walkers.simulated[actor.id]
        loose = actor.id in self.props.slots
        return (1.0 / PROP_KG if loose else 0.0), loose
