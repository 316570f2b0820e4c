"""The options that every ``bestrand plan`` subcommand shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from bestrand_drive.cli.choosing.compress_options import Seed
from bestrand_drive.cli.declared import Options
from bestrand_drive.cli.options import name_lists
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.planning.plan_request import GoalKind, PlanRequest, goal_of

P95 = Annotated[
    list[str] | None,
    typer.Option(
        "--p95",
        help="Smallest suite whose error stays under this in 95 of 100 suites, VALUE or METRIC=VALUE; repeat.",
        show_default=False,
    ),
]
MeanError = Annotated[
    list[str] | None,
    typer.Option("--error", help="The same for the mean absolute error.", show_default=False),
]
Detect = Annotated[
    list[str] | None,
    typer.Option(
        "--detect",
        help="Smallest suite that finds this difference between two policies, at 95 % in 80 of 100 suites.",
        show_default=False,
    ),
]
Keep = Annotated[
    float | None, typer.Option(help="What to expect when this share of the items is kept.", show_default=False)
]
Size = Annotated[int | None, typer.Option("--k", help="The same for this many items.", show_default=False)]
Hours = Annotated[float | None, typer.Option(help="The same for this budget of hours a policy.", show_default=False)]
Targets = Annotated[int, typer.Option(help="Policies to be estimated; errors are means over them.")]
About = Annotated[
    Literal["run", "policy"] | None,
    typer.Option(
        "--claim",
        help="Errors about this run on all items, or the policy's mean over runs (default, if noise is known).",
        show_default=False,
    ),
]
SelectorName = Annotated[str, typer.Option("--selector", help="balanced, stratified, bestrand or random.")]
EstimatorName = Annotated[
    str, typer.Option("--estimator", help="default: what `bestrand estimate` does; mean: plain, as published.")
]
Candidates = Annotated[int, typer.Option(help="How many random subsets will be judged.")]
PoolFactor = Annotated[
    float | None,
    typer.Option(help="Probes are looked at on min(n k, N) items; 4 for bestrand, else all.", show_default=False),
]
Metric = Annotated[
    list[str] | None, typer.Option("--metric", help="Metric to plan for; default: the main ones.", show_default=False)
]
Family = Annotated[
    list[str] | None, typer.Option("--family", help="Policies of one lineage, NAME=A,B.", show_default=False)
]
Repeats = Annotated[
    list[str] | None,
    typer.Option(
        "--repeats",
        help="Runs of your own policy, for its run noise: results (of a table: columns) of one run each; repeat.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@dataclass(frozen=True)
class Asked:
    """What the shared options say.

    Attributes:
        request: The goal or size, and how the suite will be chosen.
        repeats: Runs of the target, as they were named.
        as_json: Whether to print one JSON object.
    """

    request: PlanRequest
    repeats: tuple[str, ...]
    as_json: bool


def asked(
    p95: P95 = None,
    error: MeanError = None,
    detect: Detect = None,
    keep: Keep = None,
    k: Size = None,
    hours: Hours = None,
    targets: Targets = 1,
    claim: About = None,
    selector: SelectorName = "balanced",
    estimator: EstimatorName = "default",
    candidates: Candidates = 128,
    pool_factor: PoolFactor = None,
    metric: Metric = None,
    family: Family = None,
    repeats: Repeats = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> Asked:
    """What the options ask for.

    Raises:
        UsageError: Two kinds of goal are given, or the words of an option cannot be read.
    """
    given: Mapping[GoalKind, Sequence[str] | None] = {"p95": p95, "error": error, "detect": detect}
    goal, wanted = goal_of({kind: _by_metric(f"--{kind}", values) for kind, values in given.items()})
    request = PlanRequest(
        goal=goal,
        wanted=wanted,
        keep=keep,
        k=k,
        hours=hours,
        targets=targets,
        claim=claim,
        selector=selector,
        estimator=estimator,
        candidates=candidates,
        pool_factor=pool_factor,
        metrics=tuple(metric or ()),
        families=name_lists("--family", family or []),
        seed=seed,
    )
    return Asked(request, tuple(repeats or ()), as_json)


OF_A_PLAN = Options(asked)


def _by_metric(option: str, values: Sequence[str] | None) -> dict[str, float] | None:
    """The goal by metric, "" for all others; None when the option is not given."""
    if not values:
        return None
    wanted: dict[str, float] = {}
    for value in values:
        name, _, number = value.rpartition("=")
        try:
            amount = float(number)
        except ValueError as error:
            raise UsageError(f"{option} {value!r}: write VALUE or METRIC=VALUE.") from error
        if name in wanted:
            raise UsageError(f"{option}: {name or 'a value for all metrics'} is given twice.")
        wanted[name] = amount
    return wanted
