"""Fail2Drive's own evaluator, unedited, connects to a headless server."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.real_evaluator.at_hand import routes
from tests.real_evaluator.driving import Row
from tests.real_evaluator.jobs import Job
from tests.real_evaluator.test_bench2drive import name

pytestmark = pytest.mark.real_evaluator
OWN = routes("fail2drive")
BORROWED = routes("bench2drive", ["24211", "24340", "26401"])


@pytest.mark.parametrize("job", OWN or [None], ids=name)
def test_its_own_routes_are_driven_to_their_end(driven: Callable[..., Row], job: Job | None) -> None:
    """On built maps, where its town is not at hand."""
    row = driven("fail2drive", job)
    assert (row.exit_code, row.left_out) == (0, "")
    assert row.status in {"Completed", "Perfect"}


@pytest.mark.parametrize("job", BORROWED or [None], ids=name)
def test_bench2drives_routes_under_fail2drives_evaluator(driven: Callable[..., Row], job: Job | None) -> None:
    row = driven("fail2drive", job)
    assert (row.exit_code, row.left_out) == (0, "")
    assert row.status in {"Completed", "Perfect"}
