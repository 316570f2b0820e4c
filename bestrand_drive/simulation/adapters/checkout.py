"""A benchmark's checkout: whether it is one, which evaluators it has, and which version of them."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.files import read_bytes

MAIN = Path("leaderboard/leaderboard/leaderboard_evaluator.py")
_CODE = ("leaderboard/leaderboard", "scenario_runner/srunner")
"""What decides scores: the evaluator and its scenarios."""
_LIMIT_MIB = 16
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*")
"""Git that starts no program of the checkout's configuration."""
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""Variables of hooks (``git rev-parse --local-env-vars``): with them git speaks of another repository."""
_GIT_S = 60


@dataclass(frozen=True)
class Checkout:
    """A checkout that holds an evaluator.

    Attributes:
        root: Its absolute path.
        script: The evaluator in it.
        commit: See ``version_of``.
        towns: The user's folder of further towns, for an evaluator of ours.
    """

    root: Path
    script: Path
    commit: str
    towns: Path | None = None


def flags_of(source: str, where: str) -> frozenset[str]:
    """The long options that a program defines with ``add_argument``.

    Args:
        source: Its text; it is parsed, never run.
        where: For the message.

    Raises:
        UsageError: It is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not a Python program ({error}). Give another --root.") from error
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    texts = (part for call in calls if _adds(call) for part in call.args if isinstance(part, ast.Constant))
    return frozenset(text.value for text in texts if isinstance(text.value, str) and text.value.startswith("--"))


def _adds(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"


def script_flags(root: Path, script: Path) -> frozenset[str] | None:
    """The options of an evaluator, None where there is none."""
    path = root / script
    if not path.is_file():
        return None
    return flags_of(read_bytes(path, limit_mib=_LIMIT_MIB).decode("utf-8", "replace"), str(path))


def version_of(root: Path) -> str:
    """What tells one state of the evaluator's code from another.

    The commit; with ``+`` and eight digits of a hash over the code where that differs from the commit; ``code-`` and
    sixteen digits where git does not know the code, or is not there.
    """
    if _git(root, "ls-files", "--error-unmatch", "--", str(MAIN)) is None:
        return f"code-{code_hash(root)[:16]}"
    commit = (_git(root, "rev-parse", "HEAD") or "").strip()
    if not commit:
        return f"code-{code_hash(root)[:16]}"
    changed = _git(root, "diff", "--no-ext-diff", "--no-textconv", "--name-only", "HEAD", "--", *_CODE)
    return commit if changed == "" else f"{commit}+{code_hash(root)[:8]}"


def code_hash(root: Path) -> str:
    """Hex SHA-256 over the evaluator's and the scenarios' Python files: relative paths and contents."""
    digest = hashlib.sha256()
    for folder in _CODE:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode("utf-8", "surrogateescape"))
            digest.update(hashlib.sha256(read_bytes(path, limit_mib=_LIMIT_MIB)).digest())
    return digest.hexdigest()


def _git(root: Path, *arguments: str) -> str | None:
    """What git says; None when it fails."""
    command = [*_GIT, "-C", str(root), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(  # noqa: S603  a fixed program, arguments as a list
            command, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=_GIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
