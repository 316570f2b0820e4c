"""What an attempt is an attempt at: everything that, when it changes, makes an earlier result another one's."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bestrand_drive.files import sha256_bytes
from bestrand_drive.simulation.attempts.models import Frozen, RouteId, Sha256, canonical_json

Simulator = Literal["carla", "headless"]
Repeat = Annotated[int, Field(ge=0)]

BUILD_FIELDS = ("simulator", "carla_version", "evaluator_commit", "adapter")
"""Fields of a key that say what ran it; attempts that differ only in these may be pooled, by a flag."""
_CUT = 16
"""Characters of a value that are shown, unless two values agree in them."""
WORDS = {
    "benchmark": "the benchmark",
    "route_id": "the route",
    "town": "the town",
    "route_sha256": "the route's content",
    "policy": "the policy",
    "seed": "the traffic seed",
    "repeat": "the repeat",
    "simulator": "the simulator",
    "carla_version": "the CARLA version",
    "evaluator_commit": "the evaluator's commit",
    "adapter": "the way the evaluator is run",
}


class AttemptKey(Frozen):
    """One cell of a run (route and repeat) together with all that its result depends on.

    None is a value that was not declared, which happens only for results that were adopted.

    Attributes:
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``.
        route_id: As the route file writes it.
        town: Of the route.
        route_sha256: Of its content (``RouteElement.sha256``: whitespace and the order of attributes do not matter).
        policy: ``PolicyIdentity.digest``.
        seed: Of the traffic.
        repeat: From 0.
        simulator: What simulated it.
        carla_version: Of the server.
        evaluator_commit: Of the benchmark's checkout.
        adapter: Name and version of the way the evaluator is run.
    """

    benchmark: str
    route_id: RouteId
    town: str | None
    route_sha256: Sha256 | None
    policy: str
    seed: int | None
    repeat: Repeat
    simulator: Simulator
    carla_version: str
    evaluator_commit: str
    adapter: str | None

    @property
    def digest(self) -> str:
        """Hex SHA-256 over the canonical JSON of all fields."""
        return sha256_bytes(canonical_json(self.model_dump()))

    @property
    def cell(self) -> tuple[str, int]:
        """Route and repeat."""
        return self.route_id, self.repeat

    @property
    def folder(self) -> str:
        """Name of its folder: ``<route>.r<repeat>.<first 8 digits of the digest>``."""
        return f"{self.route_id}.r{self.repeat}.{self.digest[:8]}"


def differences(have: AttemptKey, want: AttemptKey) -> tuple[str, ...]:
    """Fields in which an attempt contradicts what is wanted; what was not declared contradicts nothing."""
    pairs = ((name, getattr(have, name), getattr(want, name)) for name in AttemptKey.model_fields)
    return tuple(name for name, left, right in pairs if left != right and None not in (left, right))


def only_build(fields: tuple[str, ...]) -> bool:
    """Whether differences are of the build alone."""
    return set(fields) <= set(BUILD_FIELDS)


def described(have: AttemptKey, want: AttemptKey) -> str:
    """The differences in words."""
    said = []
    for name in differences(have, want):
        left, right = (str(getattr(key, name)) for key in (have, want))
        cut = None if left[:_CUT] == right[:_CUT] else _CUT
        said.append(f"{WORDS[name]} was {left[:cut]}, now {right[:cut]}")
    return "; ".join(said)
