"""Bench2Drive's own evaluator, unedited, starts the headless server in CARLA's place and drives its routes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.real_evaluator.at_hand import routes
from tests.real_evaluator.driving import Row
from tests.real_evaluator.jobs import Job

pytestmark = pytest.mark.real_evaluator
JOBS = routes("bench2drive")
FEW = routes("bench2drive", ["24211", "24340", "26401"])


def name(job: Job | None) -> str:
    return f"{job.route}-{job.town}-{job.kind}" if job else "none at hand"


@pytest.mark.parametrize("job", JOBS or [None], ids=name)
def test_a_route_is_driven_to_its_end_with_its_scenario(driven: Callable[..., Row], job: Job | None) -> None:
    row = driven("bench2drive", job)
    assert (row.exit_code, row.left_out) == (0, "")
    assert row.status in {"Completed", "Perfect"}


@pytest.mark.parametrize("job", FEW or [None], ids=name)
def test_the_benchmarks_own_agent_drives_too(driven: Callable[..., Row], job: Job | None) -> None:
    """It brakes a few metres before the end, so that it may be recorded as blocked there."""
    row = driven("bench2drive", job, "npc")
    assert (row.exit_code, row.left_out) == (0, "")
    assert row.completion > 90


@pytest.mark.parametrize("job", FEW or [None], ids=name)
def test_a_route_driven_twice_scores_alike(driven: Callable[..., Row], job: Job | None) -> None:
    assert driven("bench2drive", job).scored() == driven("bench2drive", job).scored()
