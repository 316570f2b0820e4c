"""One ordered fault, and how it is written: ``KIND[@tick=N|@load=TOWN][=VALUE][:p=PROBABILITY][:seed=SEED]``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bestrand_drive.errors import UsageError
from bestrand_drive.headless.town_names import plain_name

TIMED = ("crash", "hang", "oom-exit", "drop-stream")
"""Kinds that need a moment: a tick, counted from the server's start, or the load of a town."""
SLOW_START = "slow-start"
STDERR_FLOOD = "stderr-flood"
WRONG_VERSION = "wrong-version"
UNLIKELY_VERSION = "0.0.0"
"""What ``wrong-version`` announces when it names none."""

GRAMMAR = (
    f"faults are {', '.join(f'{kind}@tick=N' for kind in TIMED)} (or @load=TOWN in place of @tick=N), "
    f"{SLOW_START}=SECONDS, {STDERR_FLOOD}, {WRONG_VERSION}[=VERSION]; behind each, :p=0.3 gives a probability and "
    ":seed=7 a seed of its own"
)
_FORM = re.compile(
    r"(?P<kind>[a-z-]+)(?:@(?P<moment>tick|load)=(?P<at>[^:=@]+))?(?:=(?P<value>[^:=@]+))?(?P<chance>(?::[^:]*)*)"
)


@dataclass(frozen=True)
class Fault:
    """What is to go wrong, and when.

    Attributes:
        text: As it was ordered.
        kind: One of ``TIMED``, ``SLOW_START``, ``STDERR_FLOOD``, ``WRONG_VERSION``.
        tick: The tick in which it strikes, from 1; 0 for none.
        town: The town whose load it strikes, without folders; "" for none.
        seconds: Of a slow start.
        version: What a wrong version announces.
        probability: That this server has the fault at all.
        seed: Of that draw; none for the server's.
    """

    text: str
    kind: str
    tick: int = 0
    town: str = ""
    seconds: float = 0.0
    version: str = UNLIKELY_VERSION
    probability: float = 1.0
    seed: int | None = None


def parse_faults(texts: Iterable[str]) -> tuple[Fault, ...]:
    """Faults from option values, each of them one fault or several with commas between.

    Raises:
        UsageError: One is no fault; the message lists what is.
    """
    return tuple(_parse(part.strip()) for text in texts for part in text.split(","))


def _parse(text: str) -> Fault:
    form = _FORM.fullmatch(text)
    try:
        if form is None:
            raise ValueError("it cannot be read")
        fault = _at_moment(Fault(text, form["kind"]), form["moment"], form["at"])
        return _by_chance(_with_value(fault, form["value"]), form["chance"].split(":")[1:])
    except ValueError as error:
        raise UsageError(f"--fault {text!r}: {error}; {GRAMMAR}.") from error


def _at_moment(fault: Fault, moment: str | None, at: str | None) -> Fault:
    """With the tick or the town."""
    if fault.kind not in (*TIMED, SLOW_START, STDERR_FLOOD, WRONG_VERSION):
        raise ValueError(f"there is no {fault.kind}")
    if fault.kind not in TIMED:
        if moment:
            raise ValueError(f"{fault.kind} takes no @{moment}")
        return fault
    if at is None:
        raise ValueError(f"{fault.kind} needs @tick=N or @load=TOWN")
    if moment == "load":
        if not plain_name(at):
            raise ValueError(f"{at!r} is no town")
        return replace(fault, town=plain_name(at))
    return replace(fault, tick=_whole(at, "a tick", least=1))


def _with_value(fault: Fault, value: str | None) -> Fault:
    """With the seconds or the version."""
    if fault.kind == SLOW_START:
        return replace(fault, seconds=_number(value or "", "seconds", most=1e6))
    if fault.kind == WRONG_VERSION:
        return replace(fault, version=value or UNLIKELY_VERSION)
    if value is not None:
        raise ValueError(f"{fault.kind} takes no ={value}")
    return fault


def _by_chance(fault: Fault, parts: Sequence[str]) -> Fault:
    """With the probability and the seed; of two the last holds."""
    for part in parts:
        name, _, value = part.partition("=")
        if name == "p":
            fault = replace(fault, probability=_number(value, "a probability", most=1.0))
        elif name == "seed":
            fault = replace(fault, seed=_whole(value, "a seed", least=0))
        else:
            raise ValueError(f"{part!r} is neither p=0.3 nor seed=7")
    return fault


def _whole(text: str, what: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise ValueError(f"{text!r} is not {what}, a whole number from {least} on")
    return int(text)


def _number(text: str, what: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= most:
        raise ValueError(f"{text!r} is not {what}, a number from 0 to {most:g}")
    return value
