"""SparseEval's search for anchors and its final predictor, over several histories at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy import stats
from torch import Generator, Tensor

from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.learned.networks import Networks, fresh, importance, train
from bestrand_drive.compression.learned.threads import one_thread

Array = np.ndarray

REFINEMENTS = 10
PROXY_EPOCHS = 2000
FINAL_EPOCHS = 20_000
CHECK_EVERY = 500
PATIENCE = 30
LEAST_ORDERED = 20
"""Validation models below which their order is chance and only their loss decides what is kept."""
LEAST_VALIDATED = 4
"""Source models below which none is held out."""


@dataclass(frozen=True)
class SparseNetwork:
    """A trained predictor of one suite.

    Attributes:
        network: Batch of one; its inputs are the suite's items in order.
        typical: float64 [k], the source models' mean on each anchor, which stands in for a missing score.
        low: Of the metric's scale.
        width: Of the metric's scale.
    """

    network: Networks
    typical: Array
    low: float
    width: float

    def predict(self, values: Array) -> Array:
        """Full scores [target] of values [k, target], metric units; NaN marks what is missing."""
        unit = (values.T - self.low) / self.width
        filled = np.where(np.isnan(unit), self.typical, unit)
        with torch.no_grad():
            found = self.network.predict(torch.from_numpy(filled).to(torch.float32)[None])[0]
        return np.asarray(self.low + self.width * found.to(torch.float64).numpy())


def split(models: int, generator: Generator) -> tuple[Array, Array]:
    """Numbers of the models that train and of the quarter that validates (none of fewer than four)."""
    order = torch.randperm(models, generator=generator).numpy()
    held = models // 4 if models >= LEAST_VALIDATED else 0
    return np.sort(order[held:]), np.sort(order[:held])


def refined(
    pasts: Sequence[History],
    anchors: Sequence[Array],
    pools: Sequence[Array],
    deep: bool,
    generators: Sequence[Generator],
    epochs: int,
) -> list[Array]:
    """Exchange the least important anchor for the item that the residuals point to, ten times; sorted item numbers.

    Args:
        pasts: Histories of the training models, of one number of models.
        anchors: int64 [k], starts.
        pools: int64, what may be chosen.
        deep: Which network.
        generators: One a history.
        epochs: Of each proxy.
    """
    current = [np.array(one) for one in anchors]
    goal = _goals(pasts)
    with one_thread():
        for _ in range(REFINEMENTS):
            x = _inputs(pasts, current)
            networks = fresh(x.shape[2], deep, generators)
            train(networks, x, goal, epochs, generators)
            weight, residual = importance(networks, x, goal)
            for row, (past, pool) in enumerate(zip(pasts, pools, strict=True)):
                outside = np.setdiff1d(pool, current[row])
                if not len(outside):
                    continue
                pull = np.abs((past.scores[:, outside] - 0.5).T @ residual[row].numpy())
                current[row][int(weight[row].argmin())] = outside[int(pull.argmax())]
    return [np.sort(one) for one in current]


def predictors(
    train_pasts: Sequence[History],
    valid_pasts: Sequence[History],
    anchors: Sequence[Array],
    deep: bool,
    generators: Sequence[Generator],
    epochs: tuple[int, int],
) -> list[SparseNetwork]:
    """Train the final predictors; with validation models the state of least loss (and order) is kept.

    Without validation models they are trained as long as a proxy.
    """
    with one_thread():
        x, y = _inputs(train_pasts, anchors), _goals(train_pasts)
        networks = fresh(x.shape[2], deep, generators)
        if not len(valid_pasts[0].scores):
            train(networks, x, y, epochs[0], generators)
            kept = networks.frozen()
        else:
            every = min(CHECK_EVERY, epochs[1])
            keeper = _Keeper(networks, _inputs(valid_pasts, anchors), _goals(valid_pasts), every)
            train(networks, x, y, epochs[1], generators, keeper.watch)
            kept = keeper.best
    return [
        SparseNetwork(
            network=Networks([w[row : row + 1] for w in kept.weights], [b[row : row + 1] for b in kept.biases], deep),
            typical=past.scores[:, anchors[row]].mean(axis=0),
            low=past.low,
            width=past.width,
        )
        for row, past in enumerate(train_pasts)
    ]


class _Keeper:
    """Keeps each row's best state by validation loss and Kendall's tau, and ends when all rows ran out of patience.

    A row that did is not looked at again, so that its state does not depend on the rows that are still trained.
    """

    def __init__(self, networks: Networks, x: Tensor, y: Tensor, every: int) -> None:
        self.networks, self.x, self.y, self.every = networks, x, y, every
        self.best = networks.frozen()
        self.loss = np.full(len(x), np.inf)
        self.tau = np.full(len(x), -1.0)
        self.idle = np.zeros(len(x), dtype=np.int64)

    def watch(self, epoch: int) -> bool:
        """Look at every ``every``-th epoch; whether training may end."""
        if epoch % self.every:
            return False
        with torch.no_grad():
            predicted = self.networks.predict(self.x)
        loss = ((predicted - self.y) ** 2).mean(dim=1).numpy()
        tau = np.zeros(len(loss))
        if self.y.shape[1] >= LEAST_ORDERED:
            tau = np.array([_tau(a, b) for a, b in zip(predicted.numpy(), self.y.numpy(), strict=True)])
        better = (loss <= self.loss) & (tau >= self.tau) & (self.idle < PATIENCE)
        self.loss, self.tau = np.where(better, loss, self.loss), np.where(better, tau, self.tau)
        mask = torch.from_numpy(better)[:, None, None]
        for kept, now in zip(self.best.parameters, self.networks.parameters, strict=True):
            kept.copy_(torch.where(mask, now.detach(), kept))
        self.idle = np.where(better, 0, self.idle + 1)
        return bool((self.idle >= PATIENCE).all())


def _tau(predicted: Array, true: Array) -> float:
    """Kendall's tau-b; 0 where there is no order to compare."""
    if len(true) < 2 or np.ptp(true) == 0 or np.ptp(predicted) == 0:
        return 0.0
    return float(stats.kendalltau(predicted, true).statistic)


def _inputs(pasts: Sequence[History], anchors: Sequence[Array]) -> Tensor:
    blocks = [past.scores[:, own] for past, own in zip(pasts, anchors, strict=True)]
    return torch.from_numpy(np.stack(blocks)).to(torch.float32)


def _goals(pasts: Sequence[History]) -> Tensor:
    means = [past.scores @ past.weights / past.weights.sum() for past in pasts]
    return torch.from_numpy(np.stack(means)).to(torch.float32)
