"""Probe files: which policies guide a choice, and how each is run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes
from bestrand_drive.simulation.adapters.agent import PROBE
from bestrand_drive.simulation.adapters.variables import variable_fault
from bestrand_drive.workflows.running.probe_yaml import parse_yaml

DEFAULT = ("overtaker", "aggressive", "expert")
"""The shipped probes of who names none: they fail in different ways, and none stands behind an obstacle until a route's
time is over, which takes as long as ten other routes."""
_LIMIT_MIB = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_LOADER = re.compile(r"(LD|DYLD)_(PRELOAD|AUDIT|INSERT_LIBRARIES)")
"""Variables that bring code into every program of the evaluator, hidden in a file that others may have made."""
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is no field of a probe file",
    "too_short": "give at least one",
    "string_too_short": "is empty",
    "string_type": "must be text; write it in quotes",
    "tuple_type": "must be a list",
    "mapping_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "literal_error": "must be {expected}",
}
"""Pydantic's kinds of faults, for people who write the file."""


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
    track: Literal["SENSORS", "MAP"] | None = None
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
        DataRefused: It is absent, no YAML, or not of the schema; two probes have one name (also but for capitals: some
            file systems do not tell them apart), or a name is none for a folder; a variable is none or not a probe's.
    """
    raw = parse_yaml(read_bytes(path, limit_mib=_LIMIT_MIB), str(path))
    try:
        found = ProbeFile.model_validate(raw)
    except ValidationError as error:
        raise DataRefused(f"{path}: {_first_fault(error)}.") from error
    _check_names([one.name for one in found.probes], path)
    for one in found.probes:
        _check_variables(one, path)
    folder = Path(os.path.abspath(path)).parent
    return tuple(_placed(one, folder) for one in found.probes)


def shipped_probes(names: tuple[str, ...] = DEFAULT) -> tuple[ProbeEntry, ...]:
    """Probes that come with this package."""
    return tuple(ProbeEntry(name=name, agent=f"{PROBE}{name}", licence="MIT") for name in names)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    words = _WORDS.get(fault["type"], fault["msg"]).format(**fault.get("ctx", {}))
    return f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {words}"


def _check_names(names: list[str], path: Path) -> None:
    plain = [name.casefold() for name in names]
    twice = sorted({name for name in names if plain.count(name.casefold()) > 1})
    if len(twice) == 1:
        raise DataRefused(f"{path}: {twice[0]} stands there twice; give every probe a name of its own.")
    if twice:
        raise DataRefused(f"{path}: {', '.join(twice)} differ in capitals only, and their folders would be one on some "
                          "file systems; give every probe a name of its own.")  # fmt: skip
    odd = [name for name in names if not _NAME.fullmatch(name)]
    if odd:
        raise DataRefused(f"{path}: name {odd[0]!r}: begin with a letter or digit, and use these and . _ + - only.")


def _check_variables(entry: ProbeEntry, path: Path) -> None:
    for name, value in entry.variables.items():
        fault = variable_fault(name, value)
        if fault is None and _LOADER.fullmatch(name):
            fault = "it loads code into every program; if it is yours, give it with --env"
        if fault:
            raise DataRefused(f"{path}: probe {entry.name}: variables.{name}: {fault}.")


def _placed(entry: ProbeEntry, folder: Path) -> ProbeEntry:
    agent = entry.agent if entry.agent.startswith(PROBE) else _found(entry.agent, folder)
    config = "+".join(_found(part, folder) if part else part for part in entry.config.split("+"))
    return entry.model_copy(update={"agent": agent, "config": config})


def _found(text: str, folder: Path) -> str:
    """A path that leads somewhere from the probe file's folder, else the text: the checkout may know it."""
    place = os.path.abspath(folder / text)
    return place if os.path.exists(place) else text
