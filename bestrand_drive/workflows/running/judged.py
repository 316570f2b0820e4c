"""How sure a run is after its whole blocks, as it is shown; plain, so that a run without ``--until`` loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bestrand_drive.compression.stopping.rule import Decision

CellName = tuple[str, int]
"""Route and repeat."""


@dataclass(frozen=True)
class Hours:
    """Simulator hours of a policy.

    Attributes:
        driven: By all attempts so far, wall time.
        suite: That the unfinished rest of the suite would take, at the pace so far.
        benchmark: The same of all routes of the benchmark.
    """

    driven: float
    suite: float
    benchmark: float


@dataclass(frozen=True)
class Judged:
    """What the whole blocks of a run tell.

    Attributes:
        decision: Of the rule; its look is the earliest that reaches the goal, else that of all whole blocks.
        whole: Blocks from the beginning that were judged: every route and repeat has a result or is given up.
        blocks: Route and repeat -> number of its block, from 1.
        finished: Routes and repeats that have a result or are given up, wherever in the order.
        items: Of the suite.
        benchmark: All items of the benchmark.
        hours: None as long as no attempt says how long it took.
    """

    decision: Decision
    whole: int
    blocks: Mapping[CellName, int]
    finished: int
    items: int
    benchmark: int
    hours: Hours | None

    @property
    def count(self) -> int:
        """Blocks of the suite."""
        return max(self.blocks.values())

    @property
    def enough(self) -> bool:
        """Whether the goal is reached."""
        return self.decision.verdict.value == "stop"

    def counts(self, cell: CellName) -> bool:
        """Whether a route and repeat is in the blocks on which the end rests; all are while the goal is not reached."""
        look = self.decision.look
        return not self.enough or look is None or self.blocks[cell] <= look.blocks
