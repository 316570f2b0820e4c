"""A theory check in words: what the scores are like, then the theory's figures beside the measured ones."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from bestrand_drive.cli.tables import console, say, sentences, table
from bestrand_drive.workflows.studying.theory_check import TheoryResult

Row = Mapping[str, str | int | float | None]
SCORES = ("benchmark", "metric", "items", "models", "sigma", "rho", "correlations", "positive", "variances")
FIGURES = (
    *("metric", "keep", "k", "selector", "MAE", "said", "s", "said", "mode", "SE", "exact", "kernel", "formula"),
    *("under y0", "P95", "exact", "ratio", "SE", "covariances", "tail"),
)
LEGEND = (
    "MAE, s (standard deviation of the error averaged over targets): measured, then what theory says.",
    "mode: of a kernel estimate of the draws' MAE; exact: of the exact law; kernel: of the exact law seen through that",
    "kernel; formula: the published y0 (1 + C0 / sqrt(M)), for very many models; under y0: share of draws below it.",
    "P95: measured; exact: of the law of models that are alike; ratio: measured over exact; covariances: measured over",
    "that of normal errors with the scores' own covariances; tail: 2 Phi(-P95 / s), the published bound, of the .05.",
)


def print_theory(result: TheoryResult) -> None:
    """Assumptions and what fails of them, the table, how to read it, and where the files are."""
    out = console()
    wide = out if out.is_terminal else Console(highlight=False, width=240)
    table(wide, SCORES, [_scores(one.row) for one in result.assumptions])
    for one in result.assumptions:
        sentences(out, [f"{one.metric}: {line}" for line in one.failures], mark="fails")
        if not one.failures:
            say(out, f"holds: {one.metric}: variances and correlations are alike, and all pairs covary positively")
    table(wide, FIGURES, [_figures(row) for row in result.rows])
    for line in LEGEND:
        say(out, line)
    sentences(out, result.notes)
    for path in result.files:
        say(out, f"written: {path}")


def _scores(row: Row) -> list[str]:
    cells = [str(row[key]) for key in ("benchmark", "metric", "items", "models")]
    cells += [f"{_value(row, 'sigma'):.4g}", f"{_value(row, 'rho'):.3f}"]
    cells += [f"{_value(row, 'correlation'):.2f} +- {_value(row, 'correlation_sd'):.2f}"]
    return [*cells, f"{_value(row, 'positive'):.3f}", f"1 +- {_value(row, 'variance_cv'):.2f}"]


def _figures(row: Row) -> list[str]:
    cells = [str(row["metric"]), f"{_value(row, 'keep'):g}", str(row["k"]), str(row["selector"])]
    size = _value(row, "mean_theory")
    digits = 4 if size < 0.1 else 3 if size < 1 else 2
    for key in ("mae", "mean_theory", "mean_error_sd", "s", "mode", "mode_se", "mode_exact", "mode_kernel"):
        cells.append(_number(row, key, digits))
    cells += [_number(row, "mode_formula", digits), _number(row, "below_y0", 2), _number(row, "p95", digits)]
    cells += [_number(row, "p95_exact", digits), _number(row, "p95_ratio", 3), _number(row, "p95_ratio_se", 3)]
    return [*cells, _number(row, "p95_covariance_ratio", 3), _number(row, "tail_bound", 3)]


def _value(row: Row, key: str) -> float:
    return float(row[key] or 0)


def _number(row: Row, key: str, digits: int) -> str:
    return "-" if row[key] is None else f"{_value(row, key):.{digits}f}"
