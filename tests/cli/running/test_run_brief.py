"""What a run of many short routes says to a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestrand_drive.cli.running.run_brief import PARTS, BriefLines
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.engines.books import Settled
from bestrand_drive.simulation.slots.cell import Finished
from tests.cli.running.test_run import CELL, SITUATION, a_console, said_by
from tests.simulation.attempts.made import failed, key, scored


def drive(lines: BriefLines, attempt: Attempt) -> None:
    lines.started(CELL, 0)
    lines.ended(Finished(CELL, attempt, b"", None, Path(), Path()), Settled(attempt))


@pytest.mark.parametrize("count", [1, 7, 40, 330])
def test_it_says_at_most_a_line_a_tenth_and_the_last_one_tells_that_nothing_is_left(count):
    out = a_console()
    lines = BriefLines(out, lambda *_: "", count)
    for done in range(count):
        lines.look([SITUATION], count - done - 1)
        drive(lines, scored(2, key(1711), wall_s=1.0))
    said = said_by(out)
    assert len(said) == min(count, PARTS)
    assert said[-1].startswith(f"{count} ended, 0 run, 0 wait")


def test_an_attempt_without_a_result_is_told():
    out = a_console()
    drive(BriefLines(out, lambda *_: "the command", 40), failed(1, key(1711), wall_s=1.0))
    assert "route 1711, repeat 0: no result" in said_by(out)[0]
    assert said_by(out)[-1] == "  again: the command"
