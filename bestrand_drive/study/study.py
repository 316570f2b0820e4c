"""Running a study: cells by blocks of seeds, several at once, resumed from what is kept."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import asdict, dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

import torch

from bestrand_drive.compression.pool import kept_items
from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.cells import (
    Cell,
    Outcome,
    blocks,
    check_part,
    joined,
    measure,
    part_path,
    read_part,
    write_part,
)
from bestrand_drive.study.measures import measures
from bestrand_drive.study.pairs import check_needs, check_pairs, serving
from bestrand_drive.study.problem import Problem

Row = dict[str, str | int | float | None]
Progress = Callable[[int, int, str], None]
"""``progress(done, total, what)``, called after every block."""


@dataclass(frozen=True)
class Plan:
    """What a study measures.

    Attributes:
        entries: Benchmarks, each with the ways to choose (a sweep's variants of one are entries of their own).
        estimators: Names; None for each selector's own.
        keeps: Shares of the items.
        seeds: How many.
        folder: Of the part files.
    """

    entries: Sequence[tuple[Problem, Sequence[Arm]]]
    estimators: Sequence[str | None]
    keeps: Sequence[float]
    seeds: int
    folder: Path

    def groups(self) -> Iterator[list[Cell]]:
        """Cells of one entry and size, which are compared with each other, in the order of the rows."""
        for problem, arms in self.entries:
            for keep in self.keeps:
                k = kept_items(len(problem.scores.items), keep)
                yield [
                    Cell(problem, arm, estimator, k, keep)
                    for arm in arms
                    for estimator in serving(arm, self.estimators, len(problem.scores.items), k)
                ]

    def left_out(self) -> list[str]:
        """Pairs of selectors and estimators that cannot be, a sentence each.

        Raises:
            UsageError: A selector or an estimator is left without a partner, or lacks what it needs.
        """
        notes: dict[str, None] = {}
        for problem, arms in self.entries:
            items = len(problem.scores.items)
            sizes = [kept_items(items, keep) for keep in self.keeps]
            notes |= dict.fromkeys(check_pairs(arms, self.estimators, items, sizes))
            check_needs(problem, arms, self.estimators, self.seeds)
        return list(notes)

    def cells(self) -> list[Cell]:
        """All cells."""
        return [cell for group in self.groups() for cell in group]


def run_study(plan: Plan, workers: int, progress: Progress) -> list[Row]:
    """Compute what is not kept yet, then summarise.

    Args:
        plan: What to measure.
        workers: Processes; 1 computes in this one.
        progress: Is told of every block.

    Raises:
        DataRefused: A part that is there is damaged.
        EnvironmentFault: A worker process was killed.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    cells = plan.cells()
    tasks = [(number, block) for number, cell in enumerate(cells) for block in blocks(plan.seeds)]
    todo = [(n, block) for n, block in tasks if not part_path(plan.folder, cells[n], block).exists()]
    for number, block in tasks:  # what is there is looked at before hours are spent on the rest
        if (path := part_path(plan.folder, cells[number], block)).exists():
            check_part(path, cells[number], block)
    done = len(tasks) - len(todo)
    progress(done, len(tasks), f"{done} blocks were there already" if done else "")
    with closing(_computed(cells, todo, plan.folder, workers)) as computed:
        for number, block in computed:
            done += 1
            cell = cells[number]
            what = f"{cell.problem.name} {cell.arm.label} k={cell.k} seeds {block.start}-{block.stop - 1}"
            progress(done, len(tasks), what)
    return summarised(plan)


_CELLS: Sequence[Cell] = ()
"""In a worker process: the cells, inherited by the fork."""
LOOK_S = 1.0
"""Seconds between looks of a worker process whether the one that started it is still there."""
Block = tuple[int, range]
"""Number of a cell, and seeds of it."""


def _computed(cells: Sequence[Cell], todo: Sequence[Block], folder: Path, workers: int) -> Generator[Block, None, None]:
    """Compute and keep blocks; yields each as it is done.

    Raises:
        EnvironmentFault: A worker process was killed.
    """
    if workers > 1 and len(todo) > 1:
        yield from _shared_out(cells, todo, folder, workers)
        return
    for number, block in todo:
        write_part(part_path(folder, cells[number], block), measure(cells[number], block))
        yield number, block


def _shared_out(
    cells: Sequence[Cell], todo: Sequence[Block], folder: Path, workers: int
) -> Generator[Block, None, None]:
    """The same in worker processes; whatever ends it early ends them too, in the middle of their blocks."""
    global _CELLS  # noqa: PLW0603  problems hold closures, which cannot be pickled; a fork inherits them
    _CELLS = cells
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a fork of a process whose threads are running cannot use threads itself
    fork = multiprocessing.get_context("fork")
    over = fork.Event()
    count = min(workers, len(todo))  # all are forked at once
    with ProcessPoolExecutor(count, mp_context=fork, initializer=_alone, initargs=(os.getpid(), over)) as executor:
        try:
            waiting = {executor.submit(_task, number, block, folder) for number, block in todo}
            while waiting:
                ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in ended:
                    yield future.result()
        except BrokenProcessPool as error:
            raise EnvironmentFault(
                "a worker process of the study was killed, perhaps for want of memory. The blocks that were done are "
                "kept: give the same command again, with fewer --workers."
            ) from error
        except BaseException:
            over.set()
            executor.shutdown(wait=True, cancel_futures=True)
            raise
        finally:
            torch.set_num_threads(threads)
            _CELLS = ()


def _alone(driver: int, over: Event) -> None:
    """In a worker process: one thread for the work, and an end when the one that hands it out ends or says so.

    Ctrl-C reaches all processes of a terminal. A worker would take it for an error of its block and begin the next.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)
    threading.Thread(target=_end_with, args=(driver, over), daemon=True).start()


def _end_with(driver: int, over: Event) -> None:
    """Workers hold both ends of their queue, so that one whose driver was killed would wait for ever."""
    while os.getppid() == driver and not over.wait(LOOK_S):
        pass
    os._exit(0)


def _task(number: int, block: range, folder: Path) -> Block:
    write_part(part_path(folder, _CELLS[number], block), measure(_CELLS[number], block))
    return number, block


def outcome_of(plan: Plan, cell: Cell) -> Outcome:
    """All blocks of a cell, read from the folder."""
    return joined([read_part(part_path(plan.folder, cell, block)) for block in blocks(plan.seeds)])


def summarised(plan: Plan) -> list[Row]:
    """One row a cell and reported metric, from kept parts only."""
    return [row for group in plan.groups() for row in _group_rows(plan, group)]


def _group_rows(plan: Plan, group: Sequence[Cell]) -> Iterator[Row]:
    """Rows of one entry and size; risks are against random's plain mean (its first estimator where that is absent)."""
    outcomes = [outcome_of(plan, cell) for cell in group]
    drawn = [one for cell, one in zip(group, outcomes, strict=True) if cell.arm.selector == "random"]
    random = next((one for one in drawn if one.estimator == "mean"), drawn[0] if drawn else None)
    for cell, outcome in zip(group, outcomes, strict=True):
        for number, metric in enumerate(cell.problem.metric_names):
            head: Row = {
                "benchmark": cell.problem.name,
                "selector": cell.arm.label,
                "estimator": outcome.estimator,
                "metric": metric,
                "keep": cell.keep,
                "k": cell.k,
                "seeds": plan.seeds,
            }
            split: Row = {"split": cell.problem.split_kind, "probes": float(outcome.probes.mean())}
            yield head | asdict(measures(cell, outcome, number, random)) | split
