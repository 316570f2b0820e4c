"""Tables of docs/study.md from the rows of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from documents import markdown

from bestrand_drive.study.study import Row

Groups = Mapping[str, Sequence[Row]]
BAND = (0.93, 0.98)
"""Where coverage of 95 % intervals is expected, for k >= 20 and 10 or more targets."""


def sections(rows: Groups) -> dict[str, str]:
    """Text of each section that was measured, by the name of its marker."""
    found: dict[str, str] = {}
    if rows.get("matrices"):
        found |= matrix_sections(rows["matrices"], rows.get("driving", ()))
    tables = {"driving": _by_benchmark, "strata": _by_benchmark, "splits": _splits, "sweeps": _sweeps}
    for name, table in (tables | {"estimators": _estimators}).items():
        if rows.get(name):
            found[name] = table(rows[name])
    for name in ("fitted", "trained"):
        if rows.get(name):
            found[name] = f"{_overview(rows[name])}\n\n{_each_method(rows[name])}"
        if rows.get(f"{name}-splits"):
            found[f"{name}-splits"] = _far_from_home(rows.get(name, ()), rows[f"{name}-splits"])
    coverage = [row for name in ("matrices", "driving", "strata") for row in rows.get(name, ())]
    if coverage:
        found["coverage"] = _coverage(coverage)
    return found


def matrix_sections(rows: Sequence[Row], driving: Sequence[Row] = ()) -> dict[str, str]:
    """What the matrices say: over all of them, one by one, and beside what was expected, there and in driving."""
    expected = _expected(rows) + (f"\n\nDriving benchmarks. {_default_beside(driving, 'their')}" if driving else "")
    return {"overview": _overview(rows), "matrices": _each(rows), "expected": expected}


def _number(row: Row, key: str) -> float:
    value = row[key]
    return float("nan") if value is None else float(value)


def _keeps(rows: Sequence[Row]) -> list[float]:
    return sorted({_number(row, "keep") for row in rows})


def _methods(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["selector"]) for row in rows))


def _index(rows: Sequence[Row]) -> dict[tuple[str, str, float, str], Row]:
    """Rows by benchmark, metric, keep and selector."""
    return {(str(r["benchmark"]), str(r["metric"]), _number(r, "keep"), str(r["selector"])): r for r in rows}


def _cells(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((str(row["benchmark"]), str(row["metric"])) for row in rows))


def _percent(keep: float) -> str:
    return f"{100 * keep:g} %"


def _said(rows: Sequence[Row]) -> str:
    seeds = sorted({int(_number(row, "seeds")) for row in rows})
    return f"{', '.join(map(str, seeds))} seeds a cell; {len(_cells(rows))} benchmark x metric."


def _ratios(rows: Sequence[Row], selector: str, keep: float, base: str = "random") -> np.ndarray:
    """MAE over that of another selector, one a benchmark and metric."""
    index = _index(rows)
    pairs = [(index.get((*cell, keep, selector)), index.get((*cell, keep, base))) for cell in _cells(rows)]
    return np.array([_number(own, "mae") / _number(other, "mae") for own, other in pairs if own and other])


def _mean_and_median(rows: Sequence[Row], base: str, names: Mapping[str, str]) -> list[str]:
    """MAE over that of ``base``: means over benchmarks with their standard errors, and medians; names in the first."""
    keeps = _keeps(rows)
    lines, medians = [], []
    for method, name in names.items():
        ratios = [_ratios(rows, method, keep, base) for keep in keeps]
        errors = [r.std(ddof=1) / np.sqrt(len(r)) if len(r) > 1 else float("nan") for r in ratios]
        cells = [f"{r.mean():.3f} ({se:.3f})" for r, se in zip(ratios, errors, strict=True)]
        lines.append([name, *cells])
        medians.append([method, *(f"{np.median(r):.3f}" for r in ratios)])
    heads = ["method", *map(_percent, keeps)]
    whose = "random's" if base == "random" else f"that of {base}"
    return [
        *(f"MAE over {whose}, mean over benchmarks (standard error over benchmarks):", markdown(heads, lines)),
        *(f"MAE over {whose}, median over benchmarks:", markdown(heads, medians)),
    ]


def _overview(rows: Sequence[Row]) -> str:
    """Means over benchmarks of each measure; the ratio to random with its standard error, and its median, over them."""
    own = {method: next(row for row in rows if row["selector"] == method) for method in _methods(rows)}
    names = {method: f"{method} ({row['estimator']})" for method, row in own.items()}
    tables = [_said(rows), *_mean_and_median(rows, "random", names)]
    for key, title in (
        ("risk_p70", "Chance that a draw's MAE exceeds random's 70th percentile:"),
        ("risk_mean", "Chance that a draw's MAE exceeds random's mean:"),
        ("spearman", "Spearman between estimates and truths:"),
        ("kendall", "Kendall's tau-b:"),
        ("pairwise", "Share of pairs of targets ordered rightly:"),
        ("top3", "True three best among the estimated three best:"),
        ("coverage95", "Coverage of the 95 % run interval:"),
        ("cost", "Cost, item runs of source models over N:"),
    ):
        tables += [title, _means(rows, key)]
    return "\n\n".join(tables)


def _each_method(rows: Sequence[Row]) -> str:
    """Each benchmark and metric: every method's MAE over random's at three sizes."""
    keeps = [keep for keep in (0.05, 0.2, 0.5) if keep in _keeps(rows)]
    index, methods, lines = _index(rows), [name for name in _methods(rows) if name != "random"], []
    for cell in _cells(rows):
        line = [cell[0], cell[1]]
        for method in methods:
            pairs = [(index[(*cell, keep, method)], index[(*cell, keep, "random")]) for keep in keeps]
            line.append(" / ".join(f"{_number(own, 'mae') / _number(base, 'mae'):.2f}" for own, base in pairs))
        lines.append(line)
    title = f"Each benchmark: MAE over random's at {', '.join(map(_percent, keeps))}:"
    return f"{title}\n\n{markdown(['benchmark', 'metric', *methods], lines)}"


def _estimators(rows: Sequence[Row]) -> str:
    """Estimators on the same random subsets: MAE over the plain mean's, and how often their intervals held."""
    own = [{**row, "selector": row["estimator"]} for row in rows]
    tables = [_said(own), *_mean_and_median(own, "mean", {name: name for name in _methods(own)})]
    return "\n\n".join([*tables, "Coverage of the 95 % run interval:", _means(own, "coverage95")])


def _far_from_home(home: Sequence[Row], away: Sequence[Row]) -> str:
    """MAE over random's with targets like the probes, stronger than they, and of other families; same matrices."""
    kinds = {
        kind: [row for row in away if str(row["benchmark"]).endswith(f", {kind} split")] for kind in ("score", "family")
    }
    lines = []
    for method in _methods(away):
        for keep in _keeps(away):
            line = [method, _percent(keep)]
            for rows in kinds.values():
                tables = {str(row["benchmark"]).split(",", maxsplit=1)[0] for row in rows}
                like = [row for row in home if row["benchmark"] in tables]
                line += [_mean_ratio(like, method, keep), _mean_ratio(rows, method, keep)]
            lines.append(line)
    heads = ["method", "kept", "targets like probes", "stronger targets", "targets like probes", "other families"]
    return f"{_said(away)}\n\n{markdown(heads, lines)}"


def _mean_ratio(rows: Sequence[Row], method: str, keep: float) -> str:
    """Mean over benchmarks of MAE over random's, with its standard error over benchmarks."""
    ratios = _ratios(rows, method, keep)
    if len(ratios) < 2:
        return "-"
    return f"{ratios.mean():.3f} ({ratios.std(ddof=1) / np.sqrt(len(ratios)):.3f})"


def _means(rows: Sequence[Row], key: str) -> str:
    lines = []
    for method in _methods(rows):
        cells = []
        for keep in _keeps(rows):
            own = [_number(r, key) for r in rows if r["selector"] == method and _number(r, "keep") == keep]
            known = [value for value in own if not np.isnan(value)]
            cells.append(f"{np.mean(known):.3f}" if known else "-")
        lines.append([method, *cells])
    return markdown(["method", *map(_percent, _keeps(rows))], lines)


def _scaled(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}"


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}"


def _each(rows: Sequence[Row]) -> str:
    """Each matrix: random's MAE, then every other method's over it."""
    index, keeps = _index(rows), _keeps(rows)
    others = [method for method in _methods(rows) if method != "random"]
    lines = []
    for cell in _cells(rows):
        first = next(row for row in rows if (row["benchmark"], row["metric"]) == cell)
        cells = []
        for keep in keeps:
            base = _number(index[(*cell, keep, "random")], "mae")
            ratios = [f"{_number(index[(*cell, keep, other)], 'mae') / base:.3f}" for other in others]
            cells.append(f"{_scaled(base)}: {' / '.join(ratios)}")
        lines.append([cell[0], str(first["targets"]), *cells])
    head = f"Random's MAE: {' / '.join(others)} over it. Seeds as above."
    return head + "\n\n" + markdown(["matrix", "targets", *map(_percent, keeps)], lines)


def _expected(rows: Sequence[Row]) -> str:
    """BestRand against random and the default against BestRand, by size."""
    lines = []
    for keep in _keeps(rows):
        ratio = _ratios(rows, "bestrand", keep)
        own = _ratios(rows, "balanced", keep, "bestrand")
        lines.append([_percent(keep), f"{ratio.mean():.3f}", f"{np.median(ratio):.3f}", f"{own.mean():.3f}"])
    table = markdown(["kept", "BestRand / random, mean", "median", "default / BestRand, mean"], lines)
    return f"{table}\n\n{_default_beside(rows, 'all')}"


def _default_beside(rows: Sequence[Row], whose: str) -> str:
    """The default against BestRand, and where it is worse by more than two standard errors."""
    index, worse = _index(rows), []
    for keep in _keeps(rows):
        for cell in _cells(rows):
            default, best = index[(*cell, keep, "balanced")], index[(*cell, keep, "bestrand")]
            gap = _number(default, "mae") - _number(best, "mae")
            error = float(np.hypot(_number(default, "mae_se"), _number(best, "mae_se")))
            if gap > 2 * error:
                share = _number(default, "mae") / _number(best, "mae")
                name = cell[0] if cell[1] == "score" else " ".join(cell)
                worse.append(f"{name} at {_percent(keep)}: {share:.3f} ({gap / error:.1f} standard errors)")
    every = np.concatenate([_ratios(rows, "balanced", keep, "bestrand") for keep in _keeps(rows)])
    listed = "\n".join(f"- {line}" for line in worse) or "- none"
    total = len(every)
    return (
        f"Default over BestRand, mean over {whose} {total} cells: {every.mean():.3f}. Cells where the default "
        f"is worse by more than two standard errors of the difference: {len(worse)} of {total}.\n\n{listed}"
    )


def _by_benchmark(rows: Sequence[Row]) -> str:
    """One table a benchmark, all measures."""
    heads = [*("kept", "k", "method", "metric", "MAE (SE)", "over random", "RMSE", "bias", "P95", "risk P70")]
    heads += ("risk mean", "Spearman", "pairs", "top 3", "held", "worst", "width", "cost")
    index, out = _index(rows), [_said(rows)]
    for benchmark in dict.fromkeys(str(row["benchmark"]) for row in rows):
        lines = []
        for row in (one for one in rows if one["benchmark"] == benchmark):
            base = index[benchmark, str(row["metric"]), _number(row, "keep"), "random"]
            line = [_percent(_number(row, "keep")), str(row["k"]), f"{row['selector']} ({row['estimator']})"]
            line += [str(row["metric"]), f"{_scaled(_number(row, 'mae'))} ({_scaled(_number(row, 'mae_se'))})"]
            line += [f"{_number(row, 'mae') / _number(base, 'mae'):.3f}"]
            line += [_scaled(_number(row, key)) for key in ("rmse", "bias", "p95")]
            measures = ("risk_p70", "risk_mean", "spearman", "pairwise", "top3", "coverage95", "coverage95_worst")
            line += [_share(_number(row, key)) for key in measures]
            line += [_scaled(_number(row, "width")), f"{_number(row, 'cost'):.2f}"]
            lines.append(line)
        out += [f"### {benchmark}", markdown(heads, lines)]
    return "\n\n".join(out)


def _splits(rows: Sequence[Row]) -> str:
    """Targets from elsewhere: ratio to random, bias and coverage of each matrix and split."""
    heads = ["matrix and split", "targets", "kept", "random's MAE", "bestrand / random", "balanced / random"]
    heads += ["bias: bestrand", "balanced", "held: balanced", "Spearman: random", "bestrand", "balanced"]
    index, lines = _index(rows), []
    for cell in _cells(rows):
        for keep in _keeps(rows):
            random, best, own = (index[(*cell, keep, name)] for name in ("random", "bestrand", "balanced"))
            base = _number(random, "mae")
            line = [cell[0], str(random["targets"]), _percent(keep), _scaled(base)]
            line += [f"{_number(one, 'mae') / base:.3f}" for one in (best, own)]
            line += [f"{_number(one, 'bias'):+.4f}" for one in (best, own)]
            line += [_share(_number(own, "coverage95"))]
            line += [_share(_number(one, "spearman")) for one in (random, best, own)]
            lines.append(line)
    return _said(rows) + "\n\n" + markdown(heads, lines)


def _sweeps(rows: Sequence[Row]) -> str:
    """BestRand with one setting varied: MAE over random's of the same probes, mean over matrices."""
    keeps = _keeps(rows)
    index = _index(rows)
    lines = []
    for method in [name for name in _methods(rows) if name.startswith("bestrand ")]:
        setting = method.removeprefix("bestrand ")
        base = f"random {setting}" if setting.startswith(("p=", "probe-choice=")) else "random"
        cells = []
        for keep in keeps:
            pairs = [(index.get((*c, keep, method)), index.get((*c, keep, base))) for c in _cells(rows)]
            ratio = [_number(own, "mae") / _number(other, "mae") for own, other in pairs if own and other]
            cost = [_number(own, "cost") for own, other in pairs if own and other]
            cells += [f"{np.mean(ratio):.3f}", f"{np.mean(cost):.2f}"]
        lines.append([setting, *cells])
    heads = ["setting", *(word for keep in keeps for word in (f"over random, {_percent(keep)}", "cost"))]
    matrices = ", ".join(dict.fromkeys(str(row["benchmark"]) for row in rows))
    return f"{_said(rows)} Mean over {matrices}.\n\n" + markdown(heads, lines)


def _coverage(rows: Sequence[Row]) -> str:
    """Cells of the default's interval with k >= 20 and ten targets: the mean, and those outside the band."""
    own = [row for row in rows if row["selector"] == "balanced" and row["coverage95"] is not None]
    inside = [row for row in own if _number(row, "k") >= 20 and _number(row, "targets") >= 10]
    rest = [row for row in own if row not in inside]
    values = np.array([_number(row, "coverage95") for row in inside])
    low, high = BAND
    out = [row for row in inside if not low <= _number(row, "coverage95") <= high]
    small = np.array([_number(row, "coverage95") for row in rest])
    span = f"mean {values.mean():.3f}, least {values.min():.3f}, greatest {values.max():.3f}" if inside else "none"
    words = [
        _said(own),
        f"Default, k >= 20 and 10 or more targets: {len(inside)} cells, {span}; {len(out)} outside {low} to {high}:",
    ]
    words.append("\n".join(_covered(row) for row in out) or "- none")
    if len(small):
        words.append(f"The other {len(rest)} cells (mean {small.mean():.3f}) that lie outside it:")
        words.append("\n".join(_covered(r) for r in rest if not low <= _number(r, "coverage95") <= high) or "- none")
    ends = {
        key: [_number(row, key) for row in inside if row[key] is not None]
        for key in ("coverage95_high", "coverage95_low")
    }
    told = [f"{np.mean(found):.3f} ({len(found)} cells)" if found else "-" for found in ends.values()]
    words.append(f"In the {len(inside)} cells, targets above 90 % of the range: {told[0]}; below 10 %: {told[1]}.")
    return "\n\n".join(words)


def _covered(row: Row) -> str:
    where = f"{row['benchmark']} {row['metric']}, k = {row['k']}, {row['targets']} targets"
    worst = _number(row, "coverage95_worst")
    return f"- {where}: {_number(row, 'coverage95'):.3f} (worst target {worst:.3f})"
