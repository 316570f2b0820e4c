"""JSON of a few bytes a value: what is small on a disk and fills the memory is refused before it is parsed."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from bestrand_drive import files
from bestrand_drive.benchmarks import strict_json
from bestrand_drive.errors import DataRefused
from bestrand_drive.readers import folders
from bestrand_drive.suite.reading import read_suite

VALUES = 20_000
TOKENS = ["{}", "[]", "[{}]", "[[[[]]]]", '{"":0}', "999", "0"]
ROOM = 1.7
"""Texts of two letters cost 59 bytes where 40 are counted; nothing costs more above its count."""


@pytest.mark.parametrize("parse", [strict_json.parse_json, folders.parse_json])
@pytest.mark.parametrize("token", TOKENS)
def test_many_small_values_are_refused_by_what_they_would_take(monkeypatch, parse, token):
    content = f"[{','.join([token] * VALUES)}]".encode()
    assert len(parse(content, "log.json")) == VALUES, "the control"
    monkeypatch.setattr(files, "MOST_OBJECTS", 500_000)
    with pytest.raises(DataRefused, match=r"log\.json: holds so many small values"):
        parse(content, "log.json")


@pytest.mark.parametrize("token", [*TOKENS, '"ab"', '{"a":1,"b":2,"c":3}'])
def test_what_is_counted_is_what_it_takes(monkeypatch, token):
    content = f"[{','.join([token] * VALUES)}]".encode()
    tracemalloc.start()
    kept = json.loads(content)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(kept) == VALUES
    monkeypatch.setattr(files, "MOST_OBJECTS", taken / ROOM)
    with pytest.raises(DataRefused):
        files.refuse_swollen(content, "log.json")


def test_a_long_text_is_no_many_values(monkeypatch):
    monkeypatch.setattr(files, "MOST_OBJECTS", 500_000)
    assert folders.parse_json(b'["' + b"x" * 2_000_000 + b'"]', "log.json")


def test_a_suite_is_held_to_it_too(monkeypatch, tmp_path):
    (tmp_path / "suite.json").write_text(f"[{','.join(['{}'] * VALUES)}]")
    monkeypatch.setattr(files, "MOST_OBJECTS", 500_000)
    with pytest.raises(DataRefused, match="so many small values"):
        read_suite(tmp_path)
