"""What a report tells, against what the other verbs tell and against the results themselves."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from dataclasses import replace

import pytest

import bestrand_drive
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.comparing.uses import count_uses, ledger_damage
from bestrand_drive.workflows.estimating.targets import read_target
from bestrand_drive.workflows.reporting.cells import LEAST_LETTERS, LOG_LETTERS, MOST_LETTERS, with_short_logs
from bestrand_drive.workflows.reporting.gather import Source, gather
from tests.workflows.reporting.made import run_folder


@pytest.fixture(scope="module")
def told(bench, bench_suite):
    return bestrand_drive.report(bench_suite, [bench.results("Dan"), bench.results("Eve")])


def test_estimates_are_those_of_the_verb_estimate(told, bench, bench_suite):
    for policy in told.policies:
        found = bestrand_drive.estimate(bench_suite, bench.results(policy.name))
        assert list(policy.lines) == [result.name for result in found.results]
        for result in found.results:
            line = policy.lines[result.name]
            assert (line.estimate, line.full) == (result.estimate.value, result.full)
            for mine, theirs in ((line.run, result.estimate.run), (line.policy, result.estimate.policy)):
                assert (mine is None) == (theirs is None)
                assert mine is None or (mine.low, mine.high) == (theirs.low, theirs.high)


def test_expected_errors_are_those_of_the_verb_plan(told, bench_suite):
    for k in (told.suite.k, told.metrics[0].curve.sizes[3]):
        for planned in bestrand_drive.plan(bench_suite, k=k).metrics:
            curve = next(metric.curve for metric in told.metrics if metric.name == planned.outlook.name)
            at = curve.sizes.index(k)
            assert curve.run[at] == pytest.approx(planned.run.expected, rel=1e-6)
            assert curve.policy[at] == pytest.approx(planned.at.expected, rel=1e-6)
            assert curve.floor == pytest.approx(planned.floor.expected, rel=1e-6)


def test_cells_are_the_records(told, bench):
    records = {record["route_id"].split("_")[1]: record for record in bench.records("Eve", 0.1)}
    mine = [cell for cell in told.cells if cell.policy == "Eve"]
    assert [cell.item for cell in mine] == read_ids(told)
    for cell in mine:
        record = records[cell.item]
        assert cell.status == record["status"]
        assert cell.state == ("completed" if record["status"] == "Completed" else "failed")
        assert cell.values["driving_score"] == pytest.approx(record["scores"]["score_composed"])
        assert cell.hours == pytest.approx(record["meta"]["duration_system"] / 3600, rel=1e-4)
        assert cell.stratum == bench.types[cell.item]
    assert {cell.state for cell in mine} == {"completed", "failed"}


def read_ids(told):
    return list(dict.fromkeys(cell.item for cell in told.cells))


def test_results_are_read_once(bench, bench_suite, tmp_path, monkeypatch):
    """A run that still goes on is shown in one state: what came after the scores were read is on no cell."""
    results = bench.put(tmp_path / "run", bench.records("Dan", 0.9)[:30])

    def read(*args, **options):
        target = read_target(*args, **options)
        bench.put(tmp_path / "run", bench.records("Dan", 0.9))
        return target

    monkeypatch.setattr("bestrand_drive.workflows.reporting.gather.read_target", read)
    told = gather(read_suite(bench_suite), [Source(results)])
    missing = {cell.item for cell in told.cells if cell.state == "missing"}
    assert missing == set(told.policies[0].missing) != set()
    assert {cell.item for cell in told.cells if cell.hours is None} == missing


def test_strata_and_parts_are_counted(told, bench, bench_suite):
    suite = read_suite(bench_suite)
    kinds = Counter(bench.types[item] for item in suite.chosen)
    assert {share.name: (share.chosen, share.pool) for share in told.suite.strata} == {
        k: (v, 5) for k, v in kinds.items()
    }
    assert [share.name for share in told.suite.parts] == [domain.name for domain in suite.domains]


def test_hours_spared_are_those_of_what_was_not_driven(bench, bench_suite, tmp_path):
    """A policy that drove the suite only, as long as one that drove everything: the rest of that one is spared."""
    chosen = set(read_suite(bench_suite).chosen)
    whole = bench.records("Dan", 0.9)
    part = bench.put(tmp_path / "part", [one for one in whole if one["route_id"].split("_")[1] in chosen])
    told = bestrand_drive.report(bench_suite, {"part": part, "whole": bench.results("Dan")})
    some, every = (policy.hours for policy in told.policies)
    assert (
        some.suite
        == every.suite
        == pytest.approx(
            sum(one["meta"]["duration_system"] for one in whole if one["route_id"].split("_")[1] in chosen) / 3600,
            rel=1e-4,
        )
    )
    assert (some.others, every.spared) == (0.0, 0.0)
    assert some.spared == pytest.approx(every.others, rel=0.1)
    assert some.whole == pytest.approx(some.suite + some.spared)


def test_a_route_that_was_tried_in_vain_is_not_spared(bench, bench_suite, tmp_path):
    chosen = set(read_suite(bench_suite).chosen)
    records = bench.records("Dan", 0.9)
    crashed = next(one for one in records if one["route_id"].split("_")[1] not in chosen)
    crashed = {**crashed, "status": "Failed - Simulation crashed"}
    part = [one for one in records if one["route_id"].split("_")[1] in chosen]
    told = bestrand_drive.report(
        bench_suite,
        {"part": bench.put(tmp_path / "part", part), "tried": bench.put(tmp_path / "tried", [*part, crashed])},
    )
    some, tried = (policy.hours for policy in told.policies)
    assert tried.spared < some.spared
    assert tried.whole == pytest.approx(some.whole)


def test_a_run_folder_tells_attempts_logs_and_commands(bench, bench_suite, tmp_path):
    chosen = read_suite(bench_suite).chosen
    records = [one for one in bench.records("Dan", 0.9) if one["route_id"].split("_")[1] in chosen]
    root = run_folder(tmp_path / "run", records, log="\x1b[31mSignal 11\x1b[0m <caught>\n")
    told = bestrand_drive.report(bench_suite, root)
    (policy,) = told.policies
    lost = records[-1]["route_id"].split("_")[1]
    assert list(policy.missing) == [lost]
    assert policy.missing[lost].startswith("no result after")
    crashed = sum(number % 3 == 0 for number in range(len(records))) + 1
    assert (policy.hours.tried, policy.hours.in_vain) == (len(records) - 1 + crashed, crashed)
    cells = {cell.item: cell for cell in told.cells}
    assert cells[lost].state == "missing"
    assert cells[lost].log == "Signal 11 <caught>"
    first = cells[records[0]["route_id"].split("_")[1]]
    assert [one.said for one in first.tries] == ["simulation_crash", records[0]["status"]]
    (line,) = first.again
    assert f"--only {first.item} --repeat 0 --max-attempts 1" in line
    assert "--env TOKEN=..." in line
    assert "secret" not in json.dumps(told.as_json())
    assert policy.provenance["simulator"] == "carla 0.9.15"


def test_damage_in_a_run_folder_is_no_folded_note(bench, bench_suite, tmp_path):
    root = run_folder(tmp_path / "run", bench.records("Dan", 0.9)[:8], log="")
    next((root / "attempts").rglob("*.result.json")).write_text('{"torn":')
    (policy,) = bestrand_drive.report(bench_suite, root).policies
    assert [said for said in policy.warnings if said.startswith("damaged in the run folder")]


def test_no_file_outside_of_the_logs_is_read(bench, bench_suite, tmp_path):
    """A run folder may come from anybody; what its records call a log is looked for among its logs only."""
    (tmp_path / "canary").write_text("canary")
    chosen = read_suite(bench_suite).chosen
    records = [one for one in bench.records("Dan", 0.9) if one["route_id"].split("_")[1] in chosen][:4]
    root = run_folder(tmp_path / "run", records, log="mine")
    last, first = (root / "logs" / f"{records[at]['route_id'].split('_')[1]}-2.log" for at in (3, 0))
    assert [one.log for one in bestrand_drive.report(bench_suite, root).cells if one.log].count("mine") == 2
    for path in root.glob("attempts/*/*.json"):
        path.write_text(path.read_text().replace(f'"{last.name}"', '"../../canary"'))
    for path in root.glob("logs/*-1.log"):
        path.unlink()
        path.symlink_to(tmp_path / "canary")
    assert [one.log for one in bestrand_drive.report(bench_suite, root).cells if one.log] == []
    assert first.is_file()


def test_uses_are_those_of_this_choice(bench, bench_suite, tmp_path):
    folder = shutil.copytree(bench_suite, tmp_path / "suite")
    assert bestrand_drive.report(folder, bench.results("Dan")).suite.uses is None
    digest = read_suite(folder).choice_digest()
    lines = [{"suite": digest, "policy": policy} for policy in "aba"] + [{"suite": "another", "policy": "c"}]
    (folder / "uses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert bestrand_drive.report(folder, bench.results("Dan")).suite.uses == 2
    (folder / "uses.jsonl").write_text("{torn")
    assert bestrand_drive.report(folder / "suite.json", bench.results("Dan")).suite.uses is None


@pytest.mark.parametrize("content", ["{broken\n", "[1]\n", "[" * 100_000 + "\n", '{"suite": 1}\n'])
def test_a_ledger_that_cannot_be_read_is_said(tmp_path, content):
    (tmp_path / "uses.jsonl").write_text(content)
    assert "uses.jsonl, line 1: not a use of a suite" in ledger_damage(tmp_path)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_ledger_that_is_no_file_is_not_waited_for(bench, bench_suite, tmp_path, make):
    folder = shutil.copytree(bench_suite, tmp_path / "suite")
    make(folder / "uses.jsonl")
    assert any("not a file" in note for note in bestrand_drive.report(folder, bench.results("Dan")).notes)
    with pytest.raises(DataRefused, match="not a file"):
        count_uses(folder, "s", {"a": "A"})


def test_a_table_suite_has_no_driving_parts(toy_table, table_suite, tmp_path):
    told = gather(read_suite(table_suite), [Source(toy_table.scores, "m5"), Source(toy_table.scores, "m7")])
    assert not told.suite.driving
    assert {cell.state for cell in told.cells} == {"measured"}
    assert told.policies[0].hours.suite is None
    assert told.policies[0].provenance == {}
    assert told.metrics[0].curve.sizes


def test_many_logs_are_cut_to_a_budget(told):
    cells = [replace(told.cells[0], log=f"{'x' * 3000}{number}") for number in range(2200)]
    short, said = with_short_logs(cells)
    assert "2200 logs are longer" in said
    assert sum(len(cell.log) for cell in short) <= LOG_LETTERS
    assert all(len(cell.log) >= LEAST_LETTERS for cell in short)
    assert short[7].log.endswith("7")
    lined, _ = with_short_logs([replace(told.cells[0], log="0123456789\n" * 300)])
    assert lined[0].log == "0123456789\n" * (MOST_LETTERS // 11)
    few, _ = with_short_logs(cells[:3])
    assert len(few[0].log) == MOST_LETTERS


@pytest.mark.parametrize(
    ("results", "word"), [([], "give --results"), (["Dan", "Dan"], "two policies are called Dan; name them")]
)
def test_wrong_calls_are_usage_errors(bench, bench_suite, results, word):
    with pytest.raises(UsageError, match=word):
        bestrand_drive.report(bench_suite, [bench.results(name) for name in results])
