"""Probe files: which policies guide a choice, and how each is run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import read_bytes
from bestrand_drive.simulation.adapters.agent import PROBE

DEFAULT = ("overtaker", "aggressive", "expert")
"""The shipped probes of who names none: they fail in different ways, and none stands behind an obstacle until a route's
time is over, which takes as long as ten other routes."""
_LIMIT_MIB = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class ProbeEntry(BaseModel):
    """One probe; the fields of a probe file.

    Attributes:
        name: Of the policy, and of its run folder.
        agent: Its agent file, relative to the probe file or to the benchmark's checkout; or ``probe:NAME``.
        config: For the agent, parts joined by ``+``; files as ``agent``.
        python: Command line of its interpreter, "" for the benchmark's default.
        variables: Environment variables of its evaluator.
        track: SENSORS or MAP, None for the benchmark's.
        family: Policies of one lineage count as one probe.
        source: Where it comes from, for people.
        licence: Of its results.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    agent: str = Field(min_length=1)
    config: str = ""
    python: str = ""
    variables: Mapping[str, str] = {}
    track: str | None = None
    family: str | None = None
    source: str = ""
    licence: str = "not stated"


class ProbeFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_number: Literal[1] = Field(1, alias="schema")
    probes: tuple[ProbeEntry, ...] = Field(min_length=1)


def read_probe_file(path: Path) -> tuple[ProbeEntry, ...]:
    """The probes of a file, with the paths that are relative to it made absolute.

    Raises:
        DataRefused: It is absent, no YAML, or not of the schema; the field is named.
        UsageError: Two probes have one name, or a name is none for a folder.
    """
    try:
        raw = yaml.load(read_bytes(path, limit_mib=_LIMIT_MIB), Loader=yaml.SafeLoader)
        found = ProbeFile.model_validate(raw)
    except yaml.YAMLError as error:
        raise DataRefused(f"{path}: no YAML ({str(error).splitlines()[0]}).") from error
    except ValidationError as error:
        raise DataRefused(f"{path}: {_first_fault(error)}.") from error
    _check_names([one.name for one in found.probes], path)
    folder = Path(os.path.abspath(path)).parent
    return tuple(_placed(one, folder) for one in found.probes)


def shipped_probes(names: tuple[str, ...] = DEFAULT) -> tuple[ProbeEntry, ...]:
    """Probes that come with this package."""
    return tuple(ProbeEntry(name=name, agent=f"{PROBE}{name}", licence="MIT") for name in names)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {fault['msg']}"


def _check_names(names: list[str], path: Path) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"{path}: {', '.join(twice)} stands there twice; give every probe a name of its own.")
    odd = [name for name in names if not _NAME.fullmatch(name)]
    if odd:
        raise UsageError(f"{path}: name {odd[0]!r}: begin with a letter or digit, and use these and . _ + - only.")


def _placed(entry: ProbeEntry, folder: Path) -> ProbeEntry:
    agent = entry.agent if entry.agent.startswith(PROBE) else _found(entry.agent, folder)
    config = "+".join(_found(part, folder) if part else part for part in entry.config.split("+"))
    return entry.model_copy(update={"agent": agent, "config": config})


def _found(text: str, folder: Path) -> str:
    """A path that leads somewhere from the probe file's folder, else the text: the checkout may know it."""
    place = os.path.abspath(folder / text)
    return place if os.path.exists(place) else text
