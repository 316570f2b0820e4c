"""The catalogue of blueprints, expanded from the one data file ``blueprints.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

from bestrand_drive.headless.actor import Vector
from bestrand_drive.headless.blueprints.blueprint import AttributeType, Blueprint
from bestrand_drive.headless.blueprints.families import Draft, drafts, load_data

_MESH = "static.prop.mesh"
LARGEST_SCALE = 100.0


@dataclass(frozen=True)
class Catalog:
    """Every blueprint, and the boxes of the meshes that ``static.prop.mesh`` may show.

    Attributes:
        blueprints: In the order of their uid, from 1.
        meshes: Name of a mesh -> half sizes of its box, metres.
    """

    blueprints: tuple[Blueprint, ...]
    meshes: Mapping[str, Vector]

    @cached_property
    def _by_id(self) -> dict[str, Blueprint]:
        return {blueprint.id: blueprint for blueprint in self.blueprints}

    def find(self, type_id: str) -> Blueprint | None:
        """The blueprint with that id, or none."""
        return self._by_id.get(type_id)

    def listed(self) -> tuple[Blueprint, ...]:
        """What the client's blueprint library shows."""
        return tuple(blueprint for blueprint in self.blueprints if blueprint.listed)

    def body(self, blueprint: Blueprint, attributes: Mapping[str, tuple[int, str]]) -> tuple[Vector, Vector]:
        """Box of an actor: half sizes and centre in its own frame, metres.

        It is the blueprint's, but for ``static.prop.mesh``: there it follows from the mesh's name and the scale.

        Args:
            blueprint: What is spawned.
            attributes: Of the actor: id -> (type code, value).
        """
        if blueprint.id != _MESH:
            return blueprint.extent, blueprint.box_centre
        path = attributes.get("mesh_path", (AttributeType.STRING, ""))[1]
        name = path.rsplit("/", 1)[-1].rsplit(".", 1)[-1]
        x, y, z = self.meshes.get(name, blueprint.extent)
        scale = _positive(attributes.get("scale", (AttributeType.FLOAT, "1.0"))[1])
        return (x * scale, y * scale, z * scale), (0.0, 0.0, z * scale)


def _positive(text: str) -> float:
    """The number that ``text`` writes, at most ``LARGEST_SCALE``, or 1 where it is none or not above zero."""
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return min(value, LARGEST_SCALE) if 0.0 < value < float("inf") else 1.0


def load_catalog() -> Catalog:
    """Read the data file that travels with the package."""
    data = load_data(resources.files(__package__).joinpath("blueprints.yaml").read_text(encoding="utf-8"))
    meshes = {name: (float(x), float(y), float(z)) for name, (x, y, z) in data["props"]["mesh"]["boxes"].items()}
    return Catalog(_numbered(drafts(data)), meshes)


def _numbered(found: Iterable[Draft]) -> tuple[Blueprint, ...]:
    """Give every draft its uid, counted from 1 in the order of the file."""
    return tuple(
        Blueprint(
            uid=uid,
            id=draft.id,
            tags=tuple(draft.id.split(".")),
            attributes=draft.attributes,
            extent=draft.extent,
            box_centre=draft.centre,
            semantic_tag=draft.tag,
            kind=draft.kind,
            limits=draft.limits,
            listed=draft.listed,
        )
        for uid, draft in enumerate(found, start=1)
    )
