"""One cell of a study: one benchmark, arm and size over many seeds, in blocks that are kept on their own."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes, sha256_bytes, write_new
from bestrand_drive.study.arms import FAST, Arm
from bestrand_drive.study.choosing import choose_batch
from bestrand_drive.study.estimating import Found, batch_estimates, estimator_of
from bestrand_drive.study.problem import Problem

BLOCK = 100
"""Seeds of one part file."""
FORMAT = 1
"""Of part files and of the draws in them; raised when either changes, so that old parts are not mixed with new ones."""
LEARNED_FORMAT = 2
"""The same for draws of selectors that learn from histories, which change on their own."""
Array = np.ndarray


@dataclass(frozen=True)
class Cell:
    """What is measured together.

    Attributes:
        problem: Benchmark.
        arm: How subsets are chosen.
        estimator: Name, or None for the selector's own.
        k: Size.
        keep: Share of the items that was asked for.
    """

    problem: Problem
    arm: Arm
    estimator: str | None
    k: int
    keep: float


@dataclass(frozen=True)
class Outcome:
    """What happened over seeds; all arrays are [seed, policy, reported metric].

    Attributes:
        estimator: That was used.
        error: float32, estimate less truth; NaN where the policy was no target or nothing was measured.
        covered: int8, 1 where the run interval held the truth, 0 where not, -1 without an interval.
        width: float32, of the run interval, metric units; NaN without one.
        probes: float64 [seed], mean number of probes that guided a choice.
    """

    estimator: str
    error: Array
    covered: Array
    width: Array
    probes: Array


def measure(cell: Cell, seeds: Sequence[int]) -> Outcome:
    """Choose and estimate once a seed and case.

    Args:
        cell: What.
        seeds: Any; the outcome of a seed does not depend on the others, as far as its subset does not.
    """
    problem = cell.problem
    roles = [problem.split(seed) for seed in seeds]
    whole: Found | None = None
    name = ""
    for case in range(len(roles[0])):
        chosen = choose_batch(problem, cell.arm, cell.k, seeds, [one[case] for one in roles], case)
        name = estimator_of(chosen[0], cell.arm.selector, cell.estimator)
        found = batch_estimates(problem, chosen, name)
        whole = found if whole is None else _laid_over(whole, found)
    if whole is None:
        raise DataRefused(f"{problem.name}: the split gives no targets.")
    slack = rounding(problem)
    inside = (whole.low - slack <= problem.truth) & (problem.truth <= whole.high + slack)
    return Outcome(
        estimator=name,
        error=(whole.value - problem.truth).astype(np.float32),
        covered=np.where(np.isnan(whole.low) | np.isnan(problem.truth), -1, inside).astype(np.int8),
        width=(whole.high - whole.low).astype(np.float32),
        probes=np.array([np.mean([len(one.probes) for one in several]) for several in roles]),
    )


def rounding(problem: Problem) -> Array:
    """What of an error is rounding alone, float64 [policy, reported metric]: it grows with the size of the values."""
    ranges = np.nanmax(problem.values, axis=(0, 1)) - np.nanmin(problem.values, axis=(0, 1))
    wide = np.concatenate([ranges, np.full(len(problem.harmonic), 100.0)])
    return np.asarray(1e-9 * wide + 1e-12 * np.abs(problem.truth))


def _laid_over(first: Found, second: Found) -> Found:
    """Two cases in one: no policy is a target of both."""
    parts = zip((first.value, first.low, first.high), (second.value, second.low, second.high), strict=True)
    return Found(*(np.where(np.isnan(one), two, one) for one, two in parts))


def blocks(seeds: int) -> Iterator[range]:
    """Seeds 0 .. seeds - 1 in blocks."""
    for start in range(0, seeds, BLOCK):
        yield range(start, min(start + BLOCK, seeds))


def part_path(folder: Path, cell: Cell, block: range) -> Path:
    """Where a block is kept: a readable name, and a digest of all that its content depends on."""
    key = [FORMAT, cell.problem.digest, cell.arm, cell.estimator, cell.k, block, *cell.problem.harmonic]
    key += [] if cell.arm.selector in FAST else [LEARNED_FORMAT]
    digest = sha256_bytes(repr(key).encode())[:12]
    words = [cell.problem.name, cell.arm.label, f"k{cell.k}", f"seeds{block.start}-{block.stop - 1}", digest]
    return folder / ("_".join(_plain(word) for word in words) + ".npz")


def _plain(word: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in word)


def write_part(path: Path, outcome: Outcome) -> None:
    """Keep a block; a part that is there already is the same and stays."""
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        estimator=np.array(outcome.estimator),
        error=outcome.error,
        covered=outcome.covered,
        width=outcome.width,
        probes=outcome.probes,
    )
    try:
        write_new(path, buffer.getvalue())
    except FileExistsError:
        return


def read_part(path: Path) -> Outcome:
    """Read a block.

    Raises:
        DataRefused: It is damaged; remove it, and it is computed again.
    """
    content = read_bytes(path)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as part:
            arrays = {name: part[name] for name in ("error", "covered", "width", "probes")}
            return Outcome(estimator=str(part["estimator"]), **arrays)
    except Exception as error:  # zip, zlib and numpy each raise their own
        raise DataRefused(f"{path}: a damaged part of a study ({error}); remove it and run again.") from error


def check_part(path: Path, cell: Cell, block: range) -> None:
    """Refuse a part that cannot be read or is of other targets, metrics or seeds.

    Raises:
        DataRefused: It names the file.
    """
    part = read_part(path)
    shape = (len(block), *cell.problem.truth.shape)
    arrays = (part.error, part.covered, part.width)
    if any(one.shape != shape for one in arrays) or part.probes.shape != shape[:1]:
        raise DataRefused(f"{path}: a damaged part of a study (not of this size); remove it and run again.")


def joined(parts: Sequence[Outcome]) -> Outcome:
    """Blocks one after the other."""
    return Outcome(
        estimator=parts[0].estimator,
        error=np.concatenate([part.error for part in parts]),
        covered=np.concatenate([part.covered for part in parts]),
        width=np.concatenate([part.width for part in parts]),
        probes=np.concatenate([part.probes for part in parts]),
    )
