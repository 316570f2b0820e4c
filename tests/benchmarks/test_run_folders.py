"""Results of a run folder: only what counts there, and what simulated it."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.benchmarks.records import every_record, read_results
from bestrand_drive.benchmarks.result_files import read_documents
from bestrand_drive.benchmarks.run_header import read_header
from bestrand_drive.errors import DataRefused


@pytest.fixture
def run(build, tmp_path):
    """A run of which one route counts, and another was tried in vain; a merged file lies among the results."""
    folder = tmp_path / "mine"
    build.write(folder / "results" / "0" / "RouteScenario_1.json", [build.record("RouteScenario_1_rep0")])
    build.write(folder / "results" / "0" / "merged.json", [build.record("RouteScenario_9_rep0")])
    build.write(folder / "attempts" / "2.r0.ab" / "1.result.json", [build.record("RouteScenario_2_rep0")])
    (folder / "attempts" / "2.r0.ab" / "1.json").write_text("{}")
    (folder / "run.json").write_text(json.dumps({"schema": "bestrand-run/1", "simulator": "headless"}))
    return folder


def test_only_the_counted_results_are_read(run):
    read = read_results(run, name="mine", benchmark="bench2drive")
    assert [(record.route_id, record.repeat) for record in read.records] == [("1", "0")]
    assert (read.simulator, read.path) == ("headless", run / "results")
    assert read.notes.ignored_files == ("0/merged.json",)
    root, found = every_record(run, benchmark="bench2drive")
    assert (root, [one.record.route_id for one in found]) == (run / "results", ["1"])


def test_a_bare_folder_or_file_does_not_say_what_simulated_it(run):
    bare = run / "results" / "0"
    assert read_results(bare, name="x", benchmark="bench2drive").simulator == "unknown"
    assert read_documents(bare / "merged.json").simulator == "unknown"


def test_another_run_json_is_an_ordinary_file(build, tmp_path):
    build.write(tmp_path / "run.json", [build.record("RouteScenario_3_rep0")])
    assert read_header(tmp_path) is None
    assert len(read_results(tmp_path, name="x", benchmark="bench2drive").records) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"schema": "bestrand-run/1", "simu', "truncated"),
        ('{"schema": "bestrand-run/2", "simulator": "carla"}', r"run\.json.*pip install --upgrade"),
        ('{"schema": "bestrand-run/1"}', "which simulator"),
        ("", "empty"),
    ],
)
def test_a_damaged_or_later_description_is_refused(run, content, said):
    """F18: reading around it would take attempts that do not count for results."""
    (run / "run.json").write_text(content)
    with pytest.raises(DataRefused, match=said):
        read_documents(run)


@pytest.mark.parametrize("left", [[], ["merged.json"]])
def test_a_run_without_a_counted_result_says_so(run, left):
    for path in (run / "results" / "0").iterdir():
        if path.name not in left:
            path.unlink()
    with pytest.raises(DataRefused, match="no counted result yet"):
        read_documents(run)


def test_a_damaged_counted_result_is_named(run):
    (run / "results" / "0" / "RouteScenario_1.json").write_text("{")
    with pytest.raises(DataRefused, match=r"RouteScenario_1\.json"):
        read_documents(run)


def test_a_folder_of_runs_asks_for_one_of_them(run):
    with pytest.raises(DataRefused, match=r"holds a whole run of a policy, .*mine\. Name that folder"):
        read_documents(run.parent)
