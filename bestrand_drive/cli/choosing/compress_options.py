"""The options of a choice, which every ``bestrand compress`` subcommand has, and ``bestrand probe`` most of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.declared import Options
from bestrand_drive.cli.options import comma_list, metric_weights, name_lists
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.choosing.request import CompressRequest

Out = Annotated[Path, typer.Option(help="Folder to write the suite to.", show_default=False)]
Keep = Annotated[
    float | None,
    typer.Option(help="Share of items to keep, such as 0.35.", show_default=False),
]
Size = Annotated[
    int | None, typer.Option("--k", help="Number of items to keep, instead of --keep.", show_default=False)
]
Hours = Annotated[
    float | None,
    typer.Option(
        help="Instead of --keep or --k: budget of hours a policy, by the mean duration over the probes.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of every draw; the same seed gives the same bytes.")]
SelectorName = Annotated[
    str,
    typer.Option(
        "--selector",
        help="; ".join(f"{name}: {entry.summary}" for name, entry in SELECTORS.items())
        + ". Those after stratified need the probes' results on all items.",
    ),
]
Objective = Annotated[
    str,
    typer.Option(
        help="What balanced and bestrand balance: scores, or ranking (differences between probes; see docs/methods.md)."
    ),
]
Candidates = Annotated[int, typer.Option(help="How many random subsets are judged.")]
Search = Annotated[
    str,
    typer.Option(
        help="How they are judged: auto, subsets, classes (0/1 scores), windows or blocks (no strata); docs/search.md."
    ),
]
PoolFactor = Annotated[
    float | None,
    typer.Option(
        help="Use probe scores on min(n k, N) drawn items only; 4 for bestrand, else all.", show_default=False
    ),
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", help="Metric to choose by, NAME or NAME=WEIGHT; default: the main ones.", show_default=False
    ),
]
Family = Annotated[
    list[str] | None,
    typer.Option("--family", help="Policies of one lineage, NAME=A,B; they count as one probe.", show_default=False),
]
Exclude = Annotated[str, typer.Option(help="Item ids never to choose, such as 23670,24041.", show_default=False)]
DisjointFrom = Annotated[
    list[Path] | None, typer.Option(help="A suite whose items are not to be chosen again; repeat.", show_default=False)
]
Licence = Annotated[
    list[str] | None,
    typer.Option("--licence", help="Licence of a probe's results, NAME=TEXT; kept in suite.json.", show_default=False),
]
NoGuard = Annotated[bool, typer.Option("--no-ability-guard", help="Let an ability go without a route (for studies).")]
NoProbeData = Annotated[
    bool, typer.Option("--no-probe-data", help="Leave per-item probe figures out (wider intervals).")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a suite that is there.")]


@dataclass(frozen=True)
class Asked:
    """What the shared options say.

    Attributes:
        request: Size, method and guards, without what must not be chosen.
        out: Suite folder.
        exclude: Item ids never to choose.
        disjoint_from: Suites whose items are not to be chosen again.
        force: Whether a suite that is there is replaced.
    """

    request: CompressRequest
    out: Path
    exclude: tuple[str, ...]
    disjoint_from: tuple[Path, ...]
    force: bool

    def check_guard(self, benchmark: str) -> None:
        """Refuse to switch a guard off that the benchmark has not.

        Raises:
            UsageError: It has no abilities.
        """
        if benchmark == "fail2drive" and not self.request.guard:
            raise UsageError("--no-ability-guard is for Bench2Drive: Fail2Drive has no abilities.")


def asked(
    out: Out,
    keep: Keep = None,
    k: Size = None,
    hours: Hours = None,
    seed: Seed = 0,
    selector: SelectorName = "balanced",
    objective: Objective = "scores",
    candidates: Candidates = 128,
    search: Search = "auto",
    pool_factor: PoolFactor = None,
    metric: Metric = None,
    family: Family = None,
    exclude: Exclude = "",
    disjoint_from: DisjointFrom = None,
    no_ability_guard: NoGuard = False,
    no_probe_data: NoProbeData = False,
    force: Force = False,
) -> Asked:
    """What the options ask for.

    Raises:
        UsageError: The words of an option cannot be read.
    """
    request = CompressRequest(
        keep=keep,
        k=k,
        hours=hours,
        seed=seed,
        selector=selector,
        objective=objective,
        candidates=candidates,
        search=search,
        pool_factor=pool_factor,
        metric_weights=metric_weights(metric or ()),
        families=name_lists("--family", family or ()),
        guard=not no_ability_guard,
        probe_data=not no_probe_data,
    )
    return Asked(request, out, comma_list(exclude), tuple(disjoint_from or ()), force)


OF_A_CHOICE = Options(asked)
