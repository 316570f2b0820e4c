"""The receipt of an exported file: what was chosen, from what, how, and hashes to prove it. No time, no host."""

from __future__ import annotations

from typing import Any

from bestrand_drive.exporters.contract import Exporter, Subset
from bestrand_drive.files import dump_json, sha256_bytes
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.suite_folder import version_of

VERSION = 1
PACKAGE = "bestrand-drive"
SUFFIX = ".receipt.json"
"""Behind the exported file's whole name."""


def receipt(suite: Suite, subset: Subset, exporter: Exporter, name: str, content: bytes) -> dict[str, Any]:
    """The receipt as it is written.

    Args:
        suite: What was exported.
        subset: Its chosen items.
        exporter: Who wrote the file.
        name: Of the file, without its folder; "" when it went to standard output.
        content: Of the file.
    """
    told: dict[str, Any] = {
        "receipt_version": VERSION,
        "format": exporter.name,
        "file": {"name": name, "sha256": sha256_bytes(content)},
        "usage": exporter.usage(subset, name or "FILE"),
        "suite": {
            "digest": suite.choice_digest(),
            "content_sha256": suite.content_sha256,
            "benchmark": suite.benchmark,
            "route_set": suite.route_set,
            "source_sha256": suite.source_sha256,
            "n": suite.n,
            "k": suite.k,
        },
        "choice": {
            "selector": suite.choice.selector,
            "seed": suite.choice.seed,
            "settings": dict(suite.choice.settings),
        },
        "versions": {PACKAGE: version_of(PACKAGE)},
        "ids_sha256": ids_digest(subset.ids),
        "ids": list(subset.ids),
    }
    if suite.imported is not None:
        told["imported"] = suite.imported
    return told


def receipt_bytes(told: dict[str, Any]) -> bytes:
    """The receipt's file."""
    return dump_json(told)


def ids_digest(ids: tuple[str, ...]) -> str:
    """SHA-256 of the ids, one a line: that of a table suite's ``items.txt``."""
    return sha256_bytes(("\n".join(ids) + "\n").encode())
