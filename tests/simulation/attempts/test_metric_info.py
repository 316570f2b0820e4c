"""What an agent wrote of its steps is found by a name that its result says: whatever that is, nothing else is read."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts import metric_info
from bestrand_drive.simulation.attempts.metric_info import find_metric_info, saved_name
from bestrand_drive.simulation.attempts.view import rebuild
from tests.simulation.attempts.made import empty_store, key, result, scored, tree


@pytest.mark.parametrize("name", ["RouteScenario_1711_rep0_Town12", "drive.1-b", "_", "x" * 200])
def test_a_plain_name_leads_to_its_folder(tmp_path, name):
    content = result(save_name=name)
    assert find_metric_info(tmp_path, content) is None
    (tmp_path / name).mkdir()
    (tmp_path / name / "metric_info.json").write_bytes(b"{}")
    assert (saved_name(content), find_metric_info(tmp_path, content)) == (name, b"{}")


@pytest.mark.parametrize("name", ["..", ".", "../up", "a/b", "/etc", "", "a\n", "a b", "x" * 201, 7, None, ["a"]])
def test_what_is_no_plain_name_leads_nowhere(tmp_path, name):
    """Neither out of the attempt's folder when it is read, nor out of ``results/`` when it is copied."""
    (tmp_path / "agent/a").mkdir(parents=True)
    for place in ("up", "agent", "agent/a", ""):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "metric_info.json").write_bytes(b"{}")
    content = result(save_name=name)
    assert (saved_name(content), find_metric_info(tmp_path / "agent", content)) == (None, None)
    store = empty_store(tmp_path / "run")
    store.put(scored(), content, b"{}")
    before = tree(tmp_path)
    rebuild(store, store.attempts)
    assert set(tree(tmp_path)) - set(before) == {"run/results/0/RouteScenario_1711.json"}


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", json.dumps({"_checkpoint": {"records": []}}).encode()])
def test_without_a_record_there_is_no_name(tmp_path, content):
    (tmp_path / "metric_info.json").write_bytes(b"{}")
    assert find_metric_info(tmp_path, content) is None


def test_one_beyond_all_measure_is_left(tmp_path, monkeypatch):
    (tmp_path / "drive").mkdir()
    (tmp_path / "drive/metric_info.json").write_bytes(b"{   }")
    monkeypatch.setattr(metric_info, "_LIMIT", 4)
    assert find_metric_info(tmp_path, result(save_name="drive")) is None


def test_it_comes_beside_the_result_that_counts_and_goes_with_it(tmp_path):
    store = empty_store(tmp_path)
    one = store.put(scored(), result(save_name="drive"), b"{1}")
    other = key(1712)
    store.put(scored(1, other, outcome=Outcome.AGENT_CRASHED), result(1712), b"{2}")
    rebuild(store, store.attempts)
    names = {"0/RouteScenario_1711.json", "0/RouteScenario_1712.json", "0/drive/metric_info.json"}
    assert set(tree(tmp_path / "results")) == names
    assert (tmp_path / "results/0/drive/metric_info.json").read_bytes() == b"{1}"
    assert store.metric_info(one) == b"{1}"
    assert empty_store(tmp_path).metric_info(one) == b"{1}"
