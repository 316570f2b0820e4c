"""An example of a reader in a package of its own: everything that another package needs is here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bestrand_drive.readers.contract import Intake, Reader, Row, Scale


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.glob("*.quiz.json"))


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """One file a model, a list of ``{"q": ..., "points": 0 to 10, "kind": ...}``."""
    intake.version("quizlog", "1.0")
    for file in _files(path):
        for number, row in enumerate(json.loads(file.read_text())):
            if "points" not in row:
                intake.leave_out("answers without points", f"{file}, answer {number + 1}")
                continue
            model = file.name.removesuffix(".quiz.json")
            yield Row(row["q"], model, row["points"], metric="points", category=row["kind"], source=str(file))


def recognises(path: Path) -> bool:
    """By the names of files."""
    return any(file.name.endswith(".quiz.json") for file in _files(path))


READER = Reader("quizlog", recognises, read, scale=lambda metric: Scale(0, 10))
