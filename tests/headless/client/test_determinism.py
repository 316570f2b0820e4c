"""The same program on two new servers: every snapshot alike, to the last bit."""

import pytest

pytestmark = pytest.mark.client


@pytest.mark.parametrize(("town", "ticks"), [("", 400), ("Town02", 200)])
def test_the_same_calls_give_the_same_snapshots_and_another_seed_other_traffic(fresh_client, town, ticks):
    first, again, other = (fresh_client("traffic", seed, ticks, town) for seed in (1, 1, 2))
    assert len(first["seen"]) == len(set(first["seen"])) == ticks
    assert first["actors"] > 50
    assert first["walkers"] >= 2
    assert sum(metres > 5 for metres in first["driven_m"]) >= 8  # others may wait at a light
    assert first["frame"] == again["frame"]
    differing = [tick for tick, (a, b) in enumerate(zip(first["seen"], again["seen"], strict=True)) if a != b]
    assert differing == []
    assert first["places"] == again["places"]
    assert first["seen"] != other["seen"]
    apart = [
        max(abs(a - b) for a, b in zip(*pair, strict=True))
        for pair in zip(first["places"], other["places"], strict=True)
    ]
    assert max(apart) > 1  # metres
