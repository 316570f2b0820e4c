"""Result files: every real policy's totals, every layout, and no damage that passes for less data."""

import errno
import json
import math
import os

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand_drive.benchmarks.bench2drive_rules import is_success as bench2drive_success
from bestrand_drive.benchmarks.fail2drive import is_success as fail2drive_success
from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import DataRefused, UsageError


def read(path, benchmark="bench2drive"):
    return read_results(path, name="P", benchmark=benchmark)


def test_every_real_policy_reproduces_the_expected_totals(shared_data):
    expected = pd.read_csv(shared_data / "expected_totals.csv")
    assert len(expected) == 22
    for (label, policy), rows in expected.groupby(["benchmark", "policy"]):
        benchmark, size = ("fail2drive", 200) if label == "fail2drive" else ("bench2drive", 220)
        results = read(shared_data / benchmark / "results" / policy, benchmark)
        for row in rows.itertuples(index=False):
            seed = str(row.seed)
            records = [record for record in results.records if record.repeat == seed]
            total = sum(record.driving_score for record in records if not math.isnan(record.driving_score))
            count = len(records)
            assert (
                count,
                sum(record.outcome is Outcome.SCORED for record in records),
                round(total / count, 3),
                round(total / size, 3),
                round(100 * sum(map(bench2drive_success, records)) / count, 2),
                round(100 * sum(map(fail2drive_success, records)) / count, 2),
            ) == tuple(row)[3:], policy


def test_real_oddities_are_counted(shared_data):
    results = shared_data / "bench2drive" / "results"
    sharded = read(results / "UniAD-30bc-sharded")
    assert (sharded.notes.duplicates_identical, sharded.notes.duplicates_different) == (0, 2)
    assert read(results / "UniAD-all-crashed").crash_share == 1.0
    assert read(results / "SimLingo-repeat").crash_share == pytest.approx(35 / 216)
    align = read(shared_data / "fail2drive" / "results" / "AlignDrive", "fail2drive")
    assert align.notes.ids_from_file_name == 594
    assert align.repeats == ("1", "2", "3")


@pytest.mark.parametrize(
    "relative",
    [
        "UniAD-30bc-sharded/eval_bench2drive220_3 copy.json",
        "LEAD-TFv6/10857/checkpoint_endpoint.json",
        "ORION/ORION.json",
    ],
)
def test_truncation_is_refused_at_every_offset(shared_data, tmp_path, relative):
    content = (shared_data / "bench2drive" / "results" / relative).read_bytes()
    whole = len(read(shared_data / "bench2drive" / "results" / relative).records)
    end = len(content.rstrip())
    cut = tmp_path / "cut.json"
    offsets = {round(i * (len(content) - 1) / 100) for i in range(100)} | set(range(end - 20, len(content)))
    for offset in sorted(offsets):
        cut.write_bytes(content[:offset])
        if offset >= end:
            assert len(read(cut).records) == whole
        else:
            with pytest.raises(DataRefused, match=r"cut\.json"):
                read(cut)


LAYOUTS = {
    "0075_res.json": "0",
    "2/res/0075_res.json": "2",
    "3/results/0075_res.json": "3",
    "1/Base_Animals_0075.json": "1",
    "1/eval/Base_Animals_0075.json": "1",
    "seed3/Base_Animals_0075.json": "3",
    "75/Base_Animals_0075.json": "75",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fail2drive_layouts(build, tmp_path, layout):
    build.write(tmp_path / layout, [build.record("RouteScenario_0_rep0")])
    (record,) = read(tmp_path, "fail2drive").records
    assert (record.route_id, record.repeat) == ("75", LAYOUTS[layout])


def test_fail2drive_id_from_the_record_when_the_file_name_is_free(build, tmp_path):
    build.write(tmp_path / "1/75/checkpoint.json", [build.record("RouteScenario_75_rep0")])
    build.write(tmp_path / "1/x.json", [build.record("Base_Animals_0076-273b")])
    records = read(tmp_path, "fail2drive").records
    assert [(record.route_id, record.repeat) for record in records] == [("75", "1"), ("76", "1")]


def test_a_numeric_folder_of_the_own_route_is_no_seed(build, tmp_path):
    for route in (1711, 24206):
        build.write(tmp_path / str(route) / "checkpoint.json", [build.record(f"RouteScenario_{route}_rep0")])
    assert read(tmp_path).repeats == ("0",)


def test_bench2drive_number_folders_are_seeds_only_when_a_route_stands_in_two(build, tmp_path):
    for shard in (0, 1):
        build.write(tmp_path / f"shards/{shard}/e.json", [build.record(f"RouteScenario_{shard + 10}_rep0")])
        build.write(tmp_path / f"seeds/{shard}/e.json", [build.record("RouteScenario_10_rep0")])
    assert read(tmp_path / "shards").repeats == ("0",)
    assert read(tmp_path / "seeds").repeats == ("0", "1")


def test_a_seed_folder_named_like_one_of_its_routes_is_still_a_seed(build, tmp_path):
    """Routes 1 and 2, seeds 0 to 2: the folder 1 holds other routes, too."""
    for seed in ("0", "1", "2"):
        for route in ("1", "2"):
            record = build.record(f"RouteScenario_{route}_rep0", score=10 * int(seed) + int(route))
            build.write(tmp_path / seed / f"RouteScenario_{route}.json", [record])
    found = read(tmp_path)
    assert {(one.route_id, one.repeat) for one in found.records} == {(r, s) for r in "12" for s in "012"}
    assert (found.notes.duplicates_different, found.notes.duplicates_identical) == (0, 0)


def test_repetitions_of_the_evaluator_are_repeats(build, tmp_path):
    build.write(tmp_path / "e.json", [build.record(f"RouteScenario_10_rep{k}") for k in (0, 1, 10, 2)])
    assert read(tmp_path).repeats == ("0", "1", "2", "10")


@pytest.mark.parametrize("wrap", [lambda r: {"_checkpoint": {"records": r}}, lambda r: {"merged_records": r}])
def test_merged_forms(build, tmp_path, wrap):
    record = build.record()
    del record["index"]
    (tmp_path / "merged.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(wrap([record])).encode())
    assert read(tmp_path / "merged.json").records[0].driving_score == 100


def test_the_first_usable_record_counts(build, tmp_path):
    crashed = build.record(status="Failed - Simulation crashed", completion=0)
    agent = build.record(status="Failed - Agent crashed", completion=10)
    build.write(tmp_path / "a.json", [crashed])
    build.write(tmp_path / "b.json", [agent])
    build.write(tmp_path / "c.json", [build.record(completion=70)])
    build.write(tmp_path / "d.json", [build.record(completion=70) | {"index": 5}, build.record(completion=80)])
    results = read(tmp_path)
    assert [record.driving_score for record in results.records] == [70]
    assert results.records[0].source == "c.json#0"
    assert (results.notes.duplicates_identical, results.notes.duplicates_different) == (1, 3)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "null"])
def test_a_score_that_is_no_number_is_missing_with_a_reason(build, tmp_path, literal):
    text = build.write(tmp_path / "a.json", [build.record()]).read_text()
    (tmp_path / "a.json").write_text(text.replace('"score_composed": 100.0', f'"score_composed": {literal}'))
    (record,) = read(tmp_path).records
    assert record.outcome is Outcome.INFRASTRUCTURE
    assert record.reason == "the score is not a number"
    assert math.isnan(record.driving_score)


OUTCOMES = {
    "Perfect": Outcome.SCORED,
    "Completed": Outcome.SCORED,
    "Failed": Outcome.SCORED,
    "Failed - TickRuntime": Outcome.SCORED,
    "Failed - Agent got blocked": Outcome.SCORED,
    "Failed - Agent timed out": Outcome.SCORED,
    "Failed - Agent deviated from the route": Outcome.SCORED,
    "Failed - Agent crashed": Outcome.AGENT_CRASHED,
    "Failed - Simulation crashed": Outcome.INFRASTRUCTURE,
    "Failed - Agent couldn't be set up": Outcome.INFRASTRUCTURE,
    "Failed - Agent's sensors were invalid": Outcome.INFRASTRUCTURE,
    "Started": Outcome.INFRASTRUCTURE,
    "": Outcome.INFRASTRUCTURE,
    "Failed - Something new": Outcome.INFRASTRUCTURE,
}


@pytest.mark.parametrize("status", OUTCOMES)
def test_whose_result_a_status_is(build, tmp_path, status):
    build.write(tmp_path / "a.json", [build.record(status=status, completion=40)])
    (record,) = read(tmp_path).records
    assert record.outcome is OUTCOMES[status]
    assert bool(record.reason) == (record.outcome is Outcome.INFRASTRUCTURE) == math.isnan(record.driving_score)


def test_a_car_fallen_through_the_map_is_suspect(build, tmp_path):
    message = "Agent went outside its route lanes for about 133.138 meters (100.0% of the completed route)"
    build.write(tmp_path / "a.json", [build.record(penalty=0.0, infractions={"outside_route_lanes": [message]})])
    assert read(tmp_path).notes.suspect == ("a.json#0",)


def test_companion_files_are_listed(build, tmp_path):
    build.write(tmp_path / "a.json", [build.record()])
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "metric_info.json").write_text("{ not even json")
    (tmp_path / "a_ability.json").write_text('{"Overtaking": 0.5, "Merging": 0.5, "mean": 0.5, "crashed": []}')
    build.write(tmp_path / "empty.json", [])
    notes = read(tmp_path).notes
    assert notes.ignored_files == ("a_ability.json", "x/metric_info.json")
    assert notes.empty_files == ("empty.json",)
    assert len(notes.lines()) == 2


DAMAGE = {
    "empty": lambda text: "",
    "blank": lambda text: " \n",
    "truncated": lambda text: text[: len(text) // 2],
    "two documents": lambda text: text + text,
    "a list": lambda text: f"[{text}]",
    "a number": lambda text: "3",
    "foreign": lambda text: '{"a": 1}',
    "checkpoint is a list": lambda text: '{"_checkpoint": []}',
    "no records": lambda text: '{"_checkpoint": {}}',
    "only empty records": lambda text: '{"_checkpoint": {"records": []}}',
    "record is a text": lambda text: '{"_checkpoint": {"records": ["x"]}}',
    "key twice": lambda text: text.replace('"progress": [1, 1]', '"records": []'),
    "no status": lambda text: text.replace('"status"', '"state"'),
    "status is a number": lambda text: text.replace('"Completed"', "1"),
    "no scores": lambda text: text.replace('"scores"', '"points"'),
    "score is a text": lambda text: text.replace('"score_penalty": 1.0', '"score_penalty": "1"'),
    "score is true": lambda text: text.replace('"score_penalty": 1.0', '"score_penalty": true'),
    "score is absent": lambda text: text.replace('"score_penalty": 1.0, ', ""),
    "score out of range": lambda text: text.replace('"score_penalty": 1.0', '"score_penalty": 1.5'),
    "negative score": lambda text: text.replace('"score_composed": 100', '"score_composed": -100'),
    "infractions are a list": lambda text: text.replace('"infractions": {', '"infractions": [], "x": {'),
    "infraction is a number": lambda text: text.replace('"red_light": []', '"red_light": [3]'),
    "infraction kind is a text": lambda text: text.replace('"red_light": []', '"red_light": "x"'),
    "meta is a list": lambda text: text.replace('"meta": {', '"meta": [], "x": {'),
    "route id is a number": lambda text: text.replace('"RouteScenario_1_rep0"', "1"),
    "route id is foreign": lambda text: text.replace("RouteScenario_1_rep0", "somewhere"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named(build, tmp_path, damage):
    path = build.write(tmp_path / "a.json", [build.record()])
    changed = DAMAGE[damage](path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)
    for place in (path, tmp_path):
        with pytest.raises(DataRefused, match=str(path) if damage != "only empty records" else str(place)):
            read(place)


def test_one_damaged_file_among_good_ones_is_refused(build, tmp_path):
    build.write(tmp_path / "a.json", [build.record()])
    (tmp_path / "b.json").write_bytes(b'{"_checkpoint": {"records": [\xff')
    with pytest.raises(DataRefused, match=r"b\.json, byte 29"):
        read(tmp_path)


def test_absent_path_empty_folder_and_unknown_benchmark(tmp_path):
    with pytest.raises(DataRefused, match="no such file"):
        read(tmp_path / "absent")
    with pytest.raises(DataRefused, match="no result file"):
        read(tmp_path)
    with pytest.raises(UsageError, match="unknown benchmark 'leaderboard'"):
        read(tmp_path, "leaderboard")


def test_a_summary_given_as_the_results_is_refused(tmp_path):
    (tmp_path / "a_ability.json").write_text('{"Overtaking": 0.5}')
    with pytest.raises(DataRefused, match="a summary"):
        read(tmp_path / "a_ability.json")


def test_broken_link_is_refused_not_skipped(build, tmp_path):
    build.write(tmp_path / "a.json", [build.record()])
    (tmp_path / "b.json").symlink_to(tmp_path / "gone")
    with pytest.raises(DataRefused, match=r"b\.json"):
        read(tmp_path)


def test_unreadable_folder_is_refused_not_skipped(build, tmp_path, monkeypatch):
    build.write(tmp_path / "a.json", [build.record()])
    (tmp_path / "closed").mkdir()
    real = os.scandir

    def refusing(folder):  # a mode would not keep root out
        if os.path.basename(folder) == "closed":
            raise PermissionError(errno.EACCES, "Permission denied", folder)
        return real(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(DataRefused, match=r"closed: the folder cannot be read \(Permission denied\)"):
        read(tmp_path)


@settings(max_examples=200)
@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_one_damaged_byte_is_read_or_refused(build, tmp_path_factory, position, byte):
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    build.write(path, [build.record(), build.record("RouteScenario_2_rep0")])
    content = bytearray(path.read_bytes())
    content[position % len(content)] = byte
    path.write_bytes(content)
    try:
        results = read(path)
    except DataRefused:
        return
    assert len(results.records) + results.notes.duplicates_different + results.notes.duplicates_identical == 2
