"""A run as it is asked for, as plain data: what its folder remembers, and what a driver tells workers elsewhere."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bestrand_drive.errors import DataRefused
from bestrand_drive.workflows.running.run_request import RunRequest

_REQUEST = TypeAdapter(RunRequest)
_DRIVERS = frozenset(
    {"ray_address", "ray_resource", "slurm", "scratch", "durations", "until", "until_interval", "level"}
)
"""Fields that only the driver needs: the order, when it is enough, who is to work. Workers have them at their defaults,
since some are refused without others."""


def plain_data(request: RunRequest) -> dict[str, Any]:
    """The request in terms of JSON, the same for the same request."""
    data: dict[str, Any] = _REQUEST.dump_python(request, mode="json")
    return {**data, "keep": sorted(data["keep"])}


def request_data(request: RunRequest) -> dict[str, Any]:
    """The request as workers need it: without what only the driver does."""
    data = plain_data(replace(request, engine="workers"))
    return {name: value for name, value in data.items() if name not in _DRIVERS}


def request_of(data: dict[str, Any], folder: str) -> RunRequest:
    """The request again.

    Args:
        data: What ``request_data`` gave.
        folder: From which its relative paths are meant; this process goes there.

    Raises:
        DataRefused: It is none, or there is no such folder here.
    """
    try:
        os.chdir(folder)
        return _REQUEST.validate_python(data)
    except ValidationError as error:
        raise DataRefused(f"the driver's request cannot be read ({error.errors()[0]['msg']}).") from error
    except OSError as error:
        raise DataRefused(
            f"{folder}: the folder in which the driver was started is not there on this host ({error.strerror}). Run "
            "from one that all hosts see."
        ) from error
