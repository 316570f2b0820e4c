"""Small networks from a model's scores on k anchors to its full score, trained several at once.

Source: SparseEval's code (commit 0b10306): a linear layer, or k-128-64-32-1 with GELU, dropout .1 and a sigmoid;
Adam of rate 5e-4 on the mean squared error, all models a step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor

Array = np.ndarray

HIDDEN = (128, 64, 32)
DROPOUT = 0.1
RATE = 5e-4


@dataclass(frozen=True)
class Networks:
    """One network a batch row.

    Attributes:
        weights: float32 Tensor[batch, in, out] a layer.
        biases: float32 Tensor[batch, 1, out] a layer.
        deep: Whether hidden layers, GELU and the sigmoid are there.
    """

    weights: list[Tensor]
    biases: list[Tensor]
    deep: bool

    @property
    def parameters(self) -> list[Tensor]:
        """All of them."""
        return [*self.weights, *self.biases]

    def predict(self, x: Tensor, masks: Sequence[Tensor] = ()) -> Tensor:
        """Full scores, Tensor[batch, model], of anchors' scores Tensor[batch, model, k]; masks are dropout's."""
        for number, (weight, bias) in enumerate(zip(self.weights[:-1], self.biases[:-1], strict=True)):
            x = torch.nn.functional.gelu(torch.baddbmm(bias, x, weight))
            x = x * masks[number] if masks else x
        out = torch.baddbmm(self.biases[-1], x, self.weights[-1])[:, :, 0]
        return torch.sigmoid(out) if self.deep else out

    def frozen(self) -> Networks:
        """A copy outside training."""
        weights, biases = ([part.detach().clone() for part in parts] for parts in (self.weights, self.biases))
        return Networks(weights, biases, self.deep)


def fresh(k: int, deep: bool, generators: Sequence[Generator]) -> Networks:
    """Untrained networks, uniform within 1 / sqrt(inputs) as torch's own layers; each from its generator."""
    sizes = [k, *HIDDEN, 1] if deep else [k, 1]
    weights, biases = [], []
    for inputs, outputs in itertools.pairwise(sizes):
        reach = 1 / math.sqrt(inputs)
        drawn = [reach * (2 * torch.rand((inputs + 1, outputs), generator=each) - 1) for each in generators]
        both = torch.stack(drawn)
        weights.append(both[:, :-1].clone().requires_grad_())
        biases.append(both[:, -1:].clone().requires_grad_())
    return Networks(weights, biases, deep)


def train(
    networks: Networks,
    x: Tensor,
    y: Tensor,
    epochs: int,
    generators: Sequence[Generator],
    watch: Callable[[int], bool] | None = None,
) -> None:
    """Train in place.

    Args:
        networks: To train.
        x: float32 Tensor[batch, model, k].
        y: float32 Tensor[batch, model].
        epochs: Steps.
        generators: One a batch row, for dropout.
        watch: Called after each epoch with its number; training ends when it says so.
    """
    optimiser = torch.optim.Adam(networks.parameters, lr=RATE)
    for epoch in range(1, epochs + 1):
        masks = _masks(x.shape[1], generators) if networks.deep else []
        loss = ((networks.predict(x, masks) - y) ** 2).mean(dim=1).sum()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        if watch is not None and watch(epoch):
            return


def _masks(models: int, generators: Sequence[Generator]) -> list[Tensor]:
    """Dropout masks Tensor[batch, model, hidden] of every hidden layer."""
    drawn = torch.stack([torch.rand((models, sum(HIDDEN)), generator=each) for each in generators])
    return list(torch.split((drawn >= DROPOUT) / (1 - DROPOUT), list(HIDDEN), dim=2))


def importance(networks: Networks, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """How much the loss hangs on each anchor, Tensor[batch, k], and the residuals, Tensor[batch, model]."""
    inputs = x.clone().requires_grad_()
    predicted = networks.predict(inputs)
    torch.autograd.backward(((predicted - y) ** 2).mean(dim=1).sum())
    slopes = inputs.grad if inputs.grad is not None else torch.zeros_like(inputs)
    return slopes.abs().mean(dim=1), (predicted - y).detach()
