"""A hash of what was asked, for tools that keep the question but no hash of it."""

from __future__ import annotations

import hashlib
import json


def fingerprint(*parts: object) -> str:
    """SHA-256 of anything JSON can hold; empty fields of objects do not count, since newer versions of a tool add some.

    Where a tool's id is an id of the data (no position), it should be one of the parts: two items may ask the same.
    """
    text = json.dumps(_filled(parts), sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _filled(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _filled(part) for key, part in value.items() if part is not None}
    return [_filled(part) for part in value] if isinstance(value, list | tuple) else value
