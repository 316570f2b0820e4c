"""The options that every ``bestrand compress`` subcommand shares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.compression.selectors.registry import SELECTORS

Out = Annotated[Path, typer.Option(help="Folder to write the suite to.", show_default=False)]
Keep = Annotated[
    float | None,
    typer.Option(help="Share of items to keep, such as 0.35; exactly one of --keep, --k, --hours.", show_default=False),
]
Size = Annotated[int | None, typer.Option("--k", help="Number of items to keep.", show_default=False)]
Hours = Annotated[
    float | None,
    typer.Option(help="Budget of hours a policy, by the mean duration over the probes.", show_default=False),
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
