"""SparseEval's predictor: a network from the anchors' scores to the full score."""

from __future__ import annotations

from bestrand_drive.compression.estimators.sample import Array
from bestrand_drive.compression.estimators.source import Guess, Source
from bestrand_drive.compression.learned.sparse import SparseNetwork
from bestrand_drive.compression.selectors.base import Selection
from bestrand_drive.errors import UsageError


def sparse_network(values: Array, selection: Selection, source: Source) -> list[Guess]:
    """What the selection's network says of each target.

    Raises:
        UsageError: The selection has no network for this metric.
    """
    network = selection.model.get(source.metric)
    if not isinstance(network, SparseNetwork):
        raise UsageError("sparse-network estimates suites chosen by sparseeval-linear or sparseeval-mlp only.")
    return [Guess(float(value)) for value in network.predict(values)]
