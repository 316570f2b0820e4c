"""``bestrand compress``: choose a suite."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import typer

from bestrand_drive.cli.choosing.compress_options import OF_A_CHOICE, Asked, Licence
from bestrand_drive.cli.choosing.suite_text import print_compressed
from bestrand_drive.cli.declared import declared
from bestrand_drive.cli.evidence import options as read
from bestrand_drive.cli.options import number_ranges, pairs, path_pairs
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.evidence.driving import driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, probed_families, table_evidence
from bestrand_drive.workflows.verbs import check_request, choose_and_write, result_sources, with_exclusions

app = typer.Typer(
    help="Choose the items that stand for a whole benchmark: the benchmark's name comes first.\n\n"
    "Example: bestrand compress bench2drive --routes bench2drive220.xml --keep 0.35 --out suite/ "
    "--probe A=results/A --probe B=results/B\n\n"
    "Example: bestrand compress scores --scores scores.csv --n-probes 5 --keep 0.1 --out suite/",
    no_args_is_help=True,
)


def _driving_command(benchmark: str) -> Callable[..., None]:
    """The subcommand of one driving benchmark; all take the same options."""

    def command(
        *,
        routes: read.Routes = None,
        part: read.Part = "",
        probe: read.Probe = None,
        licence: Licence = None,
        metric_info: read.MetricInfo = None,
        allow_evaluator_mismatch: read.Mismatch = False,
        asked: Annotated[Asked, OF_A_CHOICE],
    ) -> None:
        if benchmark == "fail2drive" and metric_info:
            raise UsageError("--metric-info is for Bench2Drive: Fail2Drive has no comfort.")
        asked.check_guard(benchmark)
        check_request(asked.request, asked.out, force=asked.force)
        known = load_benchmark(benchmark, routes, part)
        probes, infos = path_pairs("--probe", probe or []), path_pairs("--metric-info", metric_info or [])
        sources = result_sources(probes, pairs("--licence", licence or []), infos)
        evidence = driving_evidence(known, sources, allow_mismatch=allow_evaluator_mismatch)
        _finish(evidence, asked.request, asked)

    return declared(command)


app.command(
    "bench2drive",
    help="Choose routes of Bench2Drive; --routes is its route file.\n\n"
    "Example: bestrand compress bench2drive --routes bench2drive220.xml --keep 0.35 --out suite/ "
    "--probe A=results/A --probe B=results/B\n\n"
    "Example: bestrand compress bench2drive --routes bench2drive220.xml --keep 0.35 --out suite/",
)(_driving_command("bench2drive"))
app.command(
    "fail2drive",
    help="Choose pairs of routes of Fail2Drive; --routes is its folder of route files.\n\n"
    "Example: bestrand compress fail2drive --routes fail2drive_split/ --probe F=results/F --keep 0.5 --out suite/",
)(_driving_command("fail2drive"))
app.command(
    "builtin",
    help="Choose routes of those that come with this package; --routes for others in its towns.\n\n"
    "Example: bestrand compress builtin --keep 0.35 --out suite/",
)(_driving_command("builtin"))


def _scores(
    *,
    scores: read.Scores,
    items: read.Items = None,
    probe: Annotated[
        list[str] | None,
        typer.Option("--probe", help="A model that guides the choice; default: every model.", show_default=False),
    ] = None,
    n_probes: Annotated[
        int | None, typer.Option(help="Instead of --probe: this many models, by --probe-choice.", show_default=False)
    ] = None,
    probe_choice: Annotated[
        str,
        typer.Option(
            help="How --n-probes are picked. even: the middles of equal parts of the ranking by ability; auto: the "
            "same, but at most one of a --family while others are left, ties by name; random; low, high: out of the "
            "weakest or strongest third; first: of the table. Copies are never picked."
        ),
    ] = "even",
    bounds: read.Bounds = None,
    lower_is_better: read.LowerIsBetter = None,
    licence: Annotated[str, typer.Option(help="Licence of the score table.")] = "not stated",
    asked: Annotated[Asked, replace(OF_A_CHOICE, without=("no_ability_guard",))],
) -> None:
    """Choose items of any benchmark from a table of scores (item x model).

    Example: bestrand compress scores --scores scores.csv --n-probes 5 --keep 0.1 --out suite/
    """
    request = asked.request
    check_request(request, asked.out, force=asked.force)
    source = TableSource(
        scores=scores,
        items=items,
        metrics=tuple(request.metric_weights),
        probes=tuple(probe or ()),
        n_probes=n_probes,
        bounds=number_ranges("--bounds", bounds or []),
        lower_is_better=tuple(lower_is_better or ()),
        probe_choice=probe_choice,
        families=request.families,
        seed=request.seed,
    )
    evidence = table_evidence(source, licence)
    _finish(evidence, replace(request, families=probed_families(source, evidence)), asked)


app.command("scores")(declared(_scores))


def _finish(evidence: Evidence, request: CompressRequest, asked: Asked) -> None:
    request = with_exclusions(request, evidence, asked.exclude, asked.disjoint_from)
    suite = choose_and_write(evidence, request, out=asked.out, force=asked.force, command=sys.argv)
    print_compressed(evidence, suite, asked.out)
