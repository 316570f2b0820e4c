"""Multidimensional two-parameter item response model, fitted by variational inference in torch.

Model of tinyBenchmarks (Maia Polo et al., arXiv 2402.14992), as py-irt's ``multidim_2pl`` with hierarchical priors::

    P(correct) = sigmoid(sum_d (a_d theta_d - b)),   theta_d ~ N(mu_d, 1 / u_d), likewise a_d and b,
    mu ~ N(0, 10),  u ~ Gamma(1, 1)

One reparameterised draw of a mean-field guide an epoch, Adam of rate .1 that decays by .9999 an epoch, 2,000 epochs;
the guide's means at the epoch of least loss are the answer. The guide of u is log-normal (py-irt's is Gamma), which
needs no special sampler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.threads import one_thread

Array = np.ndarray

EPOCHS = 2000
RATE = 0.1
DECAY = 0.9999
LOGIT_LIMIT = 30.0


@dataclass(frozen=True)
class ItemParameters:
    """Fitted items.

    Attributes:
        discrimination: float64 [item, dimension].
        difficulty: float64 [item].
    """

    discrimination: Array
    difficulty: Array

    def chances(self, ability: Array) -> Array:
        """Probability of a correct answer, float64 [model, item], for ability [model, dimension]."""
        logits = ability @ self.discrimination.T - self.discrimination.shape[1] * self.difficulty
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -LOGIT_LIMIT, LOGIT_LIMIT))))


def fit_items(
    responses: Sequence[Array], dimensions: int, generators: Sequence[Generator], epochs: int
) -> list[ItemParameters]:
    """Fit several response matrices of one shape together; each draws from its own generator.

    Args:
        responses: float64 [model, item] of 0 and 1 each.
        dimensions: D.
        generators: One a matrix.
        epochs: Steps.
    """
    with one_thread():
        y = torch.from_numpy(np.stack(responses)).to(torch.float32)
        guide = _Guide(len(y), y.shape[1], y.shape[2], dimensions)
        best = guide.location.detach().clone()
        least = torch.full((len(y),), torch.inf)
        optimiser = torch.optim.Adam([guide.location, guide.log_scale], lr=RATE)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, DECAY)
        for _ in range(epochs):
            noise = torch.stack([torch.randn(guide.width, generator=each) for each in generators])
            loss = guide.loss(y, noise)
            optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(loss.sum())
            better = loss.detach() < least
            least = torch.where(better, loss.detach(), least)
            optimiser.step()
            best = torch.where(better[:, None], guide.location.detach(), best)
            schedule.step()
        return [guide.items(row) for row in best]


class _Guide:
    """Mean-field normal guide of everything, laid out flat: theta, a, b, then means and log precisions of the three."""

    def __init__(self, batch: int, models: int, items: int, dimensions: int) -> None:
        self.models, self.count, self.dimensions = models, items, dimensions
        both = [dimensions, dimensions, 1]
        self.sizes = [models * dimensions, items * dimensions, items, *both, *both]
        self.width = sum(self.sizes)
        self.location = torch.zeros((batch, self.width), requires_grad=True)
        self.log_scale = torch.zeros((batch, self.width), requires_grad=True)

    def loss(self, responses: Tensor, noise: Tensor) -> Tensor:
        """Negative evidence bound at one draw, up to constants, [batch]."""
        drawn = self.location + self.log_scale.exp() * noise
        theta, a, b, mu_theta, mu_a, mu_b, v_theta, v_a, v_b = torch.split(drawn, self.sizes, dim=1)
        theta = theta.reshape(-1, self.models, self.dimensions)
        a = a.reshape(-1, self.count, self.dimensions)
        logits = theta @ a.transpose(1, 2) - self.dimensions * b[:, None, :]
        bound = (responses * logits - torch.nn.functional.softplus(logits)).sum(dim=(1, 2))
        bound = bound + _normal(theta, mu_theta[:, None], v_theta[:, None]) + _normal(a, mu_a[:, None], v_a[:, None])
        bound = bound + _normal(b[:, :, None], mu_b[:, None], v_b[:, None])
        for mu, v in ((mu_theta, v_theta), (mu_a, v_a), (mu_b, v_b)):
            bound = bound - (mu**2).sum(dim=1) / 200 + (v - v.exp()).sum(dim=1)
        return -(bound + self.log_scale.sum(dim=1) + (noise**2).sum(dim=1) / 2)

    def items(self, location: Tensor) -> ItemParameters:
        """Item parameters out of one row of guide means."""
        _, a, b, *_ = torch.split(location.to(torch.float64), self.sizes)
        return ItemParameters(a.reshape(self.count, self.dimensions).numpy().copy(), b.numpy().copy())


def _normal(x: Tensor, mean: Tensor, log_precision: Tensor) -> Tensor:
    """Log density of N(mean, 1 / u) summed over entries, u = exp(log_precision) the inverse of the deviation."""
    density: Tensor = (log_precision - (log_precision.exp() * (x - mean)) ** 2 / 2).sum(dim=(1, 2))
    return density


def binarised(scores: Array) -> tuple[Array, float]:
    """Scores over a threshold, and the threshold: of .01 to .99 the one that keeps the models' means best.

    Args:
        scores: float64 [model, item] in [0, 1].
    """
    if bool(np.isin(scores, (0.0, 1.0)).all()):
        return scores, 0.5
    cuts = np.linspace(0.01, 0.99, 100)
    lost = [float(np.abs((scores > cut).mean(axis=1) - scores.mean(axis=1)).mean()) for cut in cuts]
    cut = float(cuts[int(np.argmin(lost))])
    return (scores > cut).astype(float), cut
