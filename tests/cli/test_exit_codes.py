"""Every mistake of a user: the exit code of the design, one clear message, no traceback, nothing written."""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.workflows.toys import LEVELS, write_wide

SAID = "bestrand: "


@pytest.fixture
def compress(bestrand, bench, tmp_path):
    """Compress the toy Bench2Drive; later arguments are appended."""

    def call(*arguments: object, probes: bool = True, out: Path | None = None) -> Ran:
        given = bench.probes() if probes else ()
        place = tmp_path / "suite" if out is None else out
        return bestrand("compress", "bench2drive", "--routes", bench.routes, *given, "--out", place, *arguments)

    return call


def refused(ran: Ran, code: int, *words: str) -> None:
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert ran.err.strip(), "no message"
    for word in words:
        assert word in ran.err


USAGE = {
    "unknown flag": (("--k", 12, "--size", 3), "--size"),
    "text for a number": (("--k", "twelve"), "--k"),
    "no size": ((), "exactly one of --keep"),
    "two sizes": (("--k", 12, "--keep", 0.2), "exactly one of --keep"),
    "three sizes": (("--k", 12, "--keep", 0.2, "--hours", 1), "exactly one of --keep"),
    "k of zero": (("--k", 0), "above 0"),
    "negative k": (("--k", -4), "above 0"),
    "keep above one": (("--keep", 1.5), "1.5"),
    "keep is no number": (("--keep", "nan"), "above 0"),
    "endless hours": (("--hours", "inf"), "above 0"),
    "unknown selector": (("--k", 12, "--selector", "best"), "balanced, bestrand, random"),
    "no candidate": (("--k", 12, "--candidates", 0), "--candidates 0"),
    "negative seed": (("--k", 12, "--seed", -1), "--seed -1"),
    "huge seed": (("--k", 12, "--seed", 2**63), "--seed"),
    "pool below the suite": (("--k", 12, "--pool-factor", 0.5), "--pool-factor 0.5"),
    "pool factor is no number": (("--k", 12, "--pool-factor", "nan"), "--pool-factor"),
    "endless pool factor": (("--k", 12, "--pool-factor", "inf"), "--pool-factor"),
    "unknown metric": (("--k", 12, "--metric", "speed"), "driving_score"),
    "weight is no number": (("--k", 12, "--metric", "success=much"), "NAME=WEIGHT"),
    "negative weight": (("--k", 12, "--metric", "success=-1"), "--metric"),
    "metric twice": (("--k", 12, "--metric", "success", "--metric", "success=2"), "twice"),
    "family of no probe": (("--k", 12, "--family", "F=Zoe,Yan"), "Ann, Bob, Cid"),
    "family without names": (("--k", 12, "--family", "F"), "NAME=VALUE"),
    "probe in two families": (("--k", 12, "--family", "F=Ann,Bob", "--family", "G=Bob,Cid"), "Bob"),
    "licence of no probe": (("--k", 12, "--licence", "Zoe=MIT"), "Zoe"),
    "comfort files of no probe": (("--k", 12, "--metric-info", "Zoe=."), "Zoe"),
    "probe path absent": (("--k", 12, "--probe", "Zoe=no/such/place"), "no/such/place"),
    "probe name twice": (("--k", 12, "--probe", "Ann=."), "Ann"),
}


@pytest.mark.parametrize("case", USAGE)
def test_a_wrong_command_line_is_exit_2(compress, tmp_path, case):
    arguments, word = USAGE[case]
    refused(compress(*arguments), 2, word)
    assert not (tmp_path / "suite").exists()


SCORE_USAGE = {
    "unknown probe": (("--k", 5, "--probe", "m1", "--probe", "m99"), "m99"),
    "unknown metric": (("--k", 5, "--metric", "speed"), "speed"),
    "names and a number": (("--k", 5, "--probe", "m1", "--n-probes", 2), "--n-probes"),
    "more probes than models": (("--k", 5, "--n-probes", 99), "8 distinct models"),
    "fewer than none": (("--k", 5, "--n-probes", -1), "--n-probes -1"),
    "bounds of no metric": (("--k", 5, "--bounds", "speed=0:1"), "speed"),
    "bounds without a colon": (("--k", 5, "--bounds", "score=1"), "NAME=LOW:HIGH"),
    "bounds that are no numbers": (("--k", 5, "--bounds", "score=none:1"), "NAME=LOW:HIGH"),
    "bounds the wrong way": (("--k", 5, "--bounds", "score=1:0"), "first number must be below"),
    "an empty range": (("--k", 5, "--bounds", "score=1:1"), "first number must be below"),
    "an endless range": (("--k", 5, "--bounds", "score=0:inf"), "--bounds"),
    "lower is better of no metric": (("--k", 5, "--lower-is-better", "speed"), "speed"),
    "hours without durations": (("--hours", 1), "--hours needs durations"),
    "family of no probe": (("--k", 5, "--family", "F=m99"), "m99"),
    "bestrand without probes": (("--k", 5, "--n-probes", 0, "--selector", "bestrand"), "--selector balanced"),
}


@pytest.mark.parametrize("case", SCORE_USAGE)
def test_a_wrong_command_line_for_tables_is_exit_2(bestrand, toy_table, tmp_path, case):
    arguments, word = SCORE_USAGE[case]
    ran = bestrand("compress", "scores", "--scores", toy_table.scores, *arguments, "--out", tmp_path / "suite")
    refused(ran, 2, word)


@pytest.mark.parametrize(
    "arguments",
    [("compres",), ("compress", "nuplan"), ("compress", "bench2drive"), ("estimate",), ("inspect",), ("--frobnicate",)],
    ids=" ".join,
)
def test_an_incomplete_or_unknown_command_is_exit_2(bestrand, arguments):
    assert bestrand(*arguments).code == 2


def test_an_argument_that_is_no_text_is_exit_2(compress, tmp_path):
    """A path of bytes that are not UTF-8 could stand in no file of the suite, nor be printed."""
    out = tmp_path / os.fsdecode(b"suite\xff")
    refused(compress("--k", 12, out=out), 2, "not UTF-8")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_the_package(bestrand):
    ran = bestrand("--version")
    assert (ran.code, ran.out) == (0, f"bestrand {metadata.version('bestrand-drive')}\n")


@pytest.mark.parametrize("arguments", [("--help",), ("compress", "--help"), ("compress", "fail2drive", "--help")])
def test_help_is_exit_0(bestrand, arguments):
    ran = bestrand(*arguments)
    assert ran.code == 0
    assert "Usage" in ran.out


def test_the_folder_above_out_must_exist(compress, tmp_path):
    refused(compress("--k", 12, out=tmp_path / "no" / "suite"), 2, "does not exist")
    assert not (tmp_path / "no").exists()


def test_an_existing_suite_is_replaced_with_force_only(compress, tmp_path):
    assert compress("--k", 12).code == 0
    old = (tmp_path / "suite" / "suite.json").read_bytes()
    refused(compress("--k", 13), 2, "--force")
    assert (tmp_path / "suite" / "suite.json").read_bytes() == old
    assert compress("--k", 13, "--force").code == 0
    assert json.loads((tmp_path / "suite" / "suite.json").read_text())["k"] == 13
    assert sorted(path.name for path in tmp_path.iterdir()) == ["suite"]


def test_a_suite_of_another_benchmark_leaves_no_file_behind(bestrand, compress, toy_table, tmp_path):
    out = tmp_path / "suite"
    assert compress("--k", 12).code == 0
    assert bestrand("compress", "scores", "--scores", toy_table.scores, "--k", 5, "--out", out, "--force").code == 0
    assert {path.name for path in out.iterdir()} == {"suite.json", "provenance.json", "items.txt"}


def test_force_on_a_linked_folder_replaces_what_it_shows(compress, tmp_path):
    """A link to a suite folder (such as `latest`) must not turn the replacement into an error after it happened."""
    assert compress("--k", 12, out=tmp_path / "real").code == 0
    (tmp_path / "latest").symlink_to(tmp_path / "real")
    ran = compress("--k", 13, "--force", out=tmp_path / "latest")
    assert ran.code == 0, ran.err
    assert json.loads((tmp_path / "latest" / "suite.json").read_text())["k"] == 13
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "real"]


def test_a_foreign_folder_or_a_file_is_never_replaced(compress, tmp_path):
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "thesis.tex").write_text("years of work")
    refused(compress("--k", 12, "--force"), 2, "thesis.tex")
    (tmp_path / "file").write_text("also")
    refused(compress("--k", 12, "--force", out=tmp_path / "file"), 2, "a file of that name")
    assert (tmp_path / "suite" / "thesis.tex").read_text() == "years of work"
    assert (tmp_path / "file").read_text() == "also"


def test_an_empty_folder_is_used(compress, tmp_path):
    (tmp_path / "suite").mkdir()
    assert compress("--k", 12).code == 0


def broken(folder: Path, content: str) -> Path:
    folder.mkdir()
    (folder / "results.json").write_text(content)
    return folder


FOREIGN = {
    "truncated": '{"_checkpoint": {"records": [{"index": 0, "route_id": "RouteSc',
    "not an object": "[1, 2, 3]",
    "foreign": '{"name": "package", "version": "1.0.0"}',
    "no record": '{"_checkpoint": {"records": []}}',
    "empty": "",
    "text": "<routes/>",
}


@pytest.mark.parametrize("verb", ["compress", "estimate"])
@pytest.mark.parametrize("case", FOREIGN)
def test_damaged_and_foreign_results_are_exit_4(bestrand, compress, bench_suite, tmp_path, verb, case):
    folder = broken(tmp_path / "wrong", FOREIGN[case])
    if verb == "compress":
        ran = compress("--k", 12, "--probe", f"Zoe={folder}")
    else:
        ran = bestrand("estimate", bench_suite, "--results", folder)
    refused(ran, 4, "wrong")
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize("crashed", [15, 16])
@pytest.mark.parametrize("status", ["Failed - Agent crashed", "Failed - Simulation crashed"])
def test_a_probe_with_more_than_a_quarter_of_crashes_is_exit_4(bench, compress, tmp_path, crashed, status):
    records = bench.records("Zoe", 0.3)
    for record in records[:crashed]:
        record["status"] = status
        record["scores"] = {"score_route": 0.0, "score_penalty": 1.0, "score_composed": 0.0}
        record["infractions"] = {kind: [] for kind in record["infractions"]}
    folder = bench.put(tmp_path / "Zoe", records)
    ran = compress("--k", 12, "--probe", f"Zoe={folder}")
    if crashed == 15:
        assert ran.code == 0, ran.err
    else:
        refused(ran, 4, "27%", "Zoe", "crashes")


def test_another_evaluator_s_files_are_exit_4_and_can_be_allowed(bestrand, bench, bench_suite, compress, tmp_path):
    folder = bench.put(tmp_path / "Zoe", bench.records("Zoe", 0.3, rule="leaderboard-2.0"))
    words = ("bench2drive's evaluator", "leaderboard-2.0", "--allow-evaluator-mismatch")
    refused(compress("--k", 12, "--probe", f"Zoe={folder}"), 4, *words)
    refused(bestrand("estimate", bench_suite, "--results", folder), 4, *words)
    allowed = compress("--k", 12, "--probe", f"Zoe={folder}", "--allow-evaluator-mismatch")
    assert allowed.code == 0, allowed.err
    assert "not those of bench2drive's evaluator" in allowed.out
    estimated = bestrand("estimate", bench_suite, "--results", folder, "--allow-evaluator-mismatch", "--json")
    assert estimated.code == 0
    assert any("not those of bench2drive's evaluator" in note for note in estimated.json["notes"])


def test_bench2drive_files_for_fail2drive_are_exit_4_and_can_be_allowed(bestrand, fail, fail_suite, tmp_path):
    folder = fail.put(tmp_path / "Zoe", "Zoe", 0.5, 1, rule="bench2drive")
    words = ("fail2drive's evaluator", "bench2drive", "--allow-evaluator-mismatch")
    common = ("compress", "fail2drive", "--routes", fail.routes, *fail.probes(), "--probe", f"Zoe={folder}", "--k", 12)
    refused(bestrand(*common, "--out", tmp_path / "suite"), 4, *words)
    refused(bestrand("estimate", fail_suite, "--results", folder), 4, *words)
    assert bestrand(*common, "--out", tmp_path / "suite", "--allow-evaluator-mismatch").code == 0
    assert bestrand("estimate", fail_suite, "--results", folder, "--allow-evaluator-mismatch").code == 0


@pytest.mark.parametrize("shared", [0, 2])
def test_results_of_another_route_set_are_exit_4(bestrand, bench, bench_suite, compress, tmp_path, shared):
    """Two route sets of one benchmark can share a few ids: two common ones out of sixty make it no result of ours."""
    records = bench.records("Zoe", 0.3)
    for number, record in enumerate(records[shared:]):
        record["route_id"] = f"RouteScenario_{90000 + number}_rep0"
    folder = bench.put(tmp_path / "Zoe", records)
    refused(compress("--k", 12, "--probe", f"Zoe={folder}"), 4, "route set")
    refused(bestrand("estimate", bench_suite, "--results", folder), 4, "route set")


def test_a_route_file_that_is_refused_is_exit_4(bestrand, bench, tmp_path):
    def compress(content: bytes) -> Ran:
        (tmp_path / "routes.xml").write_bytes(content)
        routes = ("--routes", tmp_path / "routes.xml")
        return bestrand("compress", "bench2drive", *routes, *bench.probes(), "--k", 4, "--out", tmp_path / "suite")

    good = bench.routes.read_bytes()
    refused(compress(good.replace(b"<routes>", b'<!DOCTYPE routes [<!ENTITY a "b">]><routes>')), 4, "line 2", "DOCTYPE")
    refused(compress(good.replace(f'id="{bench.ids[4]}"'.encode(), f'id="{bench.ids[0]}"'.encode())), 4, "line")
    refused(compress(good.replace(b' town="Town13"', b"", 1)), 4, "town", "line")
    refused(compress(good.replace(b'x="0.0"', b'x="NaN"', 1)), 4, "line")
    refused(compress(good[: len(good) // 2]), 4, "line")


def test_bounds_that_the_table_breaks_are_exit_4(bestrand, toy_table, tmp_path):
    common = ("--scores", toy_table.scores, "--k", 5, "--out", tmp_path / "suite")
    refused(bestrand("compress", "scores", *common, "--bounds", "score=0:0.5"), 4, "goes from 0 to 1")
    assert not (tmp_path / "suite").exists()


def test_score_tables_that_are_refused_are_exit_4(bestrand, tmp_path):
    def compress(name: str, content: str) -> Ran:
        (tmp_path / name).write_text(content)
        return bestrand("compress", "scores", "--scores", tmp_path / name, "--k", 1, "--out", tmp_path / "suite")

    refused(compress("a.csv", "item_id,m\nq1,1\nq1,0\n"), 4, "q1")
    refused(compress("b.csv", "item_id,m\nq1,yes\n"), 4, "yes")
    refused(compress("c.txt", "item_id,m\nq1,1\n"), 4, ".csv")
    refused(compress("d.csv", "m\n1\n"), 4, "item_id")
    refused(compress("e.csv", "item_id,m\nq1,inf\n"), 4, "inf")


NOTHING = {
    "more than there are": (("--k", 61), "only 60 of 60 can be chosen (0 are excluded, 0 have no probe score)"),
    "more than are left": (
        ("--k", 60, "--exclude", "2000"),
        "only 59 of 60 can be chosen (1 are excluded, 0 have no probe score)",
    ),
    "an ability for each": (("--k", 3), "--no-ability-guard"),
    "less than one route": (("--hours", 0.001, "--no-ability-guard"), "hours"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_selected_is_exit_5(compress, tmp_path, case):
    arguments, word = NOTHING[case]
    refused(compress(*arguments), 5, word)
    assert not (tmp_path / "suite").exists()


def test_without_the_guard_a_single_route_can_be_chosen(compress):
    assert compress("--k", 1, "--no-ability-guard").code == 0


def test_missing_routes_are_exit_6_unless_the_user_said_what_to_do(bestrand, bench, bench_suite, tmp_path):
    chosen = json.loads((bench_suite / "suite.json").read_text())["chosen"]
    records = [one for one in bench.records("Dan", LEVELS["Dan"]) if chosen[0] not in one["route_id"]]
    folder = bench.put(tmp_path / "Dan", records)
    ran = bestrand("estimate", bench_suite, "--results", folder)
    assert ran.code == 6
    assert "1 of the suite's 24 items have no result" in ran.err
    assert "--missing zero" in ran.err
    assert f"missing: 1 of 24 items, left out: {chosen[0]} (no record)" in ran.out
    for rule in ("zero", "exclude"):
        assert bestrand("estimate", bench_suite, "--results", folder, "--missing", rule).code == 0
    refused(bestrand("estimate", bench_suite, "--results", folder, "--missing", "ignore"), 2, "ignore")


def test_a_family_that_the_suite_does_not_know_is_exit_2(bestrand, bench, bench_suite, compress, tmp_path):
    target = ("--results", bench.results("Dan"), "--family", "Tree")
    refused(bestrand("estimate", bench_suite, *target), 2, "--family Tree", "known: none")
    assert compress("--k", 12, "--family", "Oak=Bob,Dan", "--family", "Elm=Ann,Eve").code == 0
    refused(bestrand("estimate", tmp_path / "suite", *target), 2, "--family Tree", "known: Oak, Elm")
    assert bestrand("estimate", tmp_path / "suite", *target[:2], "--family", "Elm").code == 0


def test_missing_zero_without_a_worst_value_is_exit_2(bestrand, tmp_path):
    """Seconds have no worst value until the user states one."""
    ids = [f"q{number}" for number in range(24)]
    columns = {name: [float(7 * (number + shift) % 23) for number in range(24)] for shift, name in enumerate("abt")}
    scores = write_wide(tmp_path / "s.csv", ids, columns)
    common = ("compress", "scores", "--scores", scores, "--probe", "a", "--probe", "b", "--k", 8)
    assert bestrand(*common, "--out", tmp_path / "open").code == 0
    assert bestrand(*common, "--bounds", "score=0:100", "--out", tmp_path / "bounded").code == 0
    for name, code in (("open", 2), ("bounded", 0)):
        chosen = json.loads((tmp_path / name / "suite.json").read_text())["chosen"]
        left = [item for item in ids if item != chosen[0]]
        target = write_wide(tmp_path / f"{name}.csv", left, {"t": [columns["t"][ids.index(item)] for item in left]})
        ran = bestrand("estimate", tmp_path / name, "--results", target, "--missing", "zero")
        assert ran.code == code, ran.err
        if code:
            refused(ran, 2, "--missing zero", "score", "--bounds NAME=LOW:HIGH")
        assert bestrand("estimate", tmp_path / name, "--results", target, "--missing", "exclude").code == 0
    whole = ("estimate", tmp_path / "open", "--results", scores, "--policy", "t", "--missing", "zero")
    assert bestrand(*whole).code == 0, "nothing is missing, so that no worst value is needed"


def test_no_route_of_the_suite_driven_is_exit_6(bestrand, bench, bench_suite, tmp_path):
    chosen = json.loads((bench_suite / "suite.json").read_text())["chosen"]
    records = bench.records("Dan", LEVELS["Dan"])
    others = [record for record in records if record["route_id"].split("_")[1] not in chosen]
    ran = bestrand("estimate", bench_suite, "--results", bench.put(tmp_path / "Dan", others))
    refused(ran, 6, "none of the suite's 24 items")


@pytest.mark.parametrize("level", ["0.4", "1", "2", "nan"])
def test_a_level_out_of_range_is_exit_2(bestrand, bench, bench_suite, level):
    refused(bestrand("estimate", bench_suite, "--results", bench.results("Dan"), "--level", level), 2, "--level")


def test_a_table_with_several_models_needs_a_name(bestrand, toy_table, table_suite):
    refused(bestrand("estimate", table_suite, "--results", toy_table.scores), 2, "--policy")
    refused(bestrand("estimate", table_suite, "--results", toy_table.scores, "--policy", "zoe"), 2, "zoe")


@pytest.mark.parametrize("verb", ["estimate", "inspect"])
def test_an_absent_suite_is_exit_4(bestrand, bench, tmp_path, verb):
    more = ("--results", bench.results("Dan")) if verb == "estimate" else ()
    refused(bestrand(verb, tmp_path / "absent", *more), 4, "absent")


def test_a_folder_that_cannot_be_written_is_exit_7(compress, tmp_path, monkeypatch):
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "suite"))

    monkeypatch.setattr("os.mkdir", denied)
    ran = compress("--k", 12)
    refused(ran, 7, "Permission denied", str(tmp_path))
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_messages_that_look_like_markup_are_printed_as_they_are(bestrand, bench, tmp_path):
    name = "[bold]A[/x]"
    probe = ("--probe", f"{name}={bench.results('Ann')}")
    out = tmp_path / "suite"
    ran = bestrand("compress", "bench2drive", "--routes", bench.routes, *probe, "--k", 12, "--out", out)
    assert ran.code == 0, ran.err
    assert name in ran.out
    assert name in bestrand("inspect", out).out
