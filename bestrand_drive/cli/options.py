"""Option values that are more than one word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from bestrand_drive.errors import UsageError


def pairs(option: str, values: Sequence[str]) -> dict[str, str]:
    """Parse repeated ``NAME=VALUE``.

    Raises:
        UsageError: A value has no name or no value, or a name comes twice.
    """
    out: dict[str, str] = {}
    for value in values:
        name, sign, rest = value.partition("=")
        if not (name and sign and rest):
            raise UsageError(f"{option} {value!r}: write NAME=VALUE.")
        if name in out:
            raise UsageError(f"{option}: {name} is given twice.")
        out[name] = rest
    return out


def path_pairs(option: str, values: Sequence[str]) -> dict[str, Path]:
    """Parse repeated ``NAME=PATH``; a plain path takes its last part as the name."""
    from bestrand_drive.workflows.estimating.targets import policy_name  # noqa: PLC0415  brings torch, which not every command needs

    named = [value if "=" in value else f"{policy_name(Path(value))}={value}" for value in values]
    paths = {name: Path(text) for name, text in pairs(option, named).items()}
    for name, path in paths.items():
        if not path.exists():
            raise UsageError(f"{option} {name}={path}: there is no such file or folder.")
    return paths


def name_lists(option: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Parse repeated ``NAME=A,B``."""
    return {name: comma_list(text) for name, text in pairs(option, values).items()}


def comma_list(text: str) -> tuple[str, ...]:
    """Split at commas, dropping blanks and repeats."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def metric_weights(values: Sequence[str]) -> dict[str, float]:
    """Parse repeated ``NAME`` or ``NAME=WEIGHT``.

    Raises:
        UsageError: A weight is not a number.
    """
    named = pairs("--metric", [value if "=" in value else f"{value}=1" for value in values])
    try:
        return {name: float(text) for name, text in named.items()}
    except ValueError as error:
        raise UsageError(f"--metric: {error}; write NAME or NAME=WEIGHT.") from error


def numbers(option: str, values: Sequence[str], word: str = "NUMBER") -> dict[str, float]:
    """Parse repeated ``NAME=NUMBER``.

    Args:
        option: For messages.
        values: As they are given.
        word: What the number is, for messages.

    Raises:
        UsageError: A value is not a number; NaN is none.
    """
    try:
        found = {name: float(text) for name, text in pairs(option, values).items()}
    except ValueError as error:
        raise UsageError(f"{option}: {error}; write NAME={word}.") from error
    for name in (name for name, number in found.items() if math.isnan(number)):
        raise UsageError(f"{option} {name}=nan: write NAME={word}.")
    return found


def number_ranges(option: str, values: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Parse repeated ``NAME=LOW:HIGH``.

    Raises:
        UsageError: A range is not two numbers, the first below the second.
    """
    out = {}
    for name, text in pairs(option, values).items():
        low, _, high = text.partition(":")
        try:
            out[name] = (float(low), float(high))
        except ValueError as error:
            raise UsageError(f"{option} {name}={text}: write NAME=LOW:HIGH, such as accuracy=0:100.") from error
        if not (math.isfinite(out[name][0]) and math.isfinite(out[name][1]) and out[name][0] < out[name][1]):
            raise UsageError(f"{option} {name}={text}: two finite numbers; the first number must be below the second.")
    return out


def open_ranges(option: str, values: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Parse repeated ``NAME=LOW:HIGH`` of which either end may be left open, as in ``latency=0:``.

    Raises:
        UsageError: There is no colon, an end is no number, or the first is not below the second.
    """
    out: dict[str, tuple[float | None, float | None]] = {}
    for name, text in pairs(option, values).items():
        low, colon, high = text.partition(":")
        if not colon or (low and high):
            out |= number_ranges(option, [f"{name}={text}"])
        else:
            end = numbers(option, [f"{name}={low or high}"])[name] if low or high else None
            if end is not None and not math.isfinite(end):
                raise UsageError(
                    f"{option} {name}={text}: leave an open end empty, as in {name}=0: for no upper bound."
                )
            out[name] = (end if low else None, end if high else None)
    return out
