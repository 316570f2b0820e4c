"""SparseEval's exchange of anchors and what is kept of the final network."""

from __future__ import annotations

import numpy as np
import torch

from bestrand_drive.compression.learned import sparse
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.learned.networks import fresh, train
from bestrand_drive.compression.learned.sparse import SparseNetwork, _Keeper, predictors, refined, split
from tests.compression.histories import answered, past
from tests.compression.worlds import close, seeded


def test_a_quarter_validates_and_nobody_twice() -> None:
    kept, held = split(12, seeded(0))
    assert sorted([*kept, *held]) == list(range(12))
    assert len(held) == 3
    assert len(split(3, seeded(0))[1]) == 0


def test_anchors_stay_different_and_inside_the_pool() -> None:
    pool = np.arange(0, 40, 2)
    found = refined([past(answered())], [pool[:6]], [pool], False, [seeded(0)], 20)[0]
    assert len(set(found.tolist())) == 6
    assert set(found.tolist()) <= set(pool.tolist())
    assert set(found.tolist()) != set(pool[:6].tolist())


def test_with_nothing_outside_the_anchors_stay() -> None:
    found = refined([past(answered())], [np.arange(40)], [np.arange(40)], False, [seeded(0)], 5)[0]
    assert found.tolist() == list(range(40))


def test_the_kept_state_is_the_best_of_those_checked() -> None:
    """The state that was right at the first check outlives a worse one."""
    networks = fresh(2, False, [seeded(0)])
    x = torch.rand((1, 5, 2), generator=seeded(1))
    with torch.no_grad():
        networks.weights[0].fill_(0.5)
        networks.biases[0].zero_()
    keeper = _Keeper(networks, x, x.mean(dim=2), every=1)
    assert keeper.watch(1) is False
    with torch.no_grad():
        networks.weights[0].fill_(-3.0)
    assert keeper.watch(2) is False
    close(keeper.best.predict(x).numpy(), x.mean(dim=2).numpy(), rtol=1e-5)


def test_a_row_that_ran_out_of_patience_keeps_its_state_whatever_the_others_do() -> None:
    networks = fresh(2, False, [seeded(0), seeded(1)])
    x = torch.rand((2, 5, 2), generator=seeded(1))
    keeper = _Keeper(networks, x, x.mean(dim=2), every=1)
    first = []
    with torch.no_grad():
        networks.biases[0].zero_()
        for step in range(sparse.PATIENCE + 1):  # the first row gets worse, the second better
            networks.weights[0][0].fill_(1.0 + step)
            networks.weights[0][1].fill_(0.5 + 1.0 / (step + 1))
            assert keeper.watch(step + 1) is False
            first.append(networks.weights[0][0].clone())
        networks.weights[0].fill_(0.5)
        assert keeper.watch(sparse.PATIENCE + 2) is False
    close(keeper.best.weights[0][0].numpy(), first[0].numpy())
    close(keeper.best.weights[0][1].numpy(), np.full((2, 1), 0.5))
    with torch.no_grad():
        networks.weights[0].fill_(9.0)
    ended = [keeper.watch(sparse.PATIENCE + 3 + idle) for idle in range(sparse.PATIENCE)]
    assert ended == [False] * (sparse.PATIENCE - 1) + [True], "once the second ran out of patience, too"


def test_of_many_models_that_validate_the_order_counts_beside_the_loss() -> None:
    """A state that is nearer to the full scores, but ranks the models worse, is not kept; of few models it is."""
    for models, kept in ((sparse.LEAST_ORDERED, 2.0), (sparse.LEAST_ORDERED - 1, -0.1)):
        goal = torch.linspace(0.4, 0.6, models)[None]
        networks = fresh(1, False, [seeded(0)])
        keeper = _Keeper(networks, goal[:, :, None], goal, every=1)
        for slope, level in ((2.0, 0.0), (-0.1, 0.55)):  # in order and far off; in reverse and near
            with torch.no_grad():
                networks.weights[0].fill_(slope)
                networks.biases[0].fill_(level)
            keeper.watch(1)
        close(keeper.best.weights[0].numpy(), np.full((1, 1, 1), kept), rtol=1e-6)


def test_without_models_that_validate_it_is_trained_as_long_as_a_proxy() -> None:
    few, none = past(answered(3, 20)), History(np.empty((0, 20)), np.ones(20), 0.0, 1.0)
    found = predictors([few], [none], [np.arange(4)], False, [seeded(0)], (7, 90))[0]
    alone = fresh(4, False, [seeded(0)])
    x, goal = torch.from_numpy(few.scores[:, :4]).float()[None], torch.from_numpy(few.scores.mean(axis=1)).float()[None]
    train(alone, x, goal, 7, [seeded(1)])
    close(found.network.weights[0].numpy(), alone.weights[0].detach().numpy(), rtol=1e-5)


def test_the_search_is_the_rule_with_torch_s_own_layer() -> None:
    """Ten times: train a linear layer, drop the anchor whose gradient is least, take the item its errors point to."""
    scores, pool, epochs = answered(12, 40), np.arange(36), 60
    start = np.array([3, 9, 14, 20, 31])
    current, generator = start.copy(), seeded(4)
    goal = torch.from_numpy(scores.mean(axis=1)).float()
    for _ in range(10):
        x = torch.from_numpy(scores[:, current]).float().requires_grad_()
        drawn = fresh(5, False, [generator])
        layer = torch.nn.Linear(5, 1)
        layer.load_state_dict({"weight": drawn.weights[0][0].T, "bias": drawn.biases[0][0, 0]})
        optimiser = torch.optim.Adam(layer.parameters(), lr=5e-4)
        for _ in range(epochs):
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(layer(x.detach())[:, 0], goal).backward()
            optimiser.step()
        torch.nn.functional.mse_loss(layer(x)[:, 0], goal).backward()
        assert x.grad is not None
        error = (layer(x)[:, 0] - goal).detach().numpy()
        pull = {int(item): abs(float((scores[:, item] - 0.5) @ error)) for item in pool if item not in current}
        current[int(x.grad.abs().mean(dim=0).argmin())] = max(pull, key=lambda item: pull[item])
    found = refined([past(scores)], [start], [pool], False, [seeded(4)], epochs)[0]
    assert found.tolist() == sorted(current.tolist())
    assert set(found.tolist()) != set(start.tolist())


def test_a_missing_score_is_the_sources_mean() -> None:
    networks = fresh(2, False, [seeded(0)]).frozen()
    found = SparseNetwork(networks, np.array([0.25, 0.75]), 10.0, 4.0)
    gappy = found.predict(np.array([[np.nan], [12.0]]))
    close(gappy, found.predict(np.array([[11.0], [12.0]])))


def test_validation_keeps_what_an_untrained_network_lacks() -> None:
    scores = answered(40, 60, seed=3)
    anchors = np.arange(0, 60, 6)
    held = past(scores[30:])
    losses = []
    for epochs in (1, 2000):
        network = predictors([past(scores[:30])], [held], [anchors], False, [seeded(0)], (1, epochs))[0]
        losses.append(float(((network.predict(scores[30:][:, anchors].T) - scores[30:].mean(axis=1)) ** 2).mean()))
    assert losses[1] < 0.5 * losses[0]
