"""What the selectors that learn from full histories share: the histories of the metrics in question, and a seed."""

from __future__ import annotations

import torch
from torch import Generator

from bestrand_drive.compression.learned.history import History, history
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix


def histories(scores: ScoreMatrix, settings: ChoiceSettings, name: str, *, least: int) -> dict[int, History]:
    """Histories by metric number, of those that take part in choosing; the items are chosen by the first.

    Metrics after the first that some item lacks are left out: no estimate of theirs can be modelled.

    Raises:
        UsageError: No metric to choose by, too few probes, or histories that are not full.
    """
    numbers = settings.chosen_metrics(scores)
    if not numbers:
        raise UsageError(f"{name} needs a metric to choose by; name one by --metric.")
    found = {numbers[0]: history(scores, numbers[0], name, least=least)}
    for number in numbers[1:]:
        try:
            found[number] = history(scores, number, name, least=least)
        except UsageError:
            continue
    return found


def draw_seed(generator: Generator) -> int:
    """One number below 2^31 for a library that wants a seed."""
    return int(torch.randint(2**31, (1,), generator=generator).item())
