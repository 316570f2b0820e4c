"""One thread for sums whose order would otherwise depend on how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread inside, so that a fit is the same for any number of threads outside.

    Different processors may still round differently: fitted models are equal on one kind of machine only.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  only where something is fitted

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1):
            yield
    finally:
        torch.set_num_threads(before)
