"""Weights of metrics as a suite keeps them: whatever the metrics are named, what is written is read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bestrand_drive import ScoreMatrix, compress, read_suite
from bestrand_drive.suite.weights import weights_of, written

NAMES = ("n=5", "x=y z", "n", "a b", "b", "pass@1")


def test_names_may_look_like_weights() -> None:
    weights = {name: 0.5 + number for number, name in enumerate(NAMES)}
    assert weights_of(written(weights) or "", NAMES) == weights
    assert written({}) is None
    assert weights_of("", NAMES) == {}


@pytest.mark.parametrize("text", ["n=x", "n", "m=1", "n=1 m=1", "m=1 n=1", "=1", "n=5=", "n=1  b=1"])
def test_what_is_no_such_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"weights of metrics|convert"):
        weights_of(text, NAMES)


def test_a_suite_chosen_by_such_a_metric_is_read_again(tmp_path: Path) -> None:
    """Python takes any metric by its name, where the command's ``--metric`` ends a name at an equal sign."""
    rng = np.random.default_rng(1)
    cells = [(f"i{item}", model, name) for item in range(20) for model in "ABC" for name in NAMES[:2]]
    long = pd.DataFrame(cells, columns=["item_id", "model", "metric"]).assign(value=rng.random(len(cells)))
    scores, weights = ScoreMatrix.from_frame(long), {"n=5": 0.5, "x=y z": 2.0}
    suite = compress("scores", scores=scores, probes=["A", "B"], k=5, metric_weights=weights, out=tmp_path / "suite")
    assert suite.choice.settings["metric_weights"] == "n=5=0.5 x=y z=2"
    assert read_suite(tmp_path / "suite") == suite
