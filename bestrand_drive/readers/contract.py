"""What a reader of evaluation logs is: a name, what it recognises, and rows in the tool's own units.

Another package adds one through the entry-point group ``bestrand_drive.readers``: its name is the format's, its value
names a module-level ``Reader``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pandas as pd


class Row(NamedTuple):
    """One score of one model on one item.

    Attributes:
        item: The benchmark's own id of it, unique in its task.
        model: Who was evaluated; a name given on the command line goes before.
        value: In the tool's units; NaN where the item was not scored (an error of the machinery), which is another
            thing than a wrong answer.
        metric: What was measured.
        task: What the benchmark is called in the tool.
        filter: By which rule the answer was taken out of the output, or "" where there is but one.
        repeat: Which of several runs of one model on the item.
        content: Hash of what was asked, or "" when the tool keeps none: rows are joined by it.
        category: A disjoint kind of items, or "".
        cost_s: Seconds that this took, NaN when unknown.
        aside: Whether it is no score but a figure beside it (cost, latency): left out unless it is asked for by name.
        source: File it was read from.
    """

    item: str
    model: str
    value: float
    metric: str = "score"
    task: str = ""
    filter: str = ""
    repeat: str = "0"
    content: str = ""
    category: str = ""
    cost_s: float = float("nan")
    aside: bool = False
    source: str = ""


@dataclass(frozen=True)
class Scale:
    """Least and greatest possible value of a metric in the tool's units (None: unknown), and which is better."""

    low: float | None = None
    high: float | None = None
    higher_is_better: bool = True


def fits(task: str, pattern: str) -> bool:
    """Whether a task is meant by a name with shell wildcards, or is called exactly so."""
    return task == pattern or fnmatchcase(task, pattern)


@dataclass
class Intake:
    """What a reader tells beside its rows, and asks about what is wanted.

    Attributes:
        patterns: Tasks that are wanted, with shell wildcards; empty for all.
        tasks: Task -> how many files or parts of it there are, wanted or not.
        counts: What was left out, and how often.
        examples: Where each of those was met first.
        versions: What wrote the logs -> its version.
        notes: What else a user should know, as sentences.
        macro: Whether the benchmark's own number averages its categories alike.
    """

    patterns: Collection[str] = ()
    tasks: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    versions: dict[str, set[str]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    macro: bool = False

    def wants(self, task: str) -> bool:
        """Whether rows of a task are of use; a reader asks before it reads a file that is of one task."""
        self.tasks[task] += 1
        return not self.patterns or any(fits(task, pattern) for pattern in self.patterns)

    def leave_out(self, why: str, where: object, count: int = 1) -> None:
        """Count what is not in the rows; ``why`` is a noun phrase such as ``answers without a grade``."""
        self.counts[why] += count
        self.examples.setdefault(why, str(where))

    def version(self, tool: str, version: object) -> None:
        """Say which version of a tool (or of a task) wrote the logs."""
        self.versions.setdefault(tool, set()).add(str(version))

    def note(self, sentence: str) -> None:
        """Say what a user should know of these logs; the same sentence is said once."""
        self.notes[sentence] = None

    def average_categories(self) -> None:
        """Say that the benchmark's own number is the mean over its categories, whatever their sizes."""
        self.macro = True

    def said(self) -> list[str]:
        """What was left out, and the notes, as sentences."""
        left_out = [f"{count} {why} left out, first in {self.examples[why]}" for why, count in self.counts.items()]
        return [*left_out, *self.notes]


def no_scale(metric: str) -> Scale | None:
    """For tools that state no bounds."""
    return None


@dataclass(frozen=True)
class Reader:
    """A reader.

    Attributes:
        name: Of the format, as given to ``bestrand import``.
        recognises: Whether a file or folder holds logs of this form; looks at names and beginnings only.
        read: From one file or folder to rows: ``Row``, or data frames with columns named as its fields (``item`` and
            ``value`` at least), many at once. It follows no link out of the path, unpickles nothing, holds no more than
            a file at once, and raises ``DataRefused`` on damage.
        scale: Bounds and direction of a metric by its name, or None when the tool states none.
        positional: Whether ids are mere positions, so that rows without a content hash cannot be joined.
    """

    name: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path, Intake], Iterator[Row | pd.DataFrame]]
    scale: Callable[[str], Scale | None] = no_scale
    positional: bool = False
