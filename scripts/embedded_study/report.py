"""What the table of results tells, as Markdown: levels, correlations, run noise, and how wrong suites are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from documents import markdown

from embedded_study import statistics
from embedded_study.replays import ErrorRow, errors

_RHO = (
    "rho is the mean covariance of two probes over their mean variance, R_c^2 = p rho / (1 + (p - 1) rho) the share of "
    "the routes' common difficulty that p probes know."
)


def tell(rows: pd.DataFrame, replays: int) -> str:
    """All tables.

    Args:
        rows: The table of results.
        replays: Suites drawn for each size.
    """
    probes = rows[rows["role"] == "probe"]
    parts = [_size(rows), _levels(rows), _by_type(probes), _correlations(probes), _noise(rows)]
    return "\n\n".join([*parts, _errors(errors(rows, replays), rows, replays)])


def _size(rows: pd.DataFrame) -> str:
    counts = (rows[name].nunique() for name in ("policy", "route", "type", "seed"))
    policies, routes, types, seeds = counts
    return f"{policies} policies, {routes} routes of {types} scenario types, {seeds} traffic seeds, {len(rows)} drives."


def _levels(rows: pd.DataFrame) -> str:
    shown = ["driving_score", "success", "efficiency", "comfort", "route_completion"]
    means = rows.groupby(["role", "policy"])[shown].mean().reset_index()
    means = means.sort_values(["role", "driving_score"], ascending=[True, False])
    body = ([*row[:2], *(f"{value:.1f}" for value in row[2:])] for row in means.to_numpy())
    return "### Levels\n\n" + markdown(["role", "policy", *shown], body)


def _by_type(probes: pd.DataFrame) -> str:
    means = probes.pivot_table(index="type", columns="policy", values="driving_score")
    order = means.mean().sort_values(ascending=False).index
    body = (
        [name, *(f"{value:.0f}" for value in row)]
        for name, row in zip(means.index, means[order].to_numpy(), strict=True)
    )
    return "### Mean driving score by scenario type and probe\n\n" + markdown(["type", *order], body)


def _correlations(probes: pd.DataFrame) -> str:
    scores = statistics.by_policy(probes, "driving_score")
    found = scores.corr()
    body = ([name, *(f"{value:.2f}" for value in row)] for name, row in zip(found.index, found.to_numpy(), strict=True))
    lines = [
        "### Correlation of the probes' driving scores over routes",
        markdown(["", *found.columns], body),
        _RHO,
        markdown(["metric", "rho", "R_c^2 of 3 probes", "of 5", f"of all {len(found)}"], _rhos(probes, len(found))),
    ]
    return "\n\n".join(lines)


def _rhos(probes: pd.DataFrame, count: int) -> Iterable[list[str]]:
    for metric in ("driving_score", "success", "efficiency"):
        rho = statistics.rho(statistics.by_policy(probes, metric))
        shares = (statistics.common_share(rho, number) for number in (3, 5, count))
        yield [metric, f"{rho:.3f}", *(f"{share:.2f}" for share in shares)]


def _noise(rows: pd.DataFrame) -> str:
    head = ["metric", "SD over seeds on one route", "share of a policy's variance over routes and seeds",
            "SD of a policy's mean over all routes"]  # fmt: skip
    body = []
    for metric in ("driving_score", "success", "efficiency"):
        noise = statistics.run_noise(rows, metric)
        body.append([metric, f"{noise.sd:.1f}", f"{noise.share:.0%}", f"{noise.of_mean:.2f}"])
    return "### Run noise\n\n" + markdown(head, body)


def _errors(found: Sequence[ErrorRow], rows: pd.DataFrame, replays: int) -> str:
    targets = rows[rows["role"] == "target"]["policy"].nunique()
    said = (
        f"Probes choose by their means over seeds; each seed of the {targets} targets is estimated from its own "
        f"results on the suite and compared with its own mean over all routes; {replays} suites a size. MAE in points "
        "(efficiency: in percent), relative error = mean over the metrics of MAE over random's."
    )
    head = [
        "keep",
        "k",
        "method",
        "driving_score",
        "success",
        "efficiency",
        "relative error (SE)",
        "score interval held",
    ]
    return f"### Errors of suites\n\n{said}\n\n" + markdown(head, (row.cells() for row in found))
