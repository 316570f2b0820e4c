"""``request.json`` of a run folder: what its last start was asked for, so that a route can be run once more later."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import dump_json, read_bytes, write_atomic
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.workflows.running.request_data import plain_data
from bestrand_drive.workflows.running.run_request import RunRequest

NOT_KEPT = "..."
"""In the place of the values of ``--env``: they may be secrets, and run folders are shared."""
_REQUEST = TypeAdapter(RunRequest)


def keep_request(layout: Layout, request: RunRequest) -> None:
    """Write it down, in the place of an earlier start's.

    Raises:
        OSError: The disk is full or not writable; what was there still is.
    """
    told = replace(request, variables=dict.fromkeys(request.variables, NOT_KEPT))
    write_atomic(layout.request, dump_json(plain_data(told)))


def kept_request(folder: Path) -> RunRequest | None:
    """What a run folder's last start was asked for; None when nothing tells, or a later version wrote it."""
    path = Layout(folder).request
    if not path.is_file():
        return None
    try:
        return _REQUEST.validate_json(read_bytes(path))
    except (DataRefused, ValidationError):
        return None
