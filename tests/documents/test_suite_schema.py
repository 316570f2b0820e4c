"""The published schema is that of the model, and real suites obey it: checked by a small validator of its own."""

from __future__ import annotations

import copy
import json
import sys

import pytest

from tests.documents.blocks import ROOT

SCHEMA = json.loads((ROOT / "docs/suite.schema.json").read_text())
KINDS = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import make_suite_schema  # type: ignore[import-not-found]

    yield make_suite_schema
    for name in ("make_suite_schema", "documents"):
        sys.modules.pop(name, None)


def faults(value, rule, place="suite"):
    """Where a value breaks a rule of JSON Schema; only what our schema uses is known."""
    if "$ref" in rule:
        return faults(value, SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]], place)
    if "anyOf" in rule:
        return [] if any(not faults(value, one, place) for one in rule["anyOf"]) else [f"{place}: of no kind"]
    if "const" in rule and value != rule["const"]:
        return [f"{place}: is not {rule['const']}"]
    if rule.get("type") == "null":
        return [] if value is None else [f"{place}: is something"]
    kind = rule.get("type")
    if kind and (not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind != "boolean")):
        return [f"{place}: is no {kind}"]
    if kind == "array":
        inner = rule.get("prefixItems") or [rule["items"]] * len(value)
        wrong = [] if len(inner) == len(value) else [f"{place}: has {len(value)} parts"]
        pairs = enumerate(zip(value, inner, strict=False))
        return wrong + [fault for number, (one, its) in pairs for fault in faults(one, its, f"{place}[{number}]")]
    return _of_object(value, rule, place) if kind == "object" else []


def _of_object(value, rule, place):
    known, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    found = [f"{place}.{name}: lacks" for name in rule.get("required", ()) if name not in value]
    for name, one in value.items():
        if name in known or isinstance(others, dict):
            found += faults(one, known.get(name, others), f"{place}.{name}")
        elif others is False:
            found.append(f"{place}.{name}: is not known")
    return found


def test_what_is_published_is_what_the_model_says(script):
    told = "run scripts/make_suite_schema.py"
    assert json.dumps(SCHEMA) == json.dumps(script.schema()), told
    assert script.tables(script.schema()) in (ROOT / "docs/suite-schema.md").read_text(), told


@pytest.mark.parametrize("which", ["bench_suite", "fail_suite", "table_suite"])
def test_suites_obey_the_schema(request, which):
    raw = json.loads((request.getfixturevalue(which) / "suite.json").read_text())
    assert faults(raw, SCHEMA) == []
    for change, where in (
        (lambda one: one.update(extra=1), "suite.extra: is not known"),
        (lambda one: one.pop("content_sha256"), "suite.content_sha256: lacks"),
        (lambda one: one["items"][3].update(weight="2"), "suite.items[3].weight: is no number"),
        (lambda one: one.update(schema_version=2), "suite.schema_version: is not 1"),
    ):
        edited = copy.deepcopy(raw)
        change(edited)
        assert faults(edited, SCHEMA) == [where]


def test_every_field_of_a_suite_is_explained():
    """New fields are to have their line in the docstring, from which the schema takes it."""
    parts = {"Suite": SCHEMA, **{name: SCHEMA["$defs"][name] for name in ("SuiteProbe", "SuiteItem", "Choice")}}
    silent = [f"{name}.{field}" for name, part in parts.items() for field, rule in part["properties"].items()
              if "description" not in rule and field != "schema_version"]  # fmt: skip
    assert silent == []
