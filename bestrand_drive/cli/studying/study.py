"""``bestrand study``: how wrong each way to choose and estimate is, on scores that are known in full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.evidence import options as read
from bestrand_drive.cli.options import comma_list, name_lists, number_ranges, path_pairs
from bestrand_drive.cli.studying.study_text import print_study, progress
from bestrand_drive.cli.studying.theory_text import print_theory
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.studying.study import KEEPS, StudyRequest, StudyResult, study_driving, study_table
from bestrand_drive.workflows.studying.tables import TableStudy
from bestrand_drive.workflows.studying.theory_check import TheoryResult, check_driving, check_table

app = typer.Typer(
    help="Measure how wrong estimates from suites are, on scores that are known in full.\n\n"
    "Of a score table, probes are drawn a seed and all other models are targets (or those that --split names).\n\n"
    "Example: bestrand study --scores scores.csv --seeds 100 --keep 0.1 --workers 2 --out study/",
    invoke_without_command=True,
    no_args_is_help=True,
)

Selectors = Annotated[
    str, typer.Option(help="Such as random,bestrand; default: random, bestrand, balanced [, stratified].")
]
Estimators = Annotated[str, typer.Option(help="Such as mean,blup; default: each selector's own.")]
Keep = Annotated[str, typer.Option(help="Shares of items, such as 0.02,0.1.")]
Seeds = Annotated[int, typer.Option(help="Subsets a cell; the first ones do not change when more are asked for.")]
Workers = Annotated[int, typer.Option(help="Processes.")]
Out = Annotated[
    Path,
    typer.Option(
        help="Folder of parts, rows and plots; the same command goes on where it was stopped, another replaces rows."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the rows' main figures as JSON; all are in OUT/rows.json.")]
Family = Annotated[
    list[str] | None, typer.Option("--family", help="Policies of one lineage, NAME=A,B; repeat.", show_default=False)
]
Theory = Annotated[
    bool,
    typer.Option(
        "--theory-check", help="Theory beside random and bestrand: assumptions, mode and P95 (docs/theory.md)."
    ),
]
DEFAULT_OUT = Path("bestrand-study")
DEFAULT_KEEP = ",".join(f"{keep:g}" for keep in KEEPS)


@app.callback()
def scores(
    context: typer.Context,
    scores: Annotated[
        Path | None, typer.Option(help="Score table, wide or long (CSV, JSONL, Parquet).", show_default=False)
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Metric of a long table to study; repeat; default: all.", show_default=False),
    ] = None,
    bounds: read.Bounds = None,
    lower_is_better: read.LowerIsBetter = None,
    items: Annotated[Path | None, typer.Option(help="Item table: item_id, stratum.", show_default=False)] = None,
    models: Annotated[
        Path | None, typer.Option(help="Table of models: model, family, date.", show_default=False)
    ] = None,
    family: Family = None,
    selectors: Selectors = "",
    estimators: Estimators = "",
    keep: Keep = DEFAULT_KEEP,
    seeds: Seeds = 1000,
    n_probes: Annotated[int, typer.Option(help="Probes a draw; at most half of the models.")] = 5,
    split: Annotated[
        str, typer.Option(help="Who is probe: random, score (weaker half), family (other families), time (older half).")
    ] = "random",
    probe_choice: Annotated[str, typer.Option(help="Of the random split: random, uniform, low, high.")] = "random",
    sweep: Annotated[str, typer.Option(help="Vary p,m,n,distance,probe-choice,objective, one at a time.")] = "",
    workers: Workers = 1,
    out: Out = DEFAULT_OUT,
    theory_check: Theory = False,
    as_json: Json = False,
) -> None:
    """Study a score table."""
    if context.invoked_subcommand is not None:
        _refuse_options_before(context, context.invoked_subcommand)
        return
    if scores is None:
        raise UsageError("Give --scores TABLE, or one of the commands bench2drive, fail2drive.")
    table = TableStudy(
        scores=scores,
        metrics=tuple(dict.fromkeys(metric or ())),
        bounds=number_ranges("--bounds", bounds or []),
        lower_is_better=tuple(lower_is_better or ()),
        items=items,
        models=models,
        families=name_lists("--family", family or []),
        split=split,
        n_probes=n_probes,
        probe_choice=probe_choice,
    )
    request = _request(out, selectors, estimators, keep, seeds, workers, comma_list(sweep))
    with progress() as told:
        result = check_table(table, request, told) if theory_check else study_table(table, request, told)
    _print(result, as_json)


def _refuse_options_before(context: typer.Context, command: str) -> None:
    """A subcommand has options of its own; those of a score table would be passed over.

    Raises:
        UsageError: Something stands before the subcommand.
    """
    sources = {one.opts[0]: context.get_parameter_source(one.name or "") for one in context.command.params}
    given = [option for option, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if given:
        raise UsageError(f"{', '.join(given)}: write the options of {command} after it: bestrand study {command} ...")


def _driving_command(benchmark: str) -> Callable[..., None]:
    """The subcommand of one driving benchmark; both take the same options."""

    def command(
        routes: Annotated[
            Path, typer.Option(help="Bench2Drive: its route file; Fail2Drive: its folder.", show_default=False)
        ],
        policy: Annotated[
            list[str], typer.Option("--policy", help="Results of a policy, NAME=PATH; repeat.", show_default=False)
        ],
        family: Family = None,
        selectors: Selectors = "",
        estimators: Estimators = "",
        keep: Keep = DEFAULT_KEEP,
        seeds: Seeds = 1000,
        workers: Workers = 1,
        out: Out = DEFAULT_OUT,
        theory_check: Theory = False,
        as_json: Json = False,
    ) -> None:
        request = _request(out, selectors, estimators, keep, seeds, workers, ())
        policies, families = path_pairs("--policy", policy), name_lists("--family", family or [])
        result: StudyResult | TheoryResult
        with progress() as told:
            if theory_check:
                result = check_driving(benchmark, routes, policies, families, request, told)
            else:
                result = study_driving(benchmark, routes, policies, families, request, told)
        _print(result, as_json)

    return command


app.command(
    "bench2drive",
    help="Study Bench2Drive: each family of policies in turn is estimated by all others.\n\n"
    "Example: bestrand study bench2drive --routes bench2drive220.xml --seeds 100 --keep 0.35 "
    "--policy A=results/A --policy B=results/B --policy C=results/C",
)(_driving_command("bench2drive"))
app.command(
    "fail2drive",
    help="Study Fail2Drive likewise; subfolders of a policy's folder are its runs, and single runs are the targets.\n\n"
    "Example: bestrand study fail2drive --routes fail2drive_split/ --seeds 100 --keep 0.35 "
    "--policy F=results/F --policy G=results/G --policy H=results/H",
)(_driving_command("fail2drive"))


def _request(
    out: Path, selectors: str, estimators: str, keep: str, seeds: int, workers: int, sweeps: tuple[str, ...]
) -> StudyRequest:
    try:
        keeps = tuple(float(part) for part in comma_list(keep))
    except ValueError as error:
        raise UsageError(f"--keep {keep}: {error}; give shares such as 0.05,0.2.") from error
    return StudyRequest(
        out=out,
        selectors=comma_list(selectors),
        estimators=comma_list(estimators),
        keeps=keeps,
        seeds=seeds,
        workers=workers,
        sweeps=sweeps,
    )


def _print(result: StudyResult | TheoryResult, as_json: bool) -> None:
    if as_json:
        print(dump_json(result.json_rows).decode(), end="")
    elif isinstance(result, TheoryResult):
        print_theory(result)
    else:
        print_study(result)
