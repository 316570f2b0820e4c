"""``bestrand compress``: choose a suite."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli import compress_options as common
from bestrand_drive.cli.options import metric_weights, name_lists, pairs, path_pairs
from bestrand_drive.cli.suite_text import print_compressed
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence import Evidence
from bestrand_drive.workflows.request import CompressRequest
from bestrand_drive.workflows.suite_folder import check_target
from bestrand_drive.workflows.tabular import TableSource, table_evidence
from bestrand_drive.workflows.verbs import choose_and_write

app = typer.Typer(help="Choose the items that stand for a whole benchmark.", no_args_is_help=True)

Probe = Annotated[
    list[str] | None,
    typer.Option("--probe", help="Results of a probe policy, NAME=PATH (file or folder); repeat.", show_default=False),
]
MetricInfo = Annotated[
    list[str] | None,
    typer.Option("--metric-info", help="Folder of a probe's metric_info.json files, NAME=PATH.", show_default=False),
]
Mismatch = Annotated[
    bool, typer.Option("--allow-evaluator-mismatch", help="Accept result files of another benchmark's evaluator.")
]


def _driving_command(benchmark: str) -> Callable[..., None]:
    """The subcommand of one driving benchmark; both take the same options."""

    def command(
        routes: Annotated[Path, typer.Option(help="The benchmark's own route file or folder.", show_default=False)],
        out: common.Out,
        probe: Probe = None,
        keep: common.Keep = None,
        k: common.Size = None,
        hours: common.Hours = None,
        seed: common.Seed = 0,
        selector: common.SelectorName = "balanced",
        candidates: common.Candidates = 128,
        pool_factor: common.PoolFactor = None,
        metric: common.Metric = None,
        family: common.Family = None,
        exclude: common.Exclude = "",
        disjoint_from: common.DisjointFrom = None,
        licence: common.Licence = None,
        metric_info: MetricInfo = None,
        no_ability_guard: common.NoGuard = False,
        no_probe_data: common.NoProbeData = False,
        allow_evaluator_mismatch: Mismatch = False,
        force: common.Force = False,
    ) -> None:
        request = CompressRequest(
            keep=keep,
            k=k,
            hours=hours,
            seed=seed,
            selector=selector,
            candidates=candidates,
            pool_factor=pool_factor,
            metric_weights=metric_weights(metric or []),
            families=name_lists("--family", family or []),
            exclude=common.exclusions(exclude, disjoint_from or []),
            guard=not no_ability_guard,
            probe_data=not no_probe_data,
        )
        request.check()
        check_target(out, force=force)
        sources = _sources(probe or [], licence or [], metric_info or [])
        evidence = driving_evidence(load_benchmark(benchmark, routes), sources, allow_mismatch=allow_evaluator_mismatch)
        _finish(evidence, request, out, force)

    return command


def _sources(probe: list[str], licence: list[str], metric_info: list[str]) -> list[ResultSource]:
    paths, infos = path_pairs("--probe", probe), path_pairs("--metric-info", metric_info)
    licences = pairs("--licence", licence)
    unknown = sorted((set(licences) | set(infos)) - set(paths))
    if unknown:
        raise UsageError(f"--licence, --metric-info: {', '.join(unknown)} is not a --probe here.")
    return [ResultSource(name, path, licences.get(name, "not stated"), infos.get(name)) for name, path in paths.items()]


app.command("bench2drive", help="Choose routes of Bench2Drive; --routes is its route file.")(
    _driving_command("bench2drive")
)
app.command("fail2drive", help="Choose pairs of routes of Fail2Drive; --routes is its folder of route files.")(
    _driving_command("fail2drive")
)


@app.command("scores")
def scores(
    scores: Annotated[Path, typer.Option(help="Score table, wide or long (CSV, JSONL, Parquet).", show_default=False)],
    out: common.Out,
    items: Annotated[
        Path | None, typer.Option(help="Item table: item_id, stratum, group, cost_s.", show_default=False)
    ] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option("--probe", help="Name of a model that guides the choice; repeat.", show_default=False),
    ] = None,
    n_probes: Annotated[
        int | None, typer.Option(help="Take this many models, spread over ability, as probes.", show_default=False)
    ] = None,
    keep: common.Keep = None,
    k: common.Size = None,
    hours: common.Hours = None,
    seed: common.Seed = 0,
    selector: common.SelectorName = "balanced",
    candidates: common.Candidates = 128,
    pool_factor: common.PoolFactor = None,
    metric: common.Metric = None,
    family: common.Family = None,
    exclude: common.Exclude = "",
    disjoint_from: common.DisjointFrom = None,
    licence: Annotated[str, typer.Option(help="Licence of the score table.")] = "not stated",
    no_probe_data: common.NoProbeData = False,
    force: common.Force = False,
) -> None:
    """Choose items of any benchmark from a table of scores (item x model)."""
    weights = metric_weights(metric or [])
    request = CompressRequest(
        keep=keep,
        k=k,
        hours=hours,
        seed=seed,
        selector=selector,
        candidates=candidates,
        pool_factor=pool_factor,
        metric_weights=weights,
        families=name_lists("--family", family or []),
        exclude=common.exclusions(exclude, disjoint_from or []),
        probe_data=not no_probe_data,
    )
    request.check()
    check_target(out, force=force)
    source = TableSource(scores, items, tuple(weights), tuple(probe or ()), n_probes)
    _finish(table_evidence(source, licence), request, out, force)


def _finish(evidence: Evidence, request: CompressRequest, out: Path, force: bool) -> None:
    suite = choose_and_write(evidence, request, out=out, force=force, command=sys.argv)
    print_compressed(evidence, suite, out)
