"""JUnit and Markdown say what the JSON says, whatever is in the names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

import bestrand_drive as bd
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.gating.evidence import evidence
from bestrand_drive.workflows.gating.fitting import fitting
from bestrand_drive.workflows.gating.junit import junit
from bestrand_drive.workflows.gating.markdown import markdown
from bestrand_drive.workflows.gating.outputs import add_markdown, check_places, write_junit
from bestrand_drive.workflows.gating.summary import HEADS, rows
from tests.workflows.gating.made import side

METRICS = ["driving_score", "success"]
HOSTILE = "<b>&\"'|`_*_\x1b[31m\x00\ud7ff]]>"


@pytest.fixture(scope="module")
def found(bench, bench_suite, tmp_path_factory):
    """Failed against the anchor, undecided against the baseline, with one route without a result."""
    folder = tmp_path_factory.mktemp("sides")
    suite = bd.read_suite(bench_suite)
    main, old = side(bench, folder, "main", -0.6), side(bench, folder, "old", 2.4)
    new = side(bench, folder, "new", -0.6, without=suite.chosen[:1])
    gated = bd.gate(suite, main, new, anchor=old, metrics=METRICS, max_drop=2, missing="exclude")
    return evidence(gated)


def cases(content: bytes, suite: str) -> list[Xml.Element]:
    root = Xml.fromstring(content)
    (one,) = [each for each in root if each.get("name", "").endswith(suite)]
    return one.findall("testcase")


def test_the_json_is_strict_and_whole(found):
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["status"] == "failed"
    assert [(one["role"], one["policy"]) for one in found["references"]] == [("baseline", "main"), ("anchor", "old")]
    assert len(found["routes"]) == 24


def test_a_folder_that_is_called_as_its_role_is_named_once(bench, bench_suite, tmp_path):
    """As in the recipes: runs/baseline is the baseline."""
    main, new = side(bench, tmp_path, "baseline", -0.6), side(bench, tmp_path, "new", -0.6)
    told = evidence(bd.gate(bench_suite, main, new))
    assert ": new against baseline (regression" in told["said"]
    assert rows(told)[0][1] == "baseline"


def test_shares_keep_their_figures_and_no_unit_leaves_no_gap(table_suite, toy_table):
    """On a scale of 0 to 1 two decimals would show a drop of .004 as none."""
    gated = bd.gate(table_suite, "m6", "m7", scores=toy_table.scores, max_drop=0.01)
    told = evidence(gated)
    (line,) = told["references"][0]["metrics"]
    low, high = (f"{line['interval'][end]:+.4f}" for end in ("low", "high"))
    assert f"{line['difference']:+.4f} (95 %: {low} to {high})" in line["said"]
    (row,) = rows(told)
    assert row[3:5] == (f"{line['difference']:+.4f}", f"{low} to {high}")
    assert row[6] == f"{line['detectable_drop']:.4f}"


def test_junit_has_one_case_a_metric_and_reference(found):
    tags = {"passed": None, "failed": "failure", "undecided": "skipped"}
    lines = [(one, line) for one in found["references"] for line in one["metrics"]]
    made = cases(junit(found), "gate")
    assert len(made) == len(lines) == 4
    for case, (reference, line) in zip(made, lines, strict=True):
        assert case.get("name") == f"{line['name']} against {reference['role']} {reference['policy']}"
        marks = [one for one in case if one.tag in ("failure", "skipped", "error")]
        assert [one.tag for one in marks] == [tag for tag in [tags[line["status"]]] if tag]
        assert all(line["said"] in one.get("message") for one in marks)
    assert {line["status"] for _, line in lines} >= {"failed", "undecided"}


def test_an_undecided_line_that_stops_the_change_is_a_failure(found):
    line = found["references"][0]["metrics"][0]
    assert line["status"] == "undecided"
    stopped = json.loads(json.dumps(found))
    stopped["references"][0]["metrics"][0]["passes"] = False
    first = cases(junit(stopped), "gate")[0]
    assert first.find("failure").get("type") == "undecided"


def test_a_route_is_an_error_without_a_result_and_never_a_failure(found):
    made = {case.get("name"): case for case in cases(junit(found), "routes")}
    assert set(made) == {route["id"] for route in found["routes"]}
    for route in found["routes"]:
        case = made[route["id"]]
        assert case.find("failure") is None
        assert (case.find("error") is not None) == (route["no_result"] is not None)
        said = case.find("system-out").text
        for name, value in (route["scores"] or {}).items():
            assert f"{name} {value:g}" in said
        for one in route["references"]:
            assert one["policy"] in said
            assert all(metric in said for metric in one["flipped"])
    assert sum(case.find("error") is not None for case in made.values()) == 1
    assert any("flipped" in case.find("system-out").text for case in made.values())


def test_the_counts_are_those_of_the_cases(found):
    root = Xml.fromstring(junit(found))
    for attribute, tag in {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        each = [int(suite.get(attribute)) for suite in root]
        assert each == [len(list(suite.iter(tag))) for suite in root]
        assert int(root.get(attribute)) == sum(each)


def test_markdown_has_every_line_and_its_figures(found):
    page = markdown(found)
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 4
    assert all(line.count(" | ") == len(HEADS) - 1 for line in [table[0], *table[2:]])
    for row, (reference, line) in zip(
        table[2:], [(one, line) for one in found["references"] for line in one["metrics"]], strict=True
    ):
        figures = (f"{line['difference']:+.2f}", f"{line['interval']['low']:+.2f}", f"{line['detectable_drop']:.2f}")
        assert all(part in row for part in (reference["policy"], line["status"], *figures))
    assert found["routes"][0]["id"] in page
    assert "no result of new" in page


def hostile(value):
    """The same evidence with bad characters in every text but the keys and statuses."""
    if isinstance(value, dict):
        fixed = {"status", "passes", "role"}
        return {key: part if key in fixed else hostile(part) for key, part in value.items()}
    if isinstance(value, list):
        return [hostile(part) for part in value]
    return HOSTILE + value if isinstance(value, str) else value


def test_no_name_breaks_out(found):
    bad = hostile(found)
    root = Xml.fromstring(junit(bad))
    assert {one.tag for one in root.iter()} == {
        *("testsuites", "testsuite", "testcase", "properties", "property"),
        *("failure", "skipped", "error", "system-out"),
    }
    page = markdown(bad)
    assert "<b>" not in page
    assert "\x1b" not in page
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert all(line.replace("\\|", "").count("|") == len(HEADS) + 1 for line in table)


def test_a_huge_log_keeps_head_and_tail(found):
    bad = json.loads(json.dumps(found))
    bad["routes"][0]["no_result"] = "head" + "x" * 5_000_000 + "tail"
    content = junit(bad)
    assert len(content) < 200_000
    message = next(case for case in cases(content, "routes") if case.find("error") is not None).find("error")
    assert message.get("message").startswith("headx")
    assert message.get("message").endswith("xtail")
    assert len(markdown(bad)) < 50_000


def test_files_are_replaced_and_summaries_added_to(found, tmp_path):
    for _ in range(2):
        write_junit(found, tmp_path / "gate.xml")
        add_markdown(found, tmp_path / "summary.md")
    assert (tmp_path / "gate.xml").read_bytes() == junit(found)
    assert (tmp_path / "summary.md").read_text() == 2 * markdown(found)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("", "no file is named"),
        (".", "no file is named"),
        ("..", "in a folder that is there"),
        ("absent/gate.xml", "in a folder that is there"),
    ],
)
def test_places_are_looked_at_before_anything_is_read(place, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for option, places in (("--junit", (Path(place), None)), ("--markdown", (None, Path(place)))):
        with pytest.raises(UsageError, match=f"{option}.*{said}"):
            check_places(*places)
    check_places(Path("gate.xml"), Path("summary.md"))


def test_nothing_else_is_lost_or_spoilt(found, tmp_path):
    """A suite, a pipe, or the other output where the file should go; an earlier JUnit file and a link may be there."""
    suite, pipe, page, link = (tmp_path / name for name in ("suite.json", "pipe", "page.md", "link.xml"))
    suite.write_text("{}")
    os.mkfifo(pipe)
    for wrong, said in (
        ((suite, None), "is no XML and would be lost"),
        ((pipe, None), "a pipe or a device is there"),
        ((Path("-"), None), "JUnit is a file"),
        ((None, suite), "Markdown would spoil a .json file"),
        ((page, page), "these are two files"),
        ((page, tmp_path / "./page.md"), "these are two files"),
    ):
        with pytest.raises(UsageError, match=said):
            check_places(*wrong)
    assert suite.read_text() == "{}"
    earlier = tmp_path / "gate.xml"
    earlier.write_bytes(b"\xef\xbb\xbf <?xml version='1.0'?>")
    link.symlink_to(earlier)
    check_places(link, page)
    write_junit(found, link)
    assert link.is_symlink()
    assert earlier.read_bytes() == junit(found)
    earlier.write_bytes(b"")
    check_places(earlier, None)


def test_a_page_that_cannot_be_added_is_named(found):
    with pytest.raises(OSError, match="/dev/full"):
        add_markdown(found, Path("/dev/full"))


def test_text_does_not_run_backwards():
    assert fitting("a\u202ecod.exe\u2066") == "a\ufffdcod.exe\ufffd"


def test_a_name_hides_no_caution(bench, bench_suite, tmp_path):
    """The caution on uses is said once, the last one; a policy called like it keeps its own."""
    main = side(bench, tmp_path, "main", 0.9)
    new = side(bench, tmp_path, "nothing was tuned on me", 0.8)
    records = bench.records("new", 0.8)
    records[0]["status"] = "Failed - Agent crashed"
    bench.put(new, records)
    said = evidence(bd.gate(bd.read_suite(bench_suite), main, new, anchor=side(bench, tmp_path, "old", 0.7)))[
        "cautions"
    ]
    assert sum("the intervals assume" in one for one in said) == 1
    assert any(one.startswith("nothing was tuned on me: 1 of") for one in said)
