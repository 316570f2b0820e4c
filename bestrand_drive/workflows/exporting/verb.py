"""Exporting, as the command and a Python user call it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.registry import default_format, find_exporter
from bestrand_drive.files import write_atomic
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.exporting.receipt import SUFFIX, receipt, receipt_bytes
from bestrand_drive.workflows.exporting.subset import subset_of
from bestrand_drive.workflows.importing.target_logs import suite_spec

PathLike = str | Path


@dataclass(frozen=True)
class Exported:
    """A file for another tool.

    Attributes:
        content: Its bytes.
        receipt: What goes beside it.
        files: What was written: the file and its receipt; empty without ``out``.
    """

    content: bytes
    receipt: dict[str, Any]
    files: tuple[Path, ...] = ()

    @property
    def usage(self) -> str:
        """The command that runs these items only."""
        return str(self.receipt["usage"])


def export(suite: PathLike, form: str | None = None, *, out: PathLike | None = None, force: bool = False) -> Exported:
    """Write the chosen items as another tool takes them, with a receipt beside the file.

    Args:
        suite: Suite folder; of a table its ``suite.json`` does too.
        form: Name of an exporter, such as ``lm-eval-samples``; None takes the one of the tool whose logs were imported.
        out: File to write; None writes nothing.
        force: Replace files that are there.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    folder, target = Path(suite), None if out is None else Path(out)
    known = read_suite(folder)
    if target is not None:
        _check_out(target, folder, force=force)
    driving = known.benchmark != TABLE
    logs = None if known.imported is None else suite_spec(known).format
    exporter = find_exporter(form or default_format(logs, driving=driving), driving=driving)
    subset = subset_of(known, folder)
    content = exporter.write(subset)
    told = receipt(known, subset, exporter, "" if target is None else target.name, content)
    if target is None:
        return Exported(content, told)
    beside = _receipt_of(target)
    write_atomic(target, content)
    write_atomic(beside, receipt_bytes(told))
    return Exported(content, told, (target, beside))


def _receipt_of(out: Path) -> Path:
    return out.with_name(out.name + SUFFIX)


def _check_out(out: Path, suite: Path, *, force: bool) -> None:
    """Refuse a place that is taken, or the suite's own folder, which nothing else may lie in."""
    if not out.resolve().parent.is_dir():
        raise UsageError(f"--out {out}: the folder {out.parent} does not exist; make it first.")
    home = suite.resolve() if suite.is_dir() else suite.resolve().parent
    if out.resolve().is_relative_to(home):
        raise UsageError(f"--out {out}: lies in the suite's own folder; give a file beside it.")
    for path in (out, _receipt_of(out)):
        if path.is_dir() or (path.exists() and not force):
            raise UsageError(f"--out {path}: is there already; add --force to replace it.")
