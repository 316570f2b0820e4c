"""A task of inspect_ai that needs no model: sums, answered rightly by hash of question and model name."""

from __future__ import annotations

import hashlib
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, mean, scorer
from inspect_ai.solver import Generate, TaskState, solver

ITEMS = 40
UNSCORED = "sum-5"


@task
def sums() -> Task:
    """Forty sums of two kinds, two runs each, two scorers: one mark, one dictionary."""
    samples = [
        Sample(id=f"sum-{n}", input=f"{n} + {3 * n % 7} =", target=str(n + 3 * n % 7), metadata={"kind": n % 2})
        for n in range(ITEMS)
    ]
    return Task(dataset=MemoryDataset(samples), solver=answer(), scorer=[right(), parts()], epochs=2)


@solver
def answer() -> Any:
    """Right more often for models later in the alphabet."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        told = f"{state.input_text} {state.model} {state.epoch}"
        luck = int(hashlib.sha256(told.encode()).hexdigest()[:8], 16) / 16**8
        able = 0.3 + 0.1 * (ord(state.model.name[0]) - ord("a"))
        state.output.completion = state.target.text if luck < able else "no idea"
        return state

    return solve


def _right(state: TaskState, target: Target) -> bool:
    return state.output.completion == target.text


@scorer(metrics=[mean()])
def right() -> Any:
    """C, I, and once not scored at all."""

    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == UNSCORED:
            return Score(value=float("nan"))
        return Score(value="C" if _right(state, target) else "I")

    return score


@scorer(metrics={"digits": [mean()], "form": [mean()]})
def parts() -> Any:
    """Two marks at once."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"digits": 1.0 if _right(state, target) else 0.0, "form": "P"})

    return score
