"""From one lab to the other: what travels, what must not, and what is refused on arrival."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.choosing.suite_folder import USES
from bestrand_drive.workflows.comparing.uses import count_uses
from bestrand_drive.workflows.sharing.probe_data import permits_sharing, without_probe_data
from bestrand_drive.workflows.sharing.share import read_shared, share_suite
from tests.conftest import Ran
from tests.workflows.toys import drop_columns

Bestrand = Callable[..., Ran]


def given(bestrand: Bestrand, suite: Path, out: Path, *options: object) -> Path:
    """Share a suite, which must succeed."""
    ran = bestrand("share", suite, "--out", out, *options)
    assert ran.code == 0, ran.err
    return out


def tree(folder: Path, *but: str) -> dict[str, bytes]:
    """All files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in but
    }


@pytest.fixture
def suites(request: pytest.FixtureRequest) -> Callable[[str], tuple[Path, Sequence[object]]]:
    """A suite folder and the options with which another lab names its own routes or items."""

    def call(which: str) -> tuple[Path, Sequence[object]]:
        if which == "bench":
            return request.getfixturevalue("bench_suite"), ("--routes", request.getfixturevalue("bench").routes)
        if which == "fail":
            return request.getfixturevalue("fail_suite"), ("--routes", request.getfixturevalue("fail").routes)
        return request.getfixturevalue("table_suite"), ("--items", request.getfixturevalue("toy_table").items)

    return call


@pytest.mark.parametrize("which", ["bench", "fail", "table"])
def test_with_permission_the_other_lab_gets_the_same_bytes(bestrand, suites, tmp_path, which):
    suite, own = suites(which)
    shared = given(bestrand, suite, tmp_path / "suite.share.json", "--probe-data", "yes")
    ran = bestrand("materialize", shared, *own, "--out", tmp_path / "copy", "--json")
    assert ran.code == 0, ran.err
    assert tree(tmp_path / "copy", "provenance.json") == tree(suite, "provenance.json")
    assert ran.json["identical"] is True
    assert ran.json["notes"] == []


@pytest.mark.parametrize("part", [(), ("--part", "demo")])
def test_the_line_for_the_other_lab_makes_the_suite_of_shipped_routes(bestrand, tmp_path, monkeypatch, part):
    monkeypatch.chdir(tmp_path)
    assert bestrand("compress", "builtin", *part, "--k", 20, "--out", "mine").code == 0
    ran = bestrand("share", "mine", "--out", "s.json")
    line = ran.out.partition("the other lab:  bestrand ")[2].split()
    ran = bestrand(*line)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("which", ["bench", "fail", "table"])
def test_without_a_licence_no_item_s_figure_travels(bestrand, suites, tmp_path, which):
    suite, own = suites(which)
    shared = given(bestrand, suite, tmp_path / "s.json")
    raw = json.loads(shared.read_text())
    assert "not stated" in raw["left_out"]
    for metric in raw["suite"]["metrics"]:
        assert {metric[key] for key in ("model", "within", "between", "regression", "expected_error")} == {None}
    for probe in raw["suite"]["probes"]:
        assert probe["digest"] == probe["full_digest"] == ""
        assert not [name for name in probe["full"] if name.startswith("ability_")]
    assert all(item["cost_s"] is None for item in raw["suite"]["items"])
    secret = json.loads((suite / "suite.json").read_text())
    hidden = [probe["digest"] for probe in secret["probes"]] + [secret["content_sha256"]]
    assert not [one for one in hidden if one in shared.read_text()]
    ran = bestrand("materialize", shared, *own, "--out", tmp_path / "copy")
    assert ran.code == 0, ran.err
    assert "wider intervals" in ran.out
    assert tree(tmp_path / "copy", "provenance.json", "suite.json") == tree(suite, "provenance.json", "suite.json")


def test_what_is_left_is_what_compress_keeps_without_probe_data(bestrand, bench, bench_suite, tmp_path):
    plain = tmp_path / "plain"
    options = ("--routes", bench.routes, *bench.probes(), "--k", 24, "--no-probe-data", "--out", plain)
    assert bestrand("compress", "bench2drive", *options).code == 0
    ours, theirs = without_probe_data(read_suite(bench_suite)), read_suite(plain)
    assert (ours.metrics, ours.items, ours.chosen) == (theirs.metrics, theirs.items, theirs.chosen)
    target = ("--results", bench.results("Dan"), "--json")
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    assert bestrand("materialize", shared, "--routes", bench.routes, "--out", tmp_path / "copy").code == 0
    mine, other = bestrand("estimate", tmp_path / "copy", *target), bestrand("estimate", plain, *target)
    assert mine.json["metrics"] == other.json["metrics"]


def test_who_was_judged_on_the_suite_here_does_not_travel(table_suite, tmp_path):
    """Nor does a shared suite change its bytes by it."""
    suite = shutil.copytree(table_suite, tmp_path / "suite")
    (suite / USES).unlink(missing_ok=True)
    before = share_suite(suite)
    count_uses(suite, before.suite.choice_digest(), {"digest": "mine"})
    assert share_suite(suite) == before


def test_no_route_travels(bestrand, bench, bench_suite, tmp_path):
    text = given(bestrand, bench_suite, tmp_path / "s.json", "--routes", bench.routes).read_text()
    assert not re.search(r"<|waypoint|trigger_point|position", text)


def test_every_probe_must_permit_it(bestrand, bench, tmp_path):
    for number, (licences, kept) in enumerate([(("MIT", "CC BY 4.0"), True), (("MIT", "CC BY-NC-ND 4.0"), False)]):
        out = tmp_path / f"suite{number}"
        named = [part for name, text in zip("AB", licences, strict=True) for part in ("--licence", f"{name}={text}")]
        probes = [f"A={bench.results('Ann')}", "--probe", f"B={bench.results('Bob')}"]
        options = ("--routes", bench.routes, "--probe", *probes, *named, "--k", 12, "--out", out)
        assert bestrand("compress", "bench2drive", *options).code == 0
        raw = json.loads(given(bestrand, out, tmp_path / f"{number}.json").read_text())
        assert (raw["left_out"] == "") is kept
        assert ("B (CC BY-NC-ND 4.0)" in raw["left_out"]) is not kept


@pytest.mark.parametrize(
    ("licence", "permits"),
    [(text, True) for text in ("MIT", "mit license", "CC BY 4.0", "cc-by-sa-4.0", "Apache 2.0", "CC0")]
    + [(text, False) for text in ("not stated", "none stated", "", "CC BY-NC 4.0", "CC BY-ND 4.0", "not MIT")]
    + [("MIT, code only", False), ("proprietary", False)],
)
def test_what_counts_as_permission(licence, permits):
    assert permits_sharing(licence) is permits


def test_whitespace_does_not_count_but_is_told(bestrand, bench, bench_suite, tmp_path):
    shared = given(bestrand, bench_suite, tmp_path / "s.json", "--routes", bench.routes)
    mine = tmp_path / "mine.xml"
    mine.write_bytes(bench.routes.read_bytes().replace(b"<position", b"<position  "))
    ran = bestrand("materialize", shared, "--routes", mine, "--out", tmp_path / "copy", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["identical"] is False
    assert "not the bytes" in ran.json["notes"][0]


def test_a_changed_route_is_named(bestrand, bench, bench_suite, tmp_path):
    shared = given(bestrand, bench_suite, tmp_path / "s.json", "--routes", bench.routes)
    content = bench.routes.read_bytes()
    start = content.index(f'id="{bench.ids[0]}"'.encode())
    mine = tmp_path / "mine.xml"
    mine.write_bytes(content[:start] + content[start:].replace(b'y="4.0"', b'y="4.5"', 1))
    ran = bestrand("materialize", shared, "--routes", mine, "--out", tmp_path / "copy")
    assert ran.code == 4
    assert f"1 of other content: {bench.ids[0]}" in ran.err
    assert not (tmp_path / "copy").exists()


def test_routes_whose_content_was_not_shared_cannot_be_compared(bestrand, bench, bench_suite, tmp_path):
    """The toy set is not a known one: without --routes only the suite's own routes have hashes."""
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    mine = tmp_path / "mine.xml"
    mine.write_bytes(bench.routes.read_bytes().replace(b"<position", b"<position  "))
    ran = bestrand("materialize", shared, "--routes", mine, "--out", tmp_path / "copy")
    assert ran.code == 4
    assert "36 routes cannot be compared" in ran.err


def test_the_routes_of_another_set_are_refused(bestrand, bench, fail, fail_suite, bench_suite, tmp_path):
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    fewer = tmp_path / "fewer.xml"
    fewer.write_bytes(bench_suite.joinpath("routes.xml").read_bytes())
    ran = bestrand("materialize", shared, "--routes", fewer, "--out", tmp_path / "copy")
    assert ran.code == 4
    assert "36 not in it" in ran.err
    lacking = tmp_path / "split"
    lacking.mkdir()
    for path in sorted(fail.routes.iterdir())[:-2]:
        (lacking / path.name).write_bytes(path.read_bytes())
    shared = given(bestrand, fail_suite, tmp_path / "f.json")
    ran = bestrand("materialize", shared, "--routes", lacking, "--out", tmp_path / "copy")
    assert (ran.code, "lacks its partner" in ran.err) == (4, True), ran.err
    assert not (tmp_path / "copy").exists()


def test_a_table_without_some_items_is_refused(bestrand, toy_table, table_suite, tmp_path):
    shared = given(bestrand, table_suite, tmp_path / "s.json")
    mine = drop_columns(toy_table.items, tmp_path / "mine.csv", "group")
    mine.write_text("\n".join(mine.read_text().splitlines()[:-1]) + "\n")
    ran = bestrand("materialize", shared, "--items", mine, "--out", tmp_path / "copy")
    assert ran.code == 4
    assert "1 are missing (q079)" in ran.err


def test_groups_travel_by_their_members(bestrand, toy_table, tmp_path):
    options = ("--scores", toy_table.scores, "--items", toy_table.items, "--n-probes", 3, "--k", 8)
    assert bestrand("compress", "scores", *options, "--licence", "MIT", "--out", tmp_path / "suite").code == 0
    shared = given(bestrand, tmp_path / "suite", tmp_path / "s.json")
    assert bestrand("materialize", shared, "--items", toy_table.scores, "--out", tmp_path / "copy").code == 0
    assert tree(tmp_path / "copy", "provenance.json") == tree(tmp_path / "suite", "provenance.json")


Raw = dict[str, Any]


def put(*path: str | int, value: object) -> Callable[[Raw], None]:
    """A change of one place."""

    def change(raw: Raw) -> None:
        place: Any = raw
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (put("share_version", value=2), "share_version 2"),
        (put("share_version", value=True), "share_version True"),
        (put("share_version", value=1.0), "share_version 1.0"),
        (put("left_out", value="half a pair: \ud800"), "control characters"),
        (put("suite", value=None), "schema version None"),
        (put("suite", "chosen", 0, value="../../etc/passwd"), "a chosen id is not among the items"),
        (put("suite", "k", value=23), "the chosen ids do not match k"),
        (put("suite", "surprise", value=1), "surprise: Extra"),
        (put("suite", "choice", "seed", value=1), "does not match its content_sha256"),
        (put("suite", "items", 3, "id", value="\x1b[2J"), "control characters"),
        (put("suite", "route_set", value="x" * 5000), "too long for a name"),
        (put("items_sha256", value="0" * 64), "items_sha256 is not that of its items"),
        (put("routes", value=[1]), "routes: Input should be"),
        (put("files", value={"routes.xml": 3}), "files.routes.xml: Input should be"),
        (put("extra", value=1), "extra: Extra"),
    ],
)
def test_an_edited_file_is_refused(bestrand, bench, bench_suite, tmp_path, change, word):
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    raw = json.loads(shared.read_text())
    change(raw)
    shared.write_text(json.dumps(raw))
    ran = bestrand("materialize", shared, "--routes", bench.routes, "--out", tmp_path / "copy")
    assert ran.code == 4, ran.out
    assert word in ran.err
    assert "\x1b" not in ran.err
    assert not (tmp_path / "copy").exists()


def test_a_file_in_which_names_are_paths_writes_nothing_else(bestrand, bench, bench_suite, tmp_path):
    """Names of files are looked up only; ids that are no routes are refused even where the hashes agree."""
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    raw = json.loads(shared.read_text())
    raw["files"]["../../outside.txt"] = "0" * 64
    shared.write_text(json.dumps(raw))
    assert bestrand("materialize", shared, "--routes", bench.routes, "--out", tmp_path / "deep" / "copy").code == 2
    (tmp_path / "deep").mkdir()
    assert bestrand("materialize", shared, "--routes", bench.routes, "--out", tmp_path / "deep" / "copy").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "s.json"]
    suite = read_suite(bench_suite)
    odd = [item.model_copy(update={"id": "../x"}) if item.id == suite.chosen[0] else item for item in suite.items]
    forged = suite.model_copy(update={"items": odd, "chosen": ["../x", *suite.chosen[1:]]}).sealed()
    from bestrand_drive.workflows.sharing.share import item_leaves, items_digest

    raw |= {"suite": json.loads(forged.to_json()), "items_sha256": items_digest(item_leaves(forged))}
    shared.write_text(json.dumps(raw))
    with pytest.raises(DataRefused, match="no route"):
        read_shared(shared)


def test_strata_that_the_routes_do_not_have_are_refused(bestrand, bench, bench_suite, tmp_path):
    suite = read_suite(bench_suite)
    forged = suite.model_copy(
        update={
            "items": [item.model_copy(update={"stratum": "Accident"}) for item in suite.items],
            "strata": {"Accident": suite.n},
            "choice": suite.choice.model_copy(update={"undriven_strata": []}),
        }
    ).sealed()
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    raw = json.loads(shared.read_text()) | {"suite": json.loads(forged.to_json())}
    shared.write_text(json.dumps(raw))
    ran = bestrand("materialize", shared, "--routes", bench.routes, "--out", tmp_path / "copy")
    assert ran.code == 4
    assert "otherwise" in ran.err


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "the file is empty"),
        (b"{", "truncated or damaged"),
        (b"[]", "share_version None"),
        (b'{"share_version": 1}', "schema version None"),
        (b"[" * 100_000, "nested too deep"),
        (b"\xff\xfe", "not UTF-8 text"),
    ],
)
def test_what_is_no_shared_file_is_refused(bestrand, bench, tmp_path, content, word):
    (tmp_path / "s.json").write_bytes(content)
    ran = bestrand("materialize", tmp_path / "s.json", "--routes", bench.routes, "--out", tmp_path / "copy")
    assert ran.code == 4
    assert str(tmp_path / "s.json") in ran.err
    assert word in ran.err


def test_a_suite_whose_routes_were_edited_is_not_shared(bestrand, bench, bench_suite, tmp_path):
    copy = tmp_path / "suite"
    copy.mkdir()
    for name, content in tree(bench_suite).items():
        (copy / name).write_bytes(content.replace(b'y="4.0"', b'y="4.5"', 1))
    ran = bestrand("share", copy, "--out", tmp_path / "s.json", "--routes", bench.routes)
    assert (ran.code, "was changed; make the suite again" in ran.err) == (4, True), ran.err
    assert not (tmp_path / "s.json").exists()


def test_a_file_that_is_there_stays(bestrand, bench_suite, tmp_path):
    shared = given(bestrand, bench_suite, tmp_path / "s.json")
    before = shared.read_bytes()
    shared.write_text("another's")
    ran = bestrand("share", bench_suite, "--out", shared)
    assert (ran.code, "--force" in ran.err, shared.read_text()) == (2, True, "another's")
    assert given(bestrand, bench_suite, shared, "--force").read_bytes() == before


def test_what_is_shared_is_never_written_over(bestrand, bench, bench_suite, tmp_path):
    """--force replaces an old shared file, not the suite or the routes it is made of."""
    suite, routes = tmp_path / "suite", tmp_path / "routes.xml"
    shutil.copytree(bench_suite, suite)
    routes.write_bytes(bench.routes.read_bytes())
    before = tree(tmp_path)
    (tmp_path / "link").symlink_to(suite / "suite.json")
    for out in (
        suite / "suite.json",
        suite / "routes.xml",
        suite / "provenance.json",
        routes,
        suite,
        tmp_path / "link",
    ):
        ran = bestrand("share", suite, "--routes", routes, "--out", out, "--force")
        assert ran.code == 2
        assert "belongs to what is shared" in ran.err
        assert tree(tmp_path, "link") == before
    given(bestrand, suite, suite / "suite.share.json", "--routes", routes)


def test_a_real_suite_travels_by_the_known_set_s_hashes(bestrand, shared_data, tmp_path):
    routes = shared_data / "bench2drive" / "routes" / "bench2drive220.xml"
    probe = f"UniAD={shared_data / 'bench2drive' / 'results' / 'UniAD-Base'}"
    options = ("--routes", routes, "--probe", probe, "--licence", "UniAD=none stated", "--k", 44)
    assert bestrand("compress", "bench2drive", *options, "--out", tmp_path / "suite").code == 0
    shared = given(bestrand, tmp_path / "suite", tmp_path / "s.json")
    assert len(json.loads(shared.read_text())["routes"]) == 220
    other = shared_data / "bench2drive" / "routes" / "bench2drive_0.0.4_val.xml"
    refused = bestrand("materialize", shared, "--routes", other, "--out", tmp_path / "no")
    assert refused.code == 4
    assert "2 of other content: 26990, 4183" in refused.err
    mine = tmp_path / "mine.xml"
    mine.write_bytes(routes.read_bytes().replace(b"\r\n", b"\n") + b"\n")
    ran = bestrand("materialize", shared, "--routes", mine, "--out", tmp_path / "copy", "--json")
    assert ran.code == 0, ran.err
    assert bestrand("materialize", shared, "--routes", routes, "--out", tmp_path / "copy", "--force").code == 0
    assert tree(tmp_path / "copy")["routes.xml"] == tree(tmp_path / "suite")["routes.xml"]


def test_references_hold_what_is_known_and_no_more(bestrand, bench_suite, fail_suite, table_suite):
    for suite, title in ((bench_suite, "Bench2Drive"), (fail_suite, "Fail2Drive"), (table_suite, "scores.csv")):
        known = read_suite(suite)
        found = bestrand("cite", suite, "--json").json
        assert [one["kind"] for one in found] == [
            "benchmark",
            *["probe"] * len(known.probes),
            *("method", "software", "suite"),
        ]
        assert found[0]["title"] == title
        assert known.choice_digest() in found[-1]["note"]
        text = bestrand("cite", suite, "--format", "text").out
        assert all(probe.name in text and probe.licence in text for probe in known.probes)
        entries = bestrand("cite", suite).out
        assert len(re.findall(r"^@misc\{[^,]+,$", entries, re.M)) == len(found) == entries.count("\n}\n")
        assert "author" not in entries


def test_latex_s_own_letters_are_escaped(bestrand, bench, tmp_path):
    options = ("--routes", bench.routes, "--probe", f"A_1&b={bench.results('Ann')}", "--k", 12, "--out", tmp_path / "s")
    assert bestrand("compress", "bench2drive", *options).code == 0
    assert r"Results of A\_1\&b" in bestrand("cite", tmp_path / "s").out
