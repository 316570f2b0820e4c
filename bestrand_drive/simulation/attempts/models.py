"""What the records of a run have in common: frozen pydantic models that are read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bestrand_drive.benchmarks.strict_json import parse_json
from bestrand_drive.errors import DataRefused

Finite = Annotated[float, Field(allow_inf_nan=False)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
RouteId = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,17})$")]
"""As route files write it; it becomes part of file names."""


class Frozen(BaseModel):
    """A record of fixed fields; an unknown field is an error, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=BaseModel)


def parse_model(kind: type[Model], content: bytes, path: Path) -> Model:
    """Read a record from the content of its file.

    Raises:
        DataRefused: It is no JSON, or has other fields than it should; file and field are named.
    """
    raw = parse_json(content, str(path))
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise DataRefused(f"{path}: {where}: {first['msg']}. The file was edited or damaged.") from error


def canonical_json(value: dict[str, object]) -> bytes:
    """One spelling for equal values, whatever the Python version: sorted keys, no blanks, ASCII only, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
