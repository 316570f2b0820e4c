"""The suite file: what is written is read again, and every edit or damage is refused with exit 4."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import dump_json, sha256_bytes
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from tests.conftest import Ran

Raw = dict[str, Any]


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[Path, Callable[[Raw], object]], Path]:
    """A copy of a suite with its JSON changed."""

    def call(suite: Path, change: Callable[[Raw], object]) -> Path:
        raw = json.loads((suite / "suite.json").read_text())
        change(raw)
        folder = tmp_path / f"edited{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "suite.json").write_text(json.dumps(raw))
        return folder

    return call


@pytest.mark.parametrize("which", ["bench_suite", "fail_suite", "table_suite"])
def test_a_suite_reads_as_it_was_written(request, which):
    folder = request.getfixturevalue(which)
    suite = read_suite(folder)
    assert suite.to_json() == (folder / "suite.json").read_bytes()
    assert Suite.model_validate(json.loads(suite.to_json())) == suite
    assert read_suite(folder / "suite.json") == suite


@pytest.mark.parametrize("which", ["bench_suite", "fail_suite", "table_suite"])
def test_statistics_keep_nine_digits_and_no_rounding_residue(request, which):
    """The last bits of a linear-algebra library must not change a file: neither as digits nor as 4e-16 for zero."""
    raw = json.loads((request.getfixturevalue(which) / "suite.json").read_text())
    numbers: list[tuple[str, float]] = []

    def walk(value: object, place: str) -> None:
        if isinstance(value, float):
            numbers.append((place, value))
        for key, inner in (
            value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
        ):
            walk(inner, f"{place}.{key}")

    walk(raw, "")
    assert len(numbers) > 20
    assert [place for place, value in numbers if value != float(f"{value:.9g}")] == []
    assert [place for place, value in numbers if 0 < abs(value) < 1e-12] == []


def drop_last(raw: Raw) -> None:
    raw["chosen"].pop()


def drop_last_and_count(raw: Raw) -> None:
    drop_last(raw)
    raw["k"] -= 1


def put(*path: str | int, value: object) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        place: Any = raw
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def shorten(*path: str | int) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        place: Any = raw
        for key in path:
            place = place[key]
        place.pop()

    return change


def no_chosen(raw: Raw) -> None:
    raw.update(chosen=[], k=0)


HASH = "does not match its content_sha256"
"""What is said of an edit that no other check has to notice."""
EDITS: dict[str, tuple[Callable[[Raw], object], str]] = {
    "a chosen id removed": (drop_last, "the chosen ids do not match k"),
    "a chosen id replaced": (put("chosen", 0, value="nobody"), "a chosen id is not among the items"),
    "a chosen id twice": (lambda raw: raw["chosen"].__setitem__(0, raw["chosen"][1]), "the chosen ids do not match k"),
    "nothing chosen": (no_chosen, "k: Input should be greater than or equal to 1"),
    "an item removed": (shorten("items"), "59 items are listed"),
    "an item twice": (lambda raw: raw["items"].__setitem__(0, raw["items"][1]), "an item id occurs twice"),
    "n changed": (put("n", value=61), "n says 61"),
    "k is text": (put("k", value="many"), "k: Input should be"),
    "a newer schema": (put("schema_version", value=2), "schema version 2"),
    "no schema": (lambda raw: raw.pop("schema_version"), "schema version None"),
    "a schema that equals one": (put("schema_version", value=True), "schema version True"),
    "half a surrogate pair": (put("route_set", value="odd \ud800"), "half of a surrogate pair"),
    "the schema as text": (put("schema_version", value="1"), "schema version '1'"),
    "an unknown field": (put("surprise", value=1), "surprise: Extra"),
    "a field removed": (lambda raw: raw.pop("choice"), "choice: Field required"),
    "an unknown benchmark": (put("benchmark", value="nuplan"), "benchmark: Input should be"),
    "a benchmark that is a path": (put("benchmark", value="../route_configs/bench2drive"), "benchmark: Input"),
    "a number that is none": (put("metrics", 0, "high", value=float("nan")), "metrics.0.high: Input"),
    "an endless number": (
        put("probes", 0, "full", value={"driving_score": float("inf")}),
        "probes.0.full.driving_score: Input",
    ),
    "a difficulty that is none": (put("metrics", 0, "within", 3, value=float("nan")), "metrics.0.within.3: Input"),
    "a difficulty column cut": (shorten("metrics", 0, "within"), "not one number an item"),
    "one column of two": (put("metrics", 0, "between", value=None), "lacks its columns"),
    "a metric twice": (lambda raw: raw["metrics"].append(raw["metrics"][0]), "have one name"),
    "bounds the wrong way": (put("metrics", 0, "high", value=-1.0), "bounds [0.0, -1.0] are empty"),
    "a negative variance": (put("metrics", 0, "model", "s_e2", value=-4.0), "model.s_e2: Input should be greater"),
    "a negative noise": (put("metrics", 0, "noise", "sd", value=-4.0), "noise.sd: Input should be greater"),
    "a weight of zero": (put("items", 0, "weight", value=0.0), HASH),
    "a negative weight": (put("items", 0, "weight", value=-1.0), "items.0.weight: Input should be greater"),
    "a domain of an unknown metric": (
        put("domains", 0, "metric", value="speed"),
        "a domain is of a metric that is not there",
    ),
    "a harmonic mean of unknown metrics": (
        put("harmonic", value=[{"name": "hm", "score": "no", "success": "such"}]),
        "a metric that is not there",
    ),
    "no metric": (put("metrics", value=[]), "it has no metric"),
}


def check(ran: Ran, folder: Path, word: str) -> None:
    assert ran.code == 4, ran.err or ran.out
    assert ran.out == ""
    assert str(folder) in ran.err
    assert word in ran.err


@pytest.mark.parametrize("case", EDITS)
def test_an_edited_suite_is_refused(bestrand, bench, bench_suite, edited, case):
    """By the part that contradicts another: the hash, which notices every edit, is told last."""
    change, word = EDITS[case]
    folder = edited(bench_suite, change)
    check(bestrand("estimate", folder, "--results", bench.results("Dan")), folder, word)


def all_weightless(raw: Raw) -> None:
    for item in raw["items"]:
        item["weight"] = 0.0


def bounds(low: float | None, high: float | None) -> Callable[[Raw], None]:
    return lambda raw: raw["metrics"][0].update(low=low, high=high)


def members(*names: str) -> Callable[[Raw], None]:
    return put("items", 0, "members", value=list(names))


def nested(raw: Raw) -> None:
    deep: list[Any] = []
    for _ in range(400):
        deep = [deep]
    raw["imported"] = {"format": deep}


PAIR = ("Base_Animals_0000", "Generalization_Animals_1000")
UNCHANGED_BY_A_SEAL = (
    *("a chosen id removed", "a chosen id replaced", "a chosen id twice", "nothing chosen", "an item removed"),
    *("an item twice", "n changed", "k is text", "an unknown field", "a field removed", "an unknown benchmark"),
    *("a benchmark that is a path", "a number that is none", "an endless number", "a difficulty that is none"),
    *("a difficulty column cut", "one column of two", "a metric twice", "bounds the wrong way", "a negative variance"),
    *("a negative noise", "a negative weight", "a domain of an unknown metric", "no metric"),
    "a harmonic mean of unknown metrics",
)
RESEALED = {
    **{f"bench: {case}": EDITS[case][0] for case in UNCHANGED_BY_A_SEAL},
    "bench: no weight": all_weightless,
    "bench: bounds without end": bounds(0.0, 1e300),
    "bench: bounds that no float32 tells apart": bounds(0.0, 1e-300),
    "bench: bounds of text": bounds("0", 100.0),
    "bench: true for a number": bounds(True, 100.0),
    "bench: n as text": put("n", value="60"),
    "bench: a number of 400 digits": put("n", value=10**400),
    "bench: a negative k": put("k", value=-1),
    "bench: a seed below zero": put("choice", "seed", value=-1),
    "bench: a setting that is none": put("choice", "settings", "imbalance", value=float("nan")),
    "bench: a pool factor of text": put("choice", "settings", "pool_factor", value="x"),
    "bench: a metric weight of text": put("choice", "settings", "metric_weights", value="success=x"),
    "bench: a metric weight that is none": put("choice", "settings", "metric_weights", value="success=nan"),
    "bench: weights of other metrics": put("choice", "settings", "metric_weights", value="success=1 accuracy=1"),
    "bench: a difficulty beyond the bounds": put("metrics", 0, "within", 3, value=1e18),
    "bench: a variance beyond the bounds": put("metrics", 0, "model", "s_u2", value=1e30),
    "bench: a noise beyond the bounds": put("metrics", 0, "noise", "sd", value=1e9),
    "bench: an endless weight": put("items", 0, "weight", value=1e300),
    "bench: other strata": put("strata", value={"Accident": 60}),
    "bench: two probes of one name": lambda raw: raw["probes"].append(raw["probes"][0]),
    "bench: more intervals held than there were": put("ceiling", value={"success": {"22": [3, 2]}}),
    "bench: a member of two": members("2000", "2000"),
    "bench: an import of another form": put("imported", value={"format": "lm-eval"}),
    "bench: nested deep": nested,
    "fail: a pair of one": members(PAIR[0]),
    "fail: a pair of three": members(*PAIR, "Base_Animals_0001"),
    "fail: no pair": members(),
    "fail: the wrong way round": members(*reversed(PAIR)),
    "fail: a number that is none": members("Base_Animals_x", "Generalization_Animals_y"),
    "fail: two that do not belong together": members("Base_Animals_0000", "Generalization_Animals_1001"),
    "table: a row of the regression removed": shorten("metrics", 0, "regression", "scores"),
    "table: a regression row cut": shorten("metrics", 0, "regression", "scores", 0),
    "table: a pool of nothing": put("metrics", 0, "regression", "pool", value=0),
    "table: a pool that is not the items'": put("metrics", 0, "regression", "pool", value=7),
    "table: a correlation of two": put("metrics", 0, "regression", "correlation", value=2.0),
}


def resealed(raw: Raw) -> None:
    """Seal it as docs/suite-schema.md says; what strict JSON cannot hold keeps the old seal."""
    rest = {name: value for name, value in raw.items() if name != "content_sha256"}
    with contextlib.suppress(ValueError):
        raw["content_sha256"] = sha256_bytes(dump_json(rest))


@pytest.mark.parametrize("case", RESEALED)
def test_a_suite_sealed_after_an_edit_is_refused_by_its_parts(request, edited, case):
    """Where its parts cannot be, an estimate ended in a traceback or in NaN, whatever the hash says."""

    def change(raw: Raw) -> None:
        RESEALED[case](raw)
        resealed(raw)

    folder = edited(request.getfixturevalue(f"{case.partition(':')[0]}_suite"), change)
    with pytest.raises(DataRefused) as refused:
        read_suite(folder)
    assert str(folder) in str(refused.value)
    assert "content_sha256" not in str(refused.value)


def test_the_seal_of_these_tests_is_the_suite_s(bench_suite, table_suite):
    for folder in (bench_suite, table_suite):
        raw = json.loads((folder / "suite.json").read_text())
        seal = raw["content_sha256"]
        resealed(raw)
        assert raw["content_sha256"] == seal


def test_a_suite_written_anew_is_the_same_suite(bench_suite, tmp_path):
    """Layout and order of keys are no content; a digit of a number is."""
    raw = json.loads((bench_suite / "suite.json").read_text())
    (tmp_path / "suite.json").write_text(json.dumps(dict(reversed(raw.items())), separators=(",", ":")))
    assert read_suite(tmp_path) == read_suite(bench_suite)
    raw["metrics"][0]["noise"]["sd"] += 1e-6
    (tmp_path / "suite.json").write_text(json.dumps(raw))
    with pytest.raises(DataRefused, match="content_sha256"):
        read_suite(tmp_path)


def test_a_sealed_suite_survives_the_way_through_a_file(bench_suite, tmp_path):
    """Coverage at the ceiling and families of policies that are no probes travel along."""
    changes = {"ceiling": {"success": {22: (811, 1000)}}, "families": {"Oak": ["Bob", "Later"]}}
    suite = read_suite(bench_suite).model_copy(update=changes)
    (tmp_path / "suite.json").write_bytes(suite.to_json())
    with pytest.raises(DataRefused, match="content_sha256"):
        read_suite(tmp_path)
    (tmp_path / "suite.json").write_bytes(suite.sealed().to_json())
    again = read_suite(tmp_path)
    assert again.ceiling == {"success": {22: (811, 1000)}}
    assert again.families == {"Oak": ["Bob", "Later"]}
    assert again == suite.sealed()


TABLE_EDITS: dict[str, tuple[Callable[[Raw], object], str]] = {
    "a chosen id removed with its count": (drop_last_and_count, "not a row an id"),
    "a row of the regression removed": (shorten("metrics", 0, "regression", "scores"), "not a row an id"),
    "a regression row cut": (shorten("metrics", 0, "regression", "scores", 0), "not a row an id"),
    "a regression without rows": (put("metrics", 0, "regression", "scores", value=[]), "not a row an id"),
    "a pool of nothing": (put("metrics", 0, "regression", "pool", value=0), "regression.pool: Input should be greater"),
}


@pytest.mark.parametrize("case", TABLE_EDITS)
def test_an_edited_suite_of_a_table_is_refused(bestrand, toy_table, table_suite, edited, case):
    change, word = TABLE_EDITS[case]
    folder = edited(table_suite, change)
    check(bestrand("estimate", folder, "--results", toy_table.scores, "--policy", "m4"), folder, word)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        *((content, "not valid JSON") for content in (b"", b"{", b"\xff\xfe", b"[" * 100_000)),
        *((content, "schema version None") for content in (b"[]", b"null", b"7", b'"suite"')),
    ],
)
def test_what_is_no_suite_is_refused(bestrand, tmp_path, content, word):
    (tmp_path / "suite.json").write_bytes(content)
    check(bestrand("inspect", tmp_path), tmp_path, word)


@pytest.mark.parametrize("which", ["bench_suite", "table_suite"])
def test_a_truncated_suite_is_refused_at_every_length(request, tmp_path, which):
    content = (request.getfixturevalue(which) / "suite.json").read_bytes()
    for length in range(0, len(content) - 1, max(1, len(content) // 60)):
        (tmp_path / "suite.json").write_bytes(content[:length])
        with pytest.raises(DataRefused, match=r"suite\.json"):
            read_suite(tmp_path)


def without_probe_hours(suite: Suite) -> Suite:
    probes = [probe.model_copy(update={"hours": None}) for probe in suite.probes]
    return suite.model_copy(update={"probes": probes})


def test_predicted_hours_are_the_mean_over_the_probes(bench_suite):
    suite = read_suite(bench_suite)
    assert all(probe.hours for probe in suite.probes)
    one = suite.probes[0].model_copy(update={"hours": (1.0, 5.0)})
    two = suite.probes[1].model_copy(update={"hours": (2.0, 9.0)})
    none = suite.probes[2].model_copy(update={"hours": None})
    assert suite.model_copy(update={"probes": [one, two, none]}).predicted_hours() == (1.5, 7.0)


@pytest.mark.parametrize("hours", [True, False], ids=["of probes", "of items"])
def test_predicted_hours_from_probes_and_from_items_agree(bench_suite, hours):
    suite = read_suite(bench_suite)
    suite = suite if hours else without_probe_hours(suite)
    seconds = {item.id: item.cost_s for item in suite.items}
    chosen, whole = suite.predicted_hours() or (0, 0)
    assert chosen == pytest.approx(sum(seconds[item] or 0 for item in suite.chosen) / 3600)
    assert whole == pytest.approx(sum(value or 0 for value in seconds.values()) / 3600)


def test_hours_are_unknown_when_one_duration_is(bench_suite):
    suite = without_probe_hours(read_suite(bench_suite))
    items = [suite.items[0].model_copy(update={"cost_s": None}), *suite.items[1:]]
    assert suite.model_copy(update={"items": items}).predicted_hours() is None


def test_probe_hours_and_totals_are_those_of_the_files(bench, bench_suite):
    """Ann drove everything, so that nothing is filled."""
    suite = read_suite(bench_suite)
    records = {record["route_id"].split("_")[1]: record for record in bench.records("Ann", 1.6)}
    ann = suite.probes[0]
    chosen, whole = ann.hours or (0, 0)
    assert whole == pytest.approx(sum(r["meta"]["duration_system"] for r in records.values()) / 3600)
    assert chosen == pytest.approx(sum(records[item]["meta"]["duration_system"] for item in suite.chosen) / 3600)
    assert ann.items == 60
    composed = [record["scores"]["score_composed"] for record in records.values()]
    assert ann.full["driving_score"] == pytest.approx(sum(composed) / 60)
