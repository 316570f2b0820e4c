"""Damaged files are moved aside, under a name that tells where they lay; they are never deleted."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from bestrand_drive.simulation.attempts.layout import Layout


def set_aside(path: Path, layout: Layout) -> Path:
    """Move a file of ``attempts/`` into the quarantine; its new place."""
    layout.quarantine.mkdir(exist_ok=True)
    for number in count(1):
        target = layout.quarantine / f"{path.parent.name}.{number}.{path.name}"
        if not target.exists():
            break
    os.rename(path, target)
    return target
