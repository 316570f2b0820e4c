"""Suites read from their files: whole, of this schema, and without contradictions."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes, refuse_swollen
from bestrand_drive.suite.faults import faults
from bestrand_drive.suite.schema import SCHEMA_VERSION, Suite


def read_suite(folder: str | Path) -> Suite:
    """Read ``suite.json`` of a suite folder (or the file itself).

    Raises:
        DataRefused: The file is absent, damaged, of a newer schema, or contradicts itself.
    """
    place = Path(folder)
    path = place if place.is_file() else place / "suite.json"
    content = read_bytes(path)
    refuse_swollen(content, str(path))
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataRefused(
            f"{path}: not valid JSON ({error}). Make the suite again with `bestrand compress`."
        ) from error
    return parsed_suite(raw, str(path))


def parsed_suite(raw: object, path: str) -> Suite:
    """A suite out of parsed JSON; ``path`` is only used in messages.

    Raises:
        DataRefused: See ``read_suite``.
    """
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if type(version) is not int or version != SCHEMA_VERSION:  # true and 1.0 equal 1
        raise DataRefused(
            f"{path}: schema version {version!r}; this version reads {SCHEMA_VERSION}. "
            "Make the suite again, or use the bestrand_drive version that wrote it."
        )
    try:
        suite = Suite.model_validate_json(json.dumps(raw, ensure_ascii=False).encode(), strict=True)
    except UnicodeEncodeError as error:
        raise DataRefused(f"{path}: holds half of a surrogate pair, which is no text; make the suite again.") from error
    except RecursionError as error:
        raise DataRefused(f"{path}: nested too deep for a suite; make the suite again.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataRefused(f"{path}: {where}: {first['msg']} ({error.error_count()} faults).") from error
    _refuse_faults(suite, path)
    return suite


def _refuse_faults(suite: Suite, path: str) -> None:
    wrong = next(faults(suite, path), None)
    if wrong is None and suite.content_hash() != suite.content_sha256:
        wrong = "its content does not match its content_sha256"
    if wrong is not None:
        raise DataRefused(f"{path}: {wrong}. The file was edited or damaged; make the suite again.")
