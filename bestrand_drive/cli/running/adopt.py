"""``bestrand adopt``: earlier result files become the attempts of a run folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.cli.tables import console, listed, say, sentences
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.estimating.targets import policy_name
from bestrand_drive.workflows.running.adopt import Adoption, Declared, adopt_results


def adopt(
    results: Annotated[Path, typer.Argument(help="Result file or folder of one policy.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Run folder; made when it is not there.", show_default=False)],
    benchmark: Annotated[
        Literal["bench2drive", "fail2drive", "builtin"],
        typer.Option(
            help="Whose evaluator wrote them: bench2drive, fail2drive or builtin.",
            show_default=False,
            show_choices=False,
        ),
    ],
    carla_version: Annotated[str, typer.Option(help="Of the server, such as 0.9.15.", show_default=False)],
    evaluator_commit: Annotated[
        str, typer.Option(help="Of the evaluator's checkout (git rev-parse HEAD).", show_default=False)
    ],
    policy_name_: Annotated[
        str | None,
        typer.Option("--policy-name", help="Name of the policy. Default: the results' name.", show_default=False),
    ] = None,
    policy_id: Annotated[
        str | None,
        typer.Option(help="Its identity, to go on with `run --policy-id`. Default: its name.", show_default=False),
    ] = None,
    routes: Annotated[
        Path | None,
        typer.Option(
            help="Suite folder or route files that they were run on, for towns and content.", show_default=False
        ),
    ] = None,
    simulator: Annotated[Literal["carla", "headless"], typer.Option(help="What simulated.")] = "carla",
    pool_builds: Annotated[
        bool, typer.Option("--pool-builds", help="Let attempts of several builds count in one folder.")
    ] = False,
    allow_evaluator_mismatch: Annotated[
        bool, typer.Option("--allow-evaluator-mismatch", help="Accept files of another benchmark's evaluator.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Take earlier results into a run folder: every record becomes an attempt, with the versions that you declare.

    The folder is read by `estimate --results` and `compress --probe`. Adopting the same files again changes nothing.

    Example: bestrand adopt old/ --out runs/A --benchmark bench2drive --carla-version 0.9.15 --evaluator-commit 1a2b
    """
    name = policy_name_ or policy_name(results)
    declared = Declared(
        benchmark=benchmark,
        carla_version=carla_version,
        evaluator_commit=evaluator_commit,
        policy_name=name,
        simulator=simulator,
        policy_id=policy_id,
        routes=routes,
    )
    found = adopt_results(results, out, declared, allow_mismatch=allow_evaluator_mismatch, pool_builds=pool_builds)
    if as_json:
        said = asdict(found) | {"stored": {kind.value: count for kind, count in found.stored.items()}}
        print(dump_json(said).decode(), end="")
        return
    say(console(), _headline(found, out))
    sentences(console(), list(_notes(found)))


def _headline(found: Adoption, out: Path) -> str:
    total = sum(found.stored.values())
    if not total:
        return f"{found.policy}: all {found.known} attempts are in {out} already; nothing was added"
    kinds = ", ".join(f"{found.stored[kind]} {kind.value.replace('_', ' ')}" for kind in found.stored)
    head = f"{found.policy}: {total} attempts on {found.routes} routes adopted into {out}"
    return f"{head} ({kinds}); {found.counting} count"


def _notes(found: Adoption) -> Iterator[str]:
    total = sum(found.stored.values())
    if len(found.repeats) > 1:
        yield f"repeats {', '.join(found.repeats)} became 0 to {len(found.repeats) - 1}"
    if found.known and total:
        yield f"{found.known} records were in the folder already"
    if found.copies:
        yield f"{found.copies} records repeat another one of the same route, word for word, and are the same attempt"
    late = total - found.counting - found.stored[Outcome.INFRASTRUCTURE]
    if late > 0:
        yield f"{late} attempts do not count: an earlier one of that route and repeat does (adopt all repeats at once)"
    if found.outside:
        outside = listed(found.outside)
        yield f"{len(found.outside)} routes are not in --routes, their content stays undeclared: {outside}"
    if found.outside is None:
        yield "without --routes, a later edit of a route cannot be noticed"
    for damage in found.damaged:
        yield f"moved into the quarantine: {damage}"
