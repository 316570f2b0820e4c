"""Writes docs/suite.schema.json (JSON Schema) and the tables of docs/suite-schema.md, from the model of ``suite.json``.

python scripts/make_suite_schema.py [--docs docs]
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from documents import markdown, put_into

from bestrand_drive.files import write_atomic
from bestrand_drive.suite import schema as suite

NAME = "make_suite_schema"
NEEDED = "schema_version", "content_sha256"
"""What the model can be made without, but no file is read without (``suite.reading``)."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema, its descriptions taken from the docstrings."""
    made = suite.Suite.model_json_schema()
    parts = made.pop("$defs")
    made["required"] = [field for field in made["properties"] if field in {*made["required"], *NEEDED}]
    shown = {name: _told(name, part) for name, part in sorted(parts.items())}
    return {"$schema": DIALECT, "title": "suite.json", **_told("Suite", made), "$defs": shown}


def _told(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """A part with its class's first sentences, and each field with its own."""
    part = {key: value for key, value in part.items() if key != "title"}
    if "properties" not in part:
        return part
    text = getattr(suite, name).__doc__
    fields = _fields(text)
    part["description"] = _plain(text.split("\n\n")[0])
    part["properties"] = {
        field: _without_title(rule) | ({"description": fields[field]} if field in fields else {})
        for field, rule in part["properties"].items()
    }
    return part


def _without_title(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if key != "title"}


def _fields(text: str) -> dict[str, str]:
    """The ``Attributes:`` of a docstring."""
    section = text.partition("Attributes:\n")[2]
    found = re.findall(r"^        (\w+): (.+(?:\n            .+)*)", section, re.MULTILINE)
    return {name: _plain(told) for name, told in found}


def _plain(text: str) -> str:
    return " ".join(text.replace("``", "").split())


def tables(made: Mapping[str, Any]) -> str:
    """A table a class, the suite first."""
    classes = {"Suite": made, **made["$defs"]}
    texts = []
    for name, part in classes.items():
        if "properties" in part:
            rows = [
                (f"`{field}`", _kind(rule), "" if field in part.get("required", ()) else "may lack", told(rule))
                for field, rule in part["properties"].items()
            ]
            texts.append(f"### {name}\n\n{part['description']}\n\n{markdown(('field', 'type', '', 'meaning'), rows)}")
    return "\n\n".join(texts)


def told(rule: Mapping[str, Any]) -> str:
    """What a field means, or nothing."""
    return str(rule.get("description", "")).replace("|", "\\|")


def _kind(rule: Mapping[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in rule:
        return str(rule["$ref"]).rpartition("/")[2]
    if "anyOf" in rule:
        return " or ".join(_kind(one) for one in rule["anyOf"])
    if "const" in rule:
        return f"`{rule['const']}`"
    if "prefixItems" in rule:
        return "(" + ", ".join(_kind(one) for one in rule["prefixItems"]) + ")"
    if rule.get("type") == "array":
        return f"list of {_kind(rule['items'])}"
    if rule.get("type") == "object":
        inner = rule.get("additionalProperties")
        return f"object of {_kind(inner)}" if isinstance(inner, dict) else "object"
    return str(rule.get("type", "any"))


def main() -> None:
    """Write both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parent.parent / "docs")
    folder = parser.parse_args().docs
    made = schema()
    write_atomic(folder / "suite.schema.json", (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode())
    put_into(folder / "suite-schema.md", NAME, tables(made))


if __name__ == "__main__":
    main()
