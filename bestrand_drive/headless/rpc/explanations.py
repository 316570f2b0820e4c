"""From an exception to what a client is told."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from bestrand_drive.errors import BestrandError
from bestrand_drive.headless.rpc.context import Refused

_HERE = Path(__file__).parent
_ARGUMENT_FAULTS = (TypeError, ValueError, LookupError, OverflowError, RecursionError)


def explain(name: str, error: Exception) -> str:
    """The message for the client; a fault that is ours is also printed with its traceback."""
    if isinstance(error, BestrandError | Refused):
        return str(error)
    if isinstance(error, _ARGUMENT_FAULTS) and _raised_by_arguments(error):
        return f"{name}: arguments that cannot be read ({error})"
    print(f"headless server: a defect while answering {name}:", file=sys.stderr)
    traceback.print_exception(error)
    return f"{name}: internal error of the headless server ({type(error).__name__}: {error})"


def _raised_by_arguments(error: BaseException) -> bool:
    """Whether reading the arguments failed: the innermost frame is in this folder, not in the world."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(frames[-1].filename).parent == _HERE
