"""Which one correlation stands for models that are not alike, in the 95th percentile of their mean absolute error?

    python scripts/bench_correlation.py --data DATA [--draws 40] [--docs docs/theory.md]

DATA holds matrices/*.csv.gz. The P95 of normal errors with the scores' own covariances (``theory.mae_draws``) over that
of models alike, of the same mean variance, with the mean correlation or with ``theory.mae_correlation``: for all
models; then for 20 random targets with the correlation by 5 random probes, without help of the probes and less what
each target's regression on them takes. Medians over the draws; no suite is drawn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from data_folder import add_data_option
from documents import markdown, put_into

from bestrand_drive.compression.theory import (
    covariance_matrix,
    mae_correlation,
    mae_draws,
    mae_quantile,
    moments_of,
    two_phase,
)
from bestrand_drive.workflows.studying.tables import TableStudy, read_scores

Array = np.ndarray
PROBES, TARGETS, LEVEL = 5, 20, 0.95
HEADS = (
    *("matrix", "models", "positive", "rho", "MAE's", "all: rho", "all: MAE's", "5 probes: rho", "5 probes: MAE's"),
    "guided: rho",
)


def over(covariances: Array, rho: float) -> float:
    """P95 with these covariances over that of models alike."""
    known = moments_of(covariances, 0)
    wanted = float(np.quantile(mae_draws(covariances), LEVEL))
    rounded = round(min(max(rho, 0.0), 1.0), 2 if len(covariances) == TARGETS else 4)  # a law takes a while
    return wanted / (known.sigma * mae_quantile(rounded, len(covariances), LEVEL))


def by_probes(covariances: Array, draws: int) -> Iterator[tuple[float, float, float]]:
    """By draws: without help by the mean correlation and by that of the MAE; with help, models alike."""
    rng = np.random.default_rng(0)
    for _ in range(draws):
        order = rng.permutation(len(covariances))
        probes, targets = order[:PROBES], order[PROBES : PROBES + TARGETS]
        own, theirs = covariances[np.ix_(probes, probes)], covariances[np.ix_(targets, targets)]
        across = covariances[np.ix_(targets, probes)]
        left = theirs - across @ np.linalg.pinv(own, rcond=1e-6, hermitian=True) @ across.T
        rho = max(moments_of(own, 0).rho, 0.0)
        alike = two_phase(1, 2, 2, variance=1.0, rho=rho, probes=PROBES).correlation
        yield over(theirs, rho), over(theirs, mae_correlation(own)), over(left, alike)


def row(path: Path, draws: int) -> list[str] | None:
    """A line of the table; None with too few models."""
    covariances = np.nan_to_num(covariance_matrix(read_scores(TableStudy(path))[0].masked(0)))
    known, together = moments_of(covariances, 0), mae_correlation(covariances)
    if known.models < PROBES + TARGETS:
        return None
    found = np.median(list(by_probes(covariances, draws)), axis=0)
    figures = [known.positive, known.rho, together, over(covariances, known.rho), over(covariances, together), *found]
    return [path.name.split(".")[0], str(known.models), *(f"{figure:.2f}" for figure in figures)]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "matrices")
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--docs", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for path in sorted((given.data / "matrices").glob("*.csv.gz")):
        found = row(path, given.draws)
        if found:
            rows.append(found)
        print(f"{path.name}: {'measured' if found else 'too few models'}", file=sys.stderr)
    text = markdown(HEADS, rows)
    print(text)
    if given.docs:
        put_into(given.docs, "bench_correlation", text)


if __name__ == "__main__":
    main()
