"""Replays of several cases side by side, by arm and family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
from workers import each

from bestrand_drive.study.replay import Arm, Case, Outcomes, replay

ArmsOf = Callable[[Case], Sequence[Arm]]
ByArm = dict[str, dict[str, Outcomes]]


def replayed(cases: Sequence[Case], arms_of: ArmsOf, k: int, seeds: int, workers: int) -> ByArm:
    """What came of each arm, by its name and the family of each case.

    Args:
        cases: All of them have the same arms.
        arms_of: The arms of a case, a function that worker processes can import.
        k: Size of the suites.
        seeds: Suites drawn.
        workers: Processes.
    """
    found = each(partial(_of_one, arms_of, k, seeds), cases, workers)
    return {arm: {case.family: own[arm] for case, own in zip(cases, found, strict=True)} for arm in found[0]}


def _of_one(arms_of: ArmsOf, k: int, seeds: int, case: Case) -> dict[str, Outcomes]:
    torch.set_num_threads(1)
    return {arm.name: replay(case, arm, k, range(seeds)) for arm in arms_of(case)}
