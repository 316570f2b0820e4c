"""The evaluators by name."""

from __future__ import annotations

from bestrand_drive.errors import UsageError, choices
from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.bench2drive import BENCH2DRIVE
from bestrand_drive.simulation.adapters.builtin import BUILTIN
from bestrand_drive.simulation.adapters.fail2drive import FAIL2DRIVE, FAIL2DRIVE_LOCAL

ADAPTERS = {adapter.name: adapter for adapter in (BENCH2DRIVE, FAIL2DRIVE, FAIL2DRIVE_LOCAL, BUILTIN)}


def find_adapter(name: str) -> Adapter:
    """The adapter of a name.

    Raises:
        UsageError: There is none.
    """
    if name not in ADAPTERS:
        raise UsageError(f"no evaluator is called {name!r}; there are {choices(name, ADAPTERS)}")
    return ADAPTERS[name]
