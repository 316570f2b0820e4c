"""Which readers there are: those of this package, and what other packages add."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from bestrand_drive.errors import EnvironmentFault, UsageError, choices
from bestrand_drive.readers.contract import Reader

GROUP = "bestrand_drive.readers"
BUILT_IN: Mapping[str, str] = {
    "bfcl": "bestrand_drive.readers.bfcl",
    "helm": "bestrand_drive.readers.helm",
    "inspect": "bestrand_drive.readers.inspect_ai",
    "lm-eval": "bestrand_drive.readers.lm_eval",
    "lmms-eval": "bestrand_drive.readers.lmms_eval",
    "navsim": "bestrand_drive.readers.navsim",
    "opencompass": "bestrand_drive.readers.opencompass",
    "plain": "bestrand_drive.readers.plain",
    "pytest": "bestrand_drive.readers.report_log",
    "swe-bench": "bestrand_drive.readers.swe_bench",
    "tau": "bestrand_drive.readers.tau",
    "vlmevalkit": "bestrand_drive.readers.vlmevalkit",
}
"""Format -> module that holds its ``READER``."""


def reader_names() -> list[str]:
    """Formats that can be read, our own first."""
    return [*BUILT_IN, *sorted(set(_added()) - set(BUILT_IN))]


def find_reader(name: str) -> Reader:
    """The reader of a format.

    Raises:
        UsageError: There is none; the message lists those there are.
        EnvironmentFault: Another package's reader cannot be loaded.
    """
    if name in BUILT_IN:
        reader: Reader = import_module(BUILT_IN[name]).READER
        return reader
    added = _added()
    if name not in added:
        raise UsageError(f"No reader of {name!r}; known are {choices(name, reader_names())}")
    return _loaded(added[name])


def _added() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: EntryPoint) -> Reader:
    package = entry.dist.name if entry.dist else "another package"
    try:
        reader = entry.load()
    except Exception as error:
        raise EnvironmentFault(f"The reader {entry.name!r} of {package} cannot be loaded: {error!r}.") from error
    if not isinstance(reader, Reader) or reader.name != entry.name:
        raise EnvironmentFault(f"{package}: {entry.value} is no Reader named {entry.name!r}; ask its maker to mend it.")
    return reader
