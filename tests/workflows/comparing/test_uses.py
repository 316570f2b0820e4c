"""A suite counts the policies that were judged on it, and its own bytes never change."""

from __future__ import annotations

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import bestrand_drive as bd
from bestrand_drive.errors import DataRefused
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.choosing.suite_folder import check_target
from bestrand_drive.workflows.comparing.uses import LEDGER, count_uses, read_uses, uses_told


def test_distinct_policies_are_counted_once(tmp_path):
    assert read_uses(tmp_path, "s") == 0
    assert count_uses(tmp_path, "s", {"a": "A", "b": "B"}) == 2
    assert count_uses(tmp_path, "s", {"b": "another name", "c": "C"}) == 3
    assert count_uses(tmp_path, "of another choice", {"a": "A"}) == 1
    assert read_uses(tmp_path, "s") == 3
    assert len((tmp_path / LEDGER).read_text().splitlines()) == 4


def test_a_line_torn_by_a_crash_is_no_use_and_does_not_spoil_the_next(tmp_path):
    count_uses(tmp_path, "s", {"a": "A"})
    with (tmp_path / LEDGER).open("a") as stream:
        stream.write('{"suite": "s", "pol')
    assert read_uses(tmp_path, "s") == 1
    assert count_uses(tmp_path, "s", {"b": "B"}) == 2
    assert [json.loads(line)["policy"] for line in (tmp_path / LEDGER).read_text().splitlines()] == ["a", "b"]


def test_a_damaged_ledger_is_named(tmp_path):
    (tmp_path / LEDGER).write_text("nonsense\n")
    with pytest.raises(DataRefused, match=r"uses\.jsonl, line 1"):
        count_uses(tmp_path, "s", {"a": "A"})


@pytest.mark.parametrize("line", ["[" * 100_000, '{"suite": "s"}', "3", '"x"'])
def test_whatever_is_in_a_ledger_it_is_named_or_says_nothing(tmp_path, line):
    (tmp_path / LEDGER).write_text(f"{line}\n")
    with pytest.raises(DataRefused, match=r"uses\.jsonl, line 1"):
        read_uses(tmp_path, "s")
    assert uses_told(tmp_path, "s") is None


def test_a_gate_is_a_use_of_each_side_and_says_how_many_there_were(bench, bench_suite, tmp_path):
    folder = shutil.copytree(bench_suite, tmp_path / "suite")
    digest = read_suite(folder).choice_digest()
    dan, eve, ann = (bench.results(name) for name in ("Dan", "Eve", "Ann"))
    twin = shutil.copytree(dan, tmp_path / "twin")
    (alone,) = bd.gate(folder, dan, twin).references
    assert any(said.startswith("1 policy was judged") for said in alone.comparison.cautions)
    assert bd.gate(folder, dan, eve, anchor=ann).references[-1].comparison.uses == 3
    assert bd.gate(folder / "suite.json", dan, eve).references[0].comparison.uses == 3
    assert uses_told(folder, digest) == uses_told(folder / "suite.json", digest) == 3


def test_several_at_a_time_lose_nothing(tmp_path, monkeypatch):
    """The lock is one of the open file, so that threads wait for each other as processes do."""
    real = os.ftruncate

    def late(*given):
        time.sleep(0.005)  # between reading and writing
        real(*given)

    monkeypatch.setattr(os, "ftruncate", late)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda number: count_uses(tmp_path, "s", {f"{number}": "x", "all": "x"}), range(8)))
    assert sorted(found) == list(range(2, 10))
    assert read_uses(tmp_path, "s") == 9


def test_the_same_suite_made_again_was_still_used(bench, tmp_path):
    for seed, uses in ((0, 0), (0, 1), (1, 0), (0, 1)):
        suite = bd.compress("bench2drive", routes=bench.routes, k=12, seed=seed, out=tmp_path / "s", force=True)
        digest = suite.choice_digest()
        assert read_uses(tmp_path / "s", digest) == uses
        if seed == 0:
            count_uses(tmp_path / "s", digest, {"a": "A"})


def test_comparing_is_a_use_and_a_suite_that_cannot_be_written_is_still_compared(bench, bench_suite, tmp_path):
    folder = shutil.copytree(bench_suite, tmp_path / "suite")
    before = (folder / "suite.json").read_bytes()
    assert bd.compare(folder, bench.results("Dan"), bench.results("Eve")).uses == 2
    assert bd.compare_many(folder, [bench.results(name) for name in ("Dan", "Eve", "Ann")]).uses == 3
    assert (folder / "suite.json").read_bytes() == before
    check_target(folder, force=True)
    assert bd.compare(read_suite(folder), bench.results("Dan"), bench.results("Eve")).uses is None
    (folder / LEDGER).unlink()
    (folder / LEDGER).mkdir()
    found = bd.compare(folder, bench.results("Dan"), bench.results("Eve"))
    assert found.uses is None
    assert any("could not be counted" in caution for caution in found.cautions)
