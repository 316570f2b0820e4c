"""Imported scores in the form that tests compare."""

from __future__ import annotations

import math


def scores(found, model=None, metric=None):
    """(item, repeat) -> value; None where not scored."""
    frame = found.frame()
    for name, value in (("model", model), ("metric", metric)):
        if value is not None:
            frame = frame[frame[name] == value]
    cells = zip(frame["item_id"], frame["repeat"], frame["value"], strict=True)
    return {(item, repeat): None if math.isnan(value) else value for item, repeat, value in cells}


def by_item(found, model=None, metric=None):
    """Item -> value, of logs without repeats."""
    return {item: value for (item, _), value in scores(found, model, metric).items()}
