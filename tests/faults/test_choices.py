"""F16: choices that cannot be made, or that mean less than they seem to; each is an error of ours or is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bestrand_drive.errors import ExitCode
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.workflows.choosing.advice import spread_shares
from tests.conftest import Ran
from tests.workflows.toys import write_wide

ITEMS = 24
IDS = tuple(f"q{number}" for number in range(ITEMS))
Draw = Callable[[np.random.Generator], np.ndarray]


def wide(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(0, 1, ITEMS)


def narrow(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(0.1, 0.12, ITEMS)


def constant(_: np.random.Generator) -> np.ndarray:
    return np.full(ITEMS, 0.1)


def stairs(_: np.random.Generator) -> np.ndarray:
    return np.linspace(0, 1, ITEMS)


EVEN = {"a": wide, "b": wide, "c": wide}
STRATA = {"stratum": [f"topic {number % 6}" for number in range(ITEMS)]}
GROUPS = {"group": [f"text {number // 4}" for number in range(ITEMS)]}
SIZE = ("--k", 6)


@dataclass(frozen=True)
class Case:
    """A table, a command, and how it ends.

    Attributes:
        probes: Columns of the table.
        options: Of the command.
        said: In the output of a choice that is made, or in the message of one that is refused.
        code: Exit code.
        items: Columns of the table of items.
    """

    probes: dict[str, Draw]
    options: tuple[object, ...]
    said: str
    code: ExitCode = ExitCode.OK
    items: dict[str, list[str]] | None = None


CASES = {
    "one probe's spread dwarfs the others'": Case({"big": wide, "b": narrow, "c": narrow}, SIZE, "note: big dominates"),
    "the others have no spread": Case({"big": wide, "b": constant}, SIZE, "note: b scores alike on every item"),
    "no probe has any": Case({"a": constant}, SIZE, "note: a scores alike on every item"),
    "one probe": Case({"a": wide}, SIZE, "note: a alone guides the choice"),
    "one probe and its copies": Case(
        {"a": stairs, "b": stairs, "c": stairs}, (*SIZE, "--probe", "a", "--probe", "b"), "note: a alone guides"
    ),
    "one family": Case(EVEN, (*SIZE, "--family", "f=a,b,c"), "note: f alone guides the choice"),
    "no probe": Case(EVEN, (*SIZE, "--n-probes", 0), "probes: none; random sample"),
    "no probe for a method that needs one": Case(
        EVEN, (*SIZE, "--n-probes", 0, "--selector", "bestrand"), "needs at least one probe", ExitCode.USAGE
    ),
    "more probes than there are": Case(EVEN, (*SIZE, "--n-probes", 4), "has 3 distinct models", ExitCode.USAGE),
    "all items": Case(EVEN, ("--k", ITEMS), "note: all 24 items are chosen: nothing is saved"),
    "all by share": Case(EVEN, ("--keep", 1), "note: all 24 items are chosen: nothing is saved"),
    "more than all items": Case(EVEN, ("--k", ITEMS + 1), "only 24 of 24 can be chosen", ExitCode.NOTHING_SELECTED),
    "none": Case(EVEN, ("--k", 0), "must be above 0", ExitCode.USAGE),
    "fewer than strata": Case(EVEN, ("--k", 5), "note: 5 items cannot reach all 6 strata", items=STRATA),
    "fewer than groups": Case(EVEN, ("--k", 2), "the 2 chosen hold 8 of 24", items=GROUPS),
    "more than groups": Case(EVEN, ("--k", 7), "only 6 of 6 can be chosen", ExitCode.NOTHING_SELECTED, GROUPS),
}
QUIET = Case(EVEN, SIZE, "suite: 6 of 24 items", items=STRATA)
"""Even probes and a size that reaches every stratum."""


@pytest.fixture
def compress(bestrand: Callable[..., Ran], tmp_path: Path) -> Callable[[Case], Ran]:
    """Writes the tables of a case and chooses from them."""

    def call(case: Case) -> Ran:
        rng = np.random.default_rng(16)
        scores = write_wide(tmp_path / "scores.csv", IDS, {name: draw(rng) for name, draw in case.probes.items()})
        items = ("--items", write_wide(tmp_path / "items.csv", IDS, case.items)) if case.items else ()
        return bestrand("compress", "scores", "--scores", scores, *items, *case.options, "--out", tmp_path / "suite")

    return call


@pytest.mark.parametrize("name", CASES)
def test_a_choice_is_refused_or_its_weakness_said(compress, tmp_path, name):
    case = CASES[name]
    ran = compress(case)
    assert ran.code == case.code, ran.err
    assert case.said in (ran.err if case.code else ran.out)
    assert (tmp_path / "suite").exists() == (case.code is ExitCode.OK)


def test_a_sound_choice_is_told_nothing(compress):
    """The other side: what is always said says nothing."""
    ran = compress(QUIET)
    assert QUIET.said in ran.out
    assert "note: " not in ran.out


def test_shares_of_the_spread():
    """Against the definition: a large unit weighs no more than another, and a metric that guides nothing not at all."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 3, 3)) * np.array([1.0, 2.0, 0.5])[:, None] * np.array([1.0, 1000.0, 1.0])
    values[:, 1, 2] *= 1e4
    values[:4, 1, 0] = np.nan
    specs = [MetricSpec("near"), MetricSpec("far"), MetricSpec("shown", select=False)]
    items = [str(number) for number in range(30)]
    frame = ScoreMatrix.from_arrays(values, items=items, policies=["a", "b", "c"], metrics=specs)
    expected = np.zeros(3)
    for metric in range(2):
        columns = [values[:, probe, metric] for probe in range(3)]
        squares = [np.nanvar(column) * np.sum(~np.isnan(column)) for column in columns]
        expected += np.array(squares) / np.sum(squares) / 2
    assert list(spread_shares(frame).values()) == pytest.approx(list(expected), rel=1e-5)
