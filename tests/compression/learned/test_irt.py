"""The response model: its bound against torch's distributions, recovery of a simulated bank, batches."""

from __future__ import annotations

import numpy as np
import torch
from torch.distributions import Bernoulli, Gamma, Normal

from bestrand_drive.compression.learned.ability import abilities
from bestrand_drive.compression.learned.irt import ItemParameters, _Guide, binarised, fit_items
from tests.compression.worlds import close, seeded


def _bound(guide: _Guide, y: torch.Tensor, noise: torch.Tensor) -> float:
    """log p(y, z) - log q(z) of one draw, written with torch's distributions (u = exp v has density p(u) u)."""
    drawn = guide.location + guide.log_scale.exp() * noise
    theta, a, b, mu_theta, mu_a, mu_b, v_theta, v_a, v_b = torch.split(drawn[0], guide.sizes)
    theta, a = theta.reshape(guide.models, -1), a.reshape(guide.count, -1)
    logits = (theta[:, None, :] * a[None] - b[None, :, None]).sum(dim=2)
    total = Bernoulli(logits=logits).log_prob(y).sum()
    for value, mu, v in ((theta, mu_theta, v_theta), (a, mu_a, v_a), (b[:, None], mu_b, v_b)):
        total = total + Normal(mu, (-v).exp()).log_prob(value).sum()
        total = total + Normal(0.0, 10.0).log_prob(mu).sum() + (Gamma(1.0, 1.0).log_prob(v.exp()) + v).sum()
    return float(total - Normal(guide.location[0], guide.log_scale[0].exp()).log_prob(drawn[0]).sum())


def test_the_loss_is_the_negative_bound_up_to_a_constant() -> None:
    guide = _Guide(1, 3, 4, 2)
    y = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (3, 4))).float()
    sums = []
    for seed in range(4):
        with torch.no_grad():
            guide.location.copy_(torch.randn(guide.location.shape, generator=seeded(10 + seed)))
            guide.log_scale.copy_(0.3 * torch.randn(guide.location.shape, generator=seeded(20 + seed)))
            noise = torch.randn(guide.location.shape, generator=seeded(seed))
            sums.append(float(guide.loss(y[None], noise)[0]) + _bound(guide, y, noise))
    close(sums, sums[0], rtol=1e-5, scale=1e6)


def test_a_simulated_bank_is_recovered() -> None:
    """New models' chances on items they never saw, from their answers to the others, follow the truth."""
    rng = np.random.default_rng(0)
    bank = ItemParameters(rng.normal(1.0, 0.5, size=(80, 1)), rng.normal(size=80))
    truth = bank.chances(rng.normal(size=(70, 1)))
    answers = (rng.random(truth.shape) < truth).astype(float)
    fitted = fit_items([answers[:60]], 1, [seeded(0)], epochs=250)[0]
    seen = ItemParameters(fitted.discrimination[:60], fitted.difficulty[:60])
    predicted = fitted.chances(abilities(answers[60:, :60], seen))[:, 60:]
    assert np.corrcoef(predicted.ravel(), truth[60:, 60:].ravel())[0, 1] > 0.9
    assert abs(predicted.mean() - truth[60:, 60:].mean()) < 0.05


def test_a_batch_gives_what_each_gives_alone() -> None:
    rng = np.random.default_rng(0)
    blocks = [(rng.random((5, 30)) < 0.6).astype(float) for _ in range(3)]
    together = fit_items(blocks, 2, [seeded(s) for s in range(3)], epochs=40)
    for number, block in enumerate(blocks):
        alone = fit_items([block], 2, [seeded(number)], epochs=40)[0]
        np.testing.assert_allclose(together[number].difficulty, alone.difficulty, atol=1e-4)


def test_graded_scores_are_cut_where_the_means_are_kept() -> None:
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 0.5, size=(6, 200))
    cut_scores, cut = binarised(scores)
    losses = [np.abs((scores > c).mean(axis=1) - scores.mean(axis=1)).mean() for c in np.linspace(0.01, 0.99, 100)]
    assert np.abs(cut_scores.mean(axis=1) - scores.mean(axis=1)).mean() == min(losses)
    assert ((scores > cut) == (cut_scores == 1)).all()
    whole = np.round(scores)
    assert binarised(whole)[0] is whole
