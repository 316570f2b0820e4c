"""What the probes of a batch of draws tell, and the batched estimators that use it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.difficulty import DifficultyModel, fit_difficulty
from bestrand_drive.compression.estimators.expc import ProbeRegression, fit_regression
from bestrand_drive.study.arms import Chosen
from bestrand_drive.study.batch_blup import Models, blup_points
from bestrand_drive.study.batch_expc import expc_points
from bestrand_drive.study.choosing import family_profiles
from bestrand_drive.study.points import Draws, Points, mean_points, stratified_points
from bestrand_drive.study.problem import Problem

Array = np.ndarray


class Knowledge:
    """What the probes of each draw tell, fitted once a metric."""

    def __init__(self, problem: Problem, chosen: Sequence[Chosen]) -> None:
        self._problem = problem
        self._chosen = chosen
        self._models: dict[int, list[DifficultyModel]] = {}
        self._regressions: dict[int, list[ProbeRegression]] = {}

    def points(self, estimator: str, draws: Draws, y: Tensor, metric: int) -> Points:
        """Apply an estimator."""
        ratio = self._problem.scores.metrics[metric].ratio
        if estimator == "default":
            estimator = "blup" if self._problem.scores.strata is not None else "stratified" if ratio else "expc"
        if estimator == "mean":
            return mean_points(draws, y)
        if estimator == "stratified":
            return stratified_points(draws, y)
        return self._expc(draws, y, metric) if estimator == "expc" else self._blup(draws, y, metric)

    def _columns(self, one: Chosen, metric: int) -> Array:
        scores = self._problem.values[:, :, metric][np.ix_(one.pool, np.array(one.roles.probes))]
        return family_profiles(scores, one.roles)

    def _expc(self, draws: Draws, y: Tensor, metric: int) -> Points:
        if metric not in self._regressions:
            items = len(self._problem.scores.items)
            columns = [(self._columns(one, metric), one.pool) for one in self._chosen]
            self._regressions[metric] = [fit_regression(part, pool, items) for part, pool in columns]
        fits = self._regressions[metric]
        widths = np.array([one.scores.shape[1] for one in fits])
        if (widths == widths[0]).all():
            return expc_points(draws, y, fits)
        return _by_width(draws, y, fits, widths)

    def _blup(self, draws: Draws, y: Tensor, metric: int) -> Points:
        """BLUP where the probes vary, the stratified mean elsewhere."""
        if metric not in self._models:
            self._models[metric] = self._fitted(metric)
        models = self._models[metric]
        flat = np.array([model.s_u2 + model.s_e2 <= 0 for model in models])
        if flat.all():
            return stratified_points(draws, y)
        stand_in = models[int(np.flatnonzero(~flat)[0])]
        usable = [stand_in if bad else model for model, bad in zip(models, flat, strict=True)]
        same = all(model is usable[0] for model in usable)
        points = blup_points(draws, y, Models.stack(usable[:1] if same else usable))
        return _merged(flat, stratified_points(draws, y), points) if flat.any() else points

    def _fitted(self, metric: int) -> list[DifficultyModel]:
        """One model a draw; draws with the same probes on all items share it."""
        shared: dict[tuple[int, ...], DifficultyModel] = {}
        models = []
        for one in self._chosen:
            whole = len(one.pool) == len(self._problem.scores.items)
            model = shared.get(one.roles.probes) if whole else None
            if model is None:
                model = fit_difficulty(self._columns(one, metric), self._problem.codes, one.pool)
                if whole:
                    shared[one.roles.probes] = model
            models.append(model)
        return models


def _by_width(draws: Draws, y: Tensor, fits: Sequence[ProbeRegression], widths: Array) -> Points:
    """The regression of draws of which some have fewer probes: one of theirs has no score on the pool."""
    groups = [np.flatnonzero(widths == width) for width in np.unique(widths)]
    parts = [
        expc_points(
            Draws(draws.mask[rows], draws.weights[rows], draws.squares[rows], draws.strata),
            y,
            [fits[row] for row in rows.tolist()],
        )
        for rows in groups
    ]
    order = torch.from_numpy(np.argsort(np.concatenate(groups)))

    def joined(name: str) -> Tensor:
        return torch.cat([getattr(part, name) for part in parts])[order]

    return Points(joined("value"), joined("variance"), joined("df"), joined("mean"), joined("spread2"), draws)


def _merged(rows: Array, first: Points, second: Points) -> Points:
    """The first batch in some rows, the second in the others."""
    pick = torch.from_numpy(rows)[:, None]
    residuals = None
    if first.residuals is not None and second.residuals is not None:
        residuals = torch.where(pick, first.residuals, second.residuals)
    return Points(
        value=torch.where(pick, first.value, second.value),
        variance=torch.where(pick, first.variance, second.variance),
        df=torch.where(pick, first.df, second.df),
        mean=first.mean,
        spread2=first.spread2,
        draws=first.draws,
        residuals=residuals,
    )
