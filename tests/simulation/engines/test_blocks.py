"""Cells block by block: a later block begins when nothing before it waits, and whole blocks are told as they come."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest

from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.engines import dispatch
from bestrand_drive.simulation.engines.blocks import Blocks
from bestrand_drive.simulation.engines.books import Books
from bestrand_drive.simulation.engines.breaker import Breaker
from bestrand_drive.simulation.engines.dispatch import Brakes, Engine
from bestrand_drive.simulation.engines.waiting import Waiting
from bestrand_drive.simulation.slots.cell import Cell
from tests.conftest import Builders
from tests.simulation.attempts.made import empty_store, key
from tests.simulation.engines.toys import Heard, Toy, ToyCrew

FILE = parse_routes(Path("routes.xml"), Builders.routes(Builders.route(1)))


class Told:
    """A judge for whom so many blocks are enough."""

    def __init__(self, wanted: int = 1_000_000) -> None:
        self.wanted, self.heard = wanted, list[int]()

    def whole(self, blocks: int) -> None:
        """See ``Judge``."""
        self.heard.append(blocks)

    @property
    def enough(self) -> bool:
        """See ``Judge``."""
        return bool(self.heard) and self.heard[-1] >= self.wanted


def plain(cells: list[Cell]) -> Waiting:
    return Waiting(cells, by_town=False)


def cells_of(blocks):
    return [Cell(key(route, repeat), 1, FILE) for block in blocks for route, repeat in block]


@pytest.mark.parametrize("seed", range(20))
def test_against_brute_force(seed):
    """Cells are taken, end, fail and come back, and given-up ones are revived, in any order."""
    draw = Random(seed)
    names = [(str(route), repeat) for route in range(12) for repeat in range(2)]
    blocks = [names[start : start + 6] for start in range(0, 24, 6)]
    open_cells = {cell.key.cell: cell for cell in cells_of(blocks) if draw.random() < 0.8}
    number = {name: count for count, block in enumerate(blocks) for name in block}
    judge = Told()
    source = Blocks(blocks, open_cells.values(), plain, judge)
    waits, runs, over = set(open_cells), set(), set()
    for _ in range(200):
        left = [bool((waits | runs) & set(block)) for block in blocks]
        whole = left.index(True) if any(left) else len(blocks)
        assert (judge.heard[-1] if judge.heard else 0) == whole
        assert len(source) == len(waits)
        event = draw.choice(["take", "take", "over", "fail", "revive"])
        if event == "take":
            taken = source.take()
            assert (taken is None) == (not waits)
            if taken:
                assert number[taken.key.cell] == min(number[name] for name in waits)
                waits.remove(taken.key.cell)
                runs.add(taken.key.cell)
        elif event == "revive" and over and draw.random() < 0.2:
            name = draw.choice(sorted(over))
            source.put_back(open_cells[name])
            over.remove(name)
            waits.add(name)
        elif event in ("over", "fail") and runs:
            name = draw.choice(sorted(runs))
            runs.remove(name)
            (source.over if event == "over" else source.put_back)(open_cells[name])
            (over if event == "over" else waits).add(name)
    assert all(first != second for first, second in zip(judge.heard, judge.heard[1:], strict=False))


def test_what_was_whole_before_is_told_at_once():
    blocks = [[("1", 0)], [("2", 0)], [("3", 0)]]
    judge = Told()
    Blocks(blocks, cells_of(blocks[2:]), plain, judge)
    assert judge.heard == [2]
    done = Told()
    assert not Blocks(blocks, [], plain, done)
    assert done.heard == [3]


def test_the_engine_stops_in_peace_when_it_is_enough(tmp_path, monkeypatch):
    """A route that is given up makes its block whole, too; nothing of the third block is begun by two slots."""
    monkeypatch.setattr(dispatch, "_PAUSE_S", 0.002)
    store, keys = empty_store(tmp_path), [key(route) for route in range(1, 13)]
    store.layout.results.mkdir()
    books, heard = Books(store, dict.fromkeys(map(str, range(1, 13)), FILE), Breaker(2), max_attempts=2), Heard()
    blocks = [[one.cell for one in keys[start : start + 4]] for start in range(0, 12, 4)]
    judge = Told(2)
    brakes = Brakes(heard)

    def ends(_, cell):
        while int(cell.key.route_id) > 8 and not brakes.pulled:
            time.sleep(0.001)
        return Reason.LOAD_HANG if cell.key.route_id == "7" else None

    Engine(ToyCrew(Toy(0, ends), Toy(1, ends)), books, heard, brakes).run(
        Blocks(blocks, books.cells(books.plan(keys)), plain, judge)
    )
    made = {one.key.route_id for one in books.made}
    assert {str(route) for route in range(1, 9)} <= made
    assert not {"11", "12"} & made, "at most what began while the last of the second block ran"
    assert [one.number for one in books.made if one.key.route_id == "7"] == [1, 2]
    assert judge.heard[-1] == 2
    assert brakes.pulled
