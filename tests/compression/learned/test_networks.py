"""Networks of SparseEval, against torch's own layers."""

from __future__ import annotations

import numpy as np
import torch

from bestrand_drive.compression.learned.networks import DROPOUT, HIDDEN, RATE, _masks, fresh, importance, train
from tests.compression.worlds import close, seeded


def test_a_network_is_the_layers_it_says() -> None:
    networks = fresh(6, True, [seeded(0), seeded(1)])
    x = torch.rand((2, 5, 6), generator=seeded(2))
    for row in range(2):
        out = x[row]
        for weight, bias in zip(networks.weights[:-1], networks.biases[:-1], strict=True):
            out = torch.nn.GELU()(torch.nn.functional.linear(out, weight[row].T, bias[row, 0]))
        out = torch.nn.functional.linear(out, networks.weights[-1][row].T, networks.biases[-1][row, 0])
        close(networks.predict(x)[row].detach().numpy(), out.sigmoid()[:, 0].detach().numpy(), rtol=1e-5)


def test_training_is_torch_s_own() -> None:
    x, y = torch.rand((1, 12, 3), generator=seeded(0)), torch.rand((1, 12), generator=seeded(1))
    networks = fresh(3, False, [seeded(2)])
    layer = torch.nn.Linear(3, 1)
    with torch.no_grad():
        layer.weight.copy_(networks.weights[0][0].T)
        layer.bias.copy_(networks.biases[0][0, 0])
    optimiser = torch.optim.Adam(layer.parameters(), lr=RATE)
    for _ in range(60):
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(layer(x[0])[:, 0], y[0]).backward()
        optimiser.step()
    train(networks, x, y, 60, [seeded(3)])
    close(networks.predict(x)[0].detach().numpy(), layer(x[0])[:, 0].detach().numpy(), rtol=1e-4)


def test_dropout_keeps_the_mean() -> None:
    masks = _masks(500, [seeded(0)])
    assert [mask.shape[2] for mask in masks] == list(HIDDEN)
    assert abs(float(masks[0].mean()) - 1) < 0.01
    assert abs(float((masks[0] == 0).double().mean()) - DROPOUT) < 0.01


def test_importance_is_the_slope_of_the_loss() -> None:
    networks = fresh(4, False, [seeded(0)])
    x, y = torch.rand((1, 7, 4), generator=seeded(1)), torch.rand((1, 7), generator=seeded(2))
    weight, residual = importance(networks, x, y)
    slope = networks.weights[0][0, :, 0].detach().numpy()
    expected = np.abs(2 * residual[0].numpy()[:, None] / 7 * slope[None]).mean(axis=0)
    close(weight[0].numpy(), expected, rtol=1e-4)


def test_a_batch_trains_as_each_alone() -> None:
    x, y = torch.rand((2, 6, 4), generator=seeded(1)), torch.rand((2, 6), generator=seeded(2))
    both = fresh(4, True, [seeded(3), seeded(4)])
    train(both, x, y, 30, [seeded(5), seeded(6)])
    alone = fresh(4, True, [seeded(4)])
    train(alone, x[1:], y[1:], 30, [seeded(6)])
    close(both.predict(x)[1].detach().numpy(), alone.predict(x[1:])[0].detach().numpy(), rtol=1e-3)
