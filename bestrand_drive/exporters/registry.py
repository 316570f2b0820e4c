"""Which exporters there are, and which one goes with logs of which tool."""

from __future__ import annotations

from collections.abc import Mapping

from bestrand_drive.errors import UsageError, choices
from bestrand_drive.exporters import (
    bfcl,
    ids,
    inspect_sample_ids,
    leaderboard,
    lm_eval_samples,
    node_ids,
    swebench,
)
from bestrand_drive.exporters.contract import Exporter

_MODULES = (lm_eval_samples, inspect_sample_ids, bfcl, swebench, node_ids, leaderboard, ids)
EXPORTERS: Mapping[str, Exporter] = {module.EXPORTER.name: module.EXPORTER for module in _MODULES}
OF_LOGS: Mapping[str, str] = {
    "lm-eval": "lm-eval-samples",
    "inspect": "inspect-sample-ids",
    "bfcl": "bfcl",
    "swe-bench": "swebench",
    "pytest": "pytest-ids",
}
"""Format of the logs that a table was imported from -> format to export to; ids for all others."""


def find_exporter(name: str, *, driving: bool) -> Exporter:
    """The exporter of a format.

    Raises:
        UsageError: There is none, or it is not of such suites; the message lists those that are.
    """
    fitting = [one for one in EXPORTERS.values() if one.kind in ("any", "driving" if driving else "table")]
    if name not in {one.name for one in fitting}:
        what = "this suite is of driving" if driving else "this suite is of a table"
        why = f"; {what}" if name in EXPORTERS else ""
        raise UsageError(f"--format {name}{why}; known are {choices(name, [one.name for one in fitting])}")
    return EXPORTERS[name]


def default_format(logs: str | None, *, driving: bool) -> str:
    """The format that goes with a suite.

    Args:
        logs: Format that its table was imported from, or None.
        driving: Whether it is of routes.
    """
    return "leaderboard" if driving else OF_LOGS.get(logs or "", "ids")
