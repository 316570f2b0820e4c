"""What compress writes: exactly the files of each benchmark, the user's own bytes, in the user's order."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.workflows.toys import drop_columns, read_json

ELEMENT = re.compile(rb"<route\s.*?</route>", re.DOTALL)
COMMON = {"suite.json", "provenance.json"}


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_bench2drive_writes_four_files(bench_suite):
    assert files(bench_suite) == COMMON | {"routes.xml", "routes-subset.txt"}


def test_route_elements_are_the_user_s_bytes_in_file_order(bench, bench_suite):
    chosen = read_json(bench_suite / "suite.json")["chosen"]
    own = ELEMENT.findall(bench.routes.read_bytes())
    assert len(own) == 60
    wanted = [element for element, route in zip(own, bench.ids, strict=True) if route in chosen]
    written = (bench_suite / "routes.xml").read_bytes()
    assert ELEMENT.findall(written) == wanted
    assert len(wanted) == len(chosen) == 24
    assert [route.get("id") for route in ElementTree.fromstring(written).findall("route")] == chosen


def test_routes_subset_is_one_line_of_ids_in_file_order(bench, bench_suite):
    text = (bench_suite / "routes-subset.txt").read_text()
    assert re.fullmatch(r"[0-9]+(,[0-9]+){23}\n", text)
    ids = text.strip().split(",")
    assert ids == read_json(bench_suite / "suite.json")["chosen"]
    assert ids == [route for route in bench.ids if route in ids]
    assert ids != sorted(ids, key=int), "the toy's file order must differ from the order of ids"


def test_fail2drive_writes_both_members_of_each_pair(fail, fail_suite):
    chosen = read_json(fail_suite / "suite.json")["chosen"]
    stems = [stem for pair in chosen for stem in fail.stems(pair)]
    assert files(fail_suite) == COMMON | {f"routes/{stem}.xml" for stem in stems}
    assert len(stems) == 24
    for stem in stems:
        assert (fail_suite / "routes" / f"{stem}.xml").read_bytes() == (fail.routes / f"{stem}.xml").read_bytes()


def test_scores_writes_the_item_ids(toy_table, table_suite):
    assert files(table_suite) == COMMON | {"items.txt"}
    lines = (table_suite / "items.txt").read_text().splitlines()
    assert lines == read_json(table_suite / "suite.json")["chosen"]
    assert lines == [item for item in toy_table.ids if item in lines]


def test_groups_stay_whole_and_count_their_size(bestrand, toy_table, tmp_path):
    out = tmp_path / "suite"
    ran = bestrand(
        *("compress", "scores", "--scores", toy_table.scores, "--items", toy_table.items),
        *("--n-probes", 3, "--keep", 0.3, "--out", out),
    )
    assert ran.code == 0, ran.err
    suite = read_json(out / "suite.json")
    groups = dict(zip(toy_table.ids, toy_table.groups, strict=True))
    written = (out / "items.txt").read_text().split()
    assert set(written) == {item for item, group in groups.items() if group in suite["chosen"]}
    for item in suite["items"]:
        assert item["members"] == [one for one, group in groups.items() if group == item["id"]]
        assert item["weight"] == len(item["members"])
    assert suite["n"] == len(set(groups.values()))


def test_the_strata_column_is_used(bestrand, toy_table, tmp_path):
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group", "cost_s")
    out = tmp_path / "suite"
    ran = bestrand(
        *("compress", "scores", "--scores", toy_table.scores, "--items", items, "--n-probes", 3, "--k", 12),
        *("--out", out),
    )
    assert ran.code == 0, ran.err
    assert "strata: 4 of 4 driven" in ran.out
    suite = read_json(out / "suite.json")
    strata = dict(zip(toy_table.ids, toy_table.strata, strict=True))
    counts = [sum(strata[item] == name for item in suite["chosen"]) for name in suite["strata"]]
    assert counts == [3, 3, 3, 3]


def test_no_file_of_a_suite_names_a_time_or_a_host_but_provenance(bench_suite):
    provenance = read_json(bench_suite / "provenance.json")
    assert set(provenance) >= {"written", "host", "command", "python", "versions"}
    text = (bench_suite / "suite.json").read_text()
    assert not re.search(rf"\b{re.escape(provenance['host'])}\b", text)
    assert provenance["written"][:10] not in text


def test_the_files_can_be_read_by_everyone(bench_suite):
    assert {oct(path.stat().st_mode & 0o777) for path in bench_suite.iterdir() if path.is_file()} == {"0o644"}


def test_the_screen_says_what_was_read_chosen_and_written(bestrand, bench, tmp_path):
    out = tmp_path / "suite"
    ran = bestrand("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 24, "--out", out)
    assert ran.code == 0
    assert ran.err == ""
    for said in (
        "24 of 60 routes (40.0%)",
        "scenario types: 12 of 12 driven",
        "ability_give_way: 4 of 10 routes",
        "predicted hours a policy:",
        "probes: Ann, Bob, Cid",
        "finding: unknown route set",
        "comfort is not measured",
        f"bestrand estimate {out} --results RESULTS",
    ):
        assert said in ran.out
    for name in files(out):
        assert name in ran.out


@pytest.mark.parametrize(("k", "excluded", "size"), [(23, (), 24), (24, (), None), (30, (), None), (23, (0,), None)])
def test_a_size_of_whole_shares_is_suggested_when_one_is_near(bestrand, bench, tmp_path, k, excluded, size):
    """Without one of its routes a type has 4 of 59, and no size but all of them shares out."""
    never = ",".join(bench.ids[number] for number in excluded)
    common = ("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--exclude", never)
    ran = bestrand(*common, "--k", k, "--out", tmp_path / "s")
    assert ran.code == 0, ran.err
    said = f"--k {size} is near and gives each of the 12 strata exactly its share"
    assert (said in ran.out) if size else ("is near" not in ran.out)


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive", "scores"])
def test_without_probes_it_is_stratified_sampling_and_says_so(bestrand, bench, fail, toy_table, tmp_path, benchmark):
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group", "cost_s")
    source = {
        "bench2drive": ("--routes", bench.routes),
        "fail2drive": ("--routes", fail.routes),
        "scores": ("--scores", toy_table.scores, "--items", items, "--n-probes", 0),
    }[benchmark]
    ran = bestrand("compress", benchmark, *source, "--k", 12, "--out", tmp_path / "suite")
    assert ran.code == 0, ran.err
    assert "probes: none; the choice is a stratified random sample" in ran.out
    suite = read_json(tmp_path / "suite" / "suite.json")
    assert suite["probes"] == []
    assert suite["choice"]["undriven_strata"] == []


def test_copies_among_probes_are_reported_and_counted_once(bestrand, bench, tmp_path):
    common = ("compress", "bench2drive", "--routes", bench.routes, "--k", 12)
    again = ("--probe", f"Twin={bench.results('Bob')}")
    ran = bestrand(*common, *bench.probes(), *again, "--out", tmp_path / "four")
    assert ran.code == 0, ran.err
    assert "Twin has exactly the scores of Bob; the two count as one probe" in ran.out
    bestrand(*common, *bench.probes(), "--out", tmp_path / "three")
    four, three = (read_json(tmp_path / name / "suite.json") for name in ("four", "three"))
    assert four["chosen"] == three["chosen"]
    assert four["metrics"] == three["metrics"]
    assert [probe["copy_of"] for probe in four["probes"]] == [None, None, None, "Bob"]
    assert four["probes"][3]["full_digest"] == four["probes"][1]["full_digest"]


def test_a_changed_route_file_is_reported_and_inspect_shows_it_again(bestrand, bench, bench_suite):
    ran = bestrand("inspect", bench_suite)
    assert ran.code == 0
    assert "24 of 60 routes" in ran.out
    assert "scenario types: 12 of 12 driven" in ran.out
    assert "finding: unknown route set" in ran.out
    assert bestrand("inspect", bench_suite, "--json").out == (bench_suite / "suite.json").read_text()
    assert bestrand("inspect", bench_suite / "suite.json").out == ran.out


def test_types_that_are_not_driven_are_named(bestrand, bench, tmp_path):
    out = tmp_path / "s"
    ran = bestrand("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 6, "--out", out)
    assert ran.code == 0, ran.err
    suite = read_json(out / "suite.json")
    driven = {bench.types[route] for route in suite["chosen"]}
    assert suite["choice"]["undriven_strata"] == sorted(set(bench.types.values()) - driven)
    assert suite["choice"]["undriven_strata"][0] in bestrand("inspect", out).out
