"""Stopping early as a Python user, or a runner, calls it: the order of a suite, and whether results are enough."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.stopping.order import Order
from bestrand_drive.compression.stopping.rule import Decision, Goal, Kind
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.stopping import order_of, stopping
from bestrand_drive.workflows.estimating.targets import read_target

PathLike = str | Path


def order(suite: PathLike | Suite, block: int | None = None) -> Order:
    """In which order to run a suite's items to stop early; ``blocks`` are what is judged (docs/stopping.md).

    Args:
        suite: Suite folder, its ``suite.json``, or a suite.
        block: Items of a block; None for half a cycle over the strata.
    """
    return order_of(_read(suite), block)


def enough(  # noqa: PLR0913  one keyword an option, as on the command line
    suite: PathLike | Suite,
    results: PathLike,
    until: Mapping[str, float],
    *,
    interval: Kind = "policy",
    level: float = 0.95,
    terminal: Collection[str] | None = None,
    missing: MissingRule = "exclude",
    block: int | None = None,
    policy: str | None = None,
) -> Decision:
    """Whether a policy's results so far are enough: a verdict, the look it rests on, and the ids to run next.

    Args:
        suite: Suite folder, its ``suite.json``, or a suite.
        results: Results so far; for a ``scores`` suite a table.
        until: Greatest half width of the interval by metric, metric units.
        interval: Whose: ``policy`` or ``run``.
        level: Of the interval.
        terminal: Chosen items that will never have a result; None takes those on record without a usable score.
        missing: ``zero`` scores terminal items at their worst.
        block: As in ``order``.
        policy: Its name; None takes the file's.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    goal, known = Goal(until, interval, level), _read(suite)
    target = read_target(known, Path(results), name=policy, missing=missing)
    return stopping(known, target, goal, terminal=terminal, missing=missing, block=block)


def _read(suite: PathLike | Suite) -> Suite:
    return suite if isinstance(suite, Suite) else read_suite(Path(suite))
