"""From an exception to what a client is told."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import TracebackType

from bestrand_drive.errors import BestrandError
from bestrand_drive.headless.rpc.context import Refused

_HERE = Path(__file__).parent
_LONGEST = 300
"""Characters of an exception's own words, which may quote an argument."""
_ARGUMENT_FAULTS = (TypeError, ValueError, LookupError, OverflowError, RecursionError)


def explain(name: str, error: Exception) -> str:
    """The message for the client; a fault that is ours is also printed with its traceback."""
    if isinstance(error, BestrandError | Refused):
        return str(error)
    if isinstance(error, _ARGUMENT_FAULTS) and _raised_by_arguments(error):
        return f"{name}: arguments that cannot be read ({str(error)[:_LONGEST]})"
    print(f"headless server: a defect while answering {name}:", file=sys.stderr)
    traceback.print_exception(error)
    return f"{name}: internal error of the headless server ({type(error).__name__}: {str(error)[:_LONGEST]})"


def _raised_by_arguments(error: BaseException) -> bool:
    """Whether reading the arguments failed: the innermost frame is in this folder, not in the world."""
    place = error.__traceback__
    return place is not None and Path(_innermost(place).tb_frame.f_code.co_filename).parent == _HERE


def _innermost(place: TracebackType) -> TracebackType:
    """Where an exception was raised; unlike ``traceback.extract_tb`` it reads no source, for it may happen often."""
    while place.tb_next is not None:
        place = place.tb_next
    return place
