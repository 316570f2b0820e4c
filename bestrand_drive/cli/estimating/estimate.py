"""``bestrand estimate``: a policy's full scores from its results on a suite."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.cli.estimating.estimate_text import estimate_json, print_estimate
from bestrand_drive.cli.estimating.stopping_text import print_until
from bestrand_drive.cli.options import numbers
from bestrand_drive.compression.stopping.rule import Verdict
from bestrand_drive.errors import ExitCode
from bestrand_drive.files import dump_json
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows import verbs


def estimate(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    results: Annotated[
        Path, typer.Option(help="The policy's result file or folder; for a table suite, a table.", show_default=False)
    ],
    policy: Annotated[
        str | None,
        typer.Option(help="Name of the policy; in a table, its column. Default: the file's name.", show_default=False),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    missing: Annotated[
        Literal["zero", "exclude"] | None,
        typer.Option(help="Missing items: zero scores them at their worst, exclude leaves them out."),
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="The policy's family, to be warned of relatives.", show_default=False)
    ] = None,
    metric_info: Annotated[
        Path | None, typer.Option(help="Folder of metric_info.json files, for comfort.", show_default=False)
    ] = None,
    allow_evaluator_mismatch: Annotated[
        bool, typer.Option("--allow-evaluator-mismatch", help="Accept files of another benchmark's evaluator.")
    ] = False,
    until: Annotated[
        list[str] | None,
        typer.Option(
            "--until",
            help="METRIC=HALFWIDTH, such as driving_score=3: say after how many blocks of the suite's order the "
            "interval was that narrow; repeat.",
            show_default=False,
        ),
    ] = None,
    until_interval: Annotated[Literal["policy", "run"], typer.Option(help="Whose half width --until is.")] = "policy",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Estimate a policy's full scores from its results on a suite.

    Leaves with 6 when items of the suite have no result and --missing does not say what to do with them, unless
    --until is reached without them.

    Example: bestrand estimate suite/ --results runs/MyPolicy

    Example: bestrand estimate suite/ --results runs/MyPolicy --missing exclude --json
    """
    known = read_suite(suite)
    found = verbs.estimate(
        known,
        results,
        policy=policy,
        level=level,
        missing=missing or "exclude",
        family=family,
        metric_info=metric_info,
        allow_evaluator_mismatch=allow_evaluator_mismatch,
        until=numbers("--until", until) if until else None,
        until_interval=until_interval,
    )
    if as_json:
        print(dump_json(estimate_json(found)).decode(), end="")
    else:
        print_estimate(known, found)
        print_until(found)
    enough = found.known or (found.until is not None and found.until.verdict is Verdict.STOP)
    incomplete = bool(found.missing) and missing is None and not enough
    if incomplete:
        print(
            f"bestrand: {len(found.missing)} of the suite's {found.suite_items} items have no result (exit code 6). "
            "Run them, or say what to do: --missing zero scores them at their worst, exclude leaves them out.",
            file=sys.stderr,
        )
    return ExitCode.INCOMPLETE if incomplete else ExitCode.OK
