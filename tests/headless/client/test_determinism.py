"""The same program on two new servers: every snapshot alike, to the last bit."""

import pytest

pytestmark = pytest.mark.client

TICKS = 400


def test_the_same_calls_give_the_same_snapshots_and_another_seed_other_traffic(fresh_client):
    first, again, other = (fresh_client("traffic", seed, TICKS) for seed in (1, 1, 2))
    assert len(first["seen"]) == TICKS
    assert first["actors"] > 70
    assert first["walkers"] > 2
    differing = [tick for tick, (a, b) in enumerate(zip(first["seen"], again["seen"], strict=True)) if a != b]
    assert differing == []
    assert first["places"] == again["places"]
    assert first["seen"] != other["seen"]
    apart = [
        max(abs(a - b) for a, b in zip(*pair, strict=True))
        for pair in zip(first["places"], other["places"], strict=True)
    ]
    assert max(apart) > 1  # metres
