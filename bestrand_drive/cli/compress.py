"""``bestrand compress``: choose a suite."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.options import comma_list, metric_weights, name_lists, pairs, path_pairs

app = typer.Typer(help="Choose the items that stand for a whole benchmark.", no_args_is_help=True)

Out = Annotated[Path, typer.Option(help="Folder to write the suite to.", show_default=False)]
Keep = Annotated[float | None, typer.Option(help="Share of the items to keep, such as 0.35.", show_default=False)]
Size = Annotated[int | None, typer.Option("--k", help="Number of items to keep.", show_default=False)]
Hours = Annotated[
    float | None, typer.Option(help="Budget of simulator hours a policy, by the probes' durations.", show_default=False)
]
Seed = Annotated[int, typer.Option(help="Seed of every draw; the same seed gives the same bytes.")]
SelectorName = Annotated[str, typer.Option("--selector", help="balanced, bestrand or random.")]
Candidates = Annotated[int, typer.Option(help="Random subsets that are judged (m).")]
PoolFactor = Annotated[
    float | None,
    typer.Option(help="Look at probes on min(n k, N) drawn items only. [default: 4 for bestrand, else all]"),
]
Metric = Annotated[
    list[str] | None, typer.Option("--metric", help="Metric to choose by, NAME or NAME=WEIGHT; repeat.", show_default=False)
]
Family = Annotated[
    list[str] | None,
    typer.Option("--family", help="Policies of one lineage, NAME=A,B; they count as one probe.", show_default=False),
]
Exclude = Annotated[str, typer.Option(help="Item ids never to choose, joined by commas.", show_default=False)]
DisjointFrom = Annotated[
    list[Path] | None, typer.Option(help="A suite whose items are not to be chosen again; repeat.", show_default=False)
]
Licence = Annotated[
    list[str] | None, typer.Option("--licence", help="Licence of a probe's results, NAME=TEXT.", show_default=False)
]
NoGuard = Annotated[bool, typer.Option("--no-ability-guard", help="Let an ability end up without a route (for studies).")]
NoProbeData = Annotated[bool, typer.Option("--no-probe-data", help="Leave per-item probe figures out of the suite.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a suite that is there.")]
Probe = Annotated[
    list[str] | None,
    typer.Option("--probe", help="Results of a probe policy, NAME=PATH (file or folder); repeat.", show_default=False),
]
Mismatch = Annotated[
    bool, typer.Option("--allow-evaluator-mismatch", help="Accept result files of another benchmark's evaluator.")
]


@app.command("bench2drive")
def bench2drive(
    routes: Annotated[Path, typer.Option(help="Route file, such as bench2drive220.xml.", show_default=False)],
    out: Out,
    probe: Probe = None,
    keep: Keep = None,
    k: Size = None,
    hours: Hours = None,
    seed: Seed = 0,
    selector: SelectorName = "balanced",
    candidates: Candidates = 128,
    pool_factor: PoolFactor = None,
    metric: Metric = None,
    family: Family = None,
    exclude: Exclude = "",
    disjoint_from: DisjointFrom = None,
    licence: Licence = None,
    metric_info: Annotated[
        list[str] | None,
        typer.Option("--metric-info", help="Folder of a probe's metric_info.json files, NAME=PATH.", show_default=False),
    ] = None,
    no_ability_guard: NoGuard = False,
    no_probe_data: NoProbeData = False,
    allow_evaluator_mismatch: Mismatch = False,
    force: Force = False,
) -> None:
    """Choose routes of Bench2Drive.

    Example: bestrand compress bench2drive --routes bench2drive220.xml --probe VAD=results/VAD --keep 0.35 --out suite/
    """
    request = _request(locals())
    info = path_pairs("--metric-info", metric_info or [])
    _driving("bench2drive", routes, probe, licence, info, allow_evaluator_mismatch, request, out, force)


@app.command("fail2drive")
def fail2drive(
    routes: Annotated[Path, typer.Option(help="Folder of route files (fail2drive_split).", show_default=False)],
    out: Out,
    probe: Probe = None,
    keep: Keep = None,
    k: Size = None,
    hours: Hours = None,
    seed: Seed = 0,
    selector: SelectorName = "balanced",
    candidates: Candidates = 128,
    pool_factor: PoolFactor = None,
    metric: Metric = None,
    family: Family = None,
    exclude: Exclude = "",
    disjoint_from: DisjointFrom = None,
    licence: Licence = None,
    no_probe_data: NoProbeData = False,
    allow_evaluator_mismatch: Mismatch = False,
    force: Force = False,
) -> None:
    """Choose pairs of routes of Fail2Drive.

    Example: bestrand compress fail2drive --routes fail2drive_split/ --probe TFv6=results/TFv6 --keep 0.5 --out suite/
    """
    _driving("fail2drive", routes, probe, licence, {}, allow_evaluator_mismatch, _request(locals()), out, force)
