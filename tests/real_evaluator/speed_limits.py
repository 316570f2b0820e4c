"""Fail2Drive looks speed limits up in ``speed_limits/<town>_speed_limits.npy`` of its scenario runner.

The files of its large towns may be absent (or pointers of git-lfs), and made towns have none. Then its scenario runner
is shown through a folder of links, in which such a town gets a file of one limit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

LIMIT_KMH = 50.0
"""Fail2Drive's own default for a town without signs."""
_WRITE = (
    "import sys, numpy as np;"
    "np.save(sys.argv[1], {'locations': np.zeros((1, 3)), 'speed_limits': np.array([float(sys.argv[2])])})"
)


def scenario_runner(root: Path, towns: Sequence[str], python: Path | str, folder: Path) -> Path:
    """The scenario runner, or links to it with the missing files beside.

    Args:
        root: ``scenario_runner`` of the checkout.
        towns: That are to be driven in.
        python: The evaluator's interpreter, which reads the files and so writes them.
        folder: Where to make the links.
    """
    missing = [town for town in towns if not _is_there(root / "speed_limits" / _name(town))]
    if not missing:
        return root
    limits = folder / "speed_limits"
    limits.mkdir(parents=True, exist_ok=True)
    _link(root / "srunner", folder / "srunner")
    for file in (root / "speed_limits").glob("*.npy"):
        if _is_there(file):
            _link(file, limits / file.name)
    for town in missing:
        subprocess.run([python, "-c", _WRITE, limits / _name(town), str(LIMIT_KMH)], check=True)
    return folder


def _name(town: str) -> str:
    return f"{town}_speed_limits.npy"


def _is_there(file: Path) -> bool:
    """It exists, as data."""
    return file.is_file() and file.read_bytes()[:6] == b"\x93NUMPY"


def _link(target: Path, link: Path) -> None:
    if not link.is_symlink():
        link.symlink_to(target)
