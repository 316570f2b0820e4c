"""``bestrand order`` and ``estimate --until``: what is printed, and that only whole blocks of the order count."""

from __future__ import annotations

import json

import pytest

from bestrand_drive import estimate
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.estimating.stopping import order_of
from tests.workflows.toys import LEVELS


@pytest.fixture(scope="module")
def whole(bestrand, bench, tmp_path_factory):
    """A suite of all 60 routes: 12 types of 5, so a cycle is 12."""
    out = tmp_path_factory.mktemp("whole") / "suite"
    ran = bestrand("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 60, "--out", out)
    assert ran.code == 0, ran.err
    return out


def some(bench, folder, routes):
    """Results of Dan on some routes only."""
    records = [one for one in bench.records("Dan", LEVELS["Dan"]) if one["route_id"].split("_")[1] in routes]
    return bench.put(folder, records)


def test_the_order_is_printed_with_blocks_and_is_the_same_each_time(bestrand, bench, whole):
    ran = bestrand("order", whole, "--block", 12)
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines()[1:]]
    assert sorted(row[0] for row in rows) == sorted(bench.ids)
    assert [int(row[1]) for row in rows] == [1 + place // 12 for place in range(60)]
    for start in range(0, 60, 12):
        assert len({bench.types[row[0]] for row in rows[start : start + 12]}) == 12, "a cycle holds one of each type"
    head, *lines = ran.out.splitlines()
    assert {line[head.index("stratum") - 1].isspace() for line in lines} == {True}, "words begin under their head"
    assert {line[head.index("stratum")].isspace() for line in lines} == {False}
    again = bestrand("order", whole, "--block", 12, "--json").json
    assert [item for block in again["blocks"] for item in block] == [row[0] for row in rows]
    assert bestrand("order", whole, "--json").json["block"] == 10
    assert bestrand("order", whole, "--block", 0).code == 2


def test_enough_is_said_with_the_estimate_of_those_blocks_alone(bestrand, bench, whole, tmp_path):
    """What the rest of the routes scored must not show in the numbers at the stop."""
    full = bestrand("estimate", whole, "--results", bench.results("Dan"), "--until", "driving_score=12", "--json")
    assert full.code == 0, full.err
    until = full.json["until"]
    assert (until["verdict"], until["of"]) == ("stop", 60)
    assert 30 <= until["items"] < 60
    order = order_of(read_suite(whole)).items
    part = some(bench, tmp_path / "Dan", set(order[: until["items"]]))
    alone = bestrand("estimate", whole, "--results", part, "--until", "driving_score=12", "--json")
    assert alone.code == 0, "reached, so nothing is wanting"
    assert alone.json["until"] == until
    line, found = until["metrics"]["driving_score"], alone.json["metrics"]["driving_score"]
    assert line["estimate"] == pytest.approx(found["estimate"])
    assert line["policy"] == pytest.approx({end: found["policy"][end] for end in ("low", "high")})
    assert until["half_widths"]["driving_score"] <= 12


def test_routes_beyond_an_unfinished_block_do_not_count(bestrand, bench, whole, tmp_path):
    order = order_of(read_suite(whole)).items
    left_out = order[35]
    part = some(bench, tmp_path / "Dan", set(order) - {left_out})
    ran = bestrand("estimate", whole, "--results", part, "--until", "driving_score=0.5", "--json")
    assert ran.code == 6
    assert ran.json["until"]["verdict"] == "go on"
    assert (ran.json["until"]["items"], ran.json["until"]["next_items"]) == (30, [left_out])
    said = bestrand("estimate", whole, "--results", part, "--until", "driving_score=0.5").out
    assert "not reached with the first 30 of 60 items of the order (blocks 1-3), the last whole block" in said


def test_a_goal_out_of_reach_is_said_after_everything(bestrand, bench, whole):
    common = ("estimate", whole, "--results", bench.results("Dan"), "--until", "driving_score=0.01")
    assert "not reached with all 60 items" in bestrand(*common).out
    ran = bestrand(*common, "--until-interval", "run", "--json")
    assert ran.json["until"]["verdict"] == "stop", "everything was measured: this run is known exactly"


def test_a_crashed_route_does_not_hold_its_block_up(bestrand, bench, whole, tmp_path):
    order = order_of(read_suite(whole)).items
    records = bench.records("Dan", LEVELS["Dan"])
    crashed = next(one for one in records if one["route_id"].split("_")[1] == order[3])
    crashed["status"] = "Failed - Simulation crashed"
    folder = bench.put(tmp_path / "Dan", records)
    ran = bestrand("estimate", whole, "--results", folder, "--until", "driving_score=12", "--json")
    assert ran.json["until"]["verdict"] == "stop"
    assert ran.json["until"]["measured"] == ran.json["until"]["items"] - 1


def test_python_says_the_same(bestrand, bench, whole):
    found = estimate(whole, bench.results("Dan"), until={"driving_score": 12})
    ran = bestrand("estimate", whole, "--results", bench.results("Dan"), "--until", "driving_score=12", "--json")
    assert json.loads(json.dumps(ran.json["until"]["half_widths"])) == found.until.look.half_widths
    assert estimate(whole, bench.results("Dan")).until is None


@pytest.mark.parametrize(
    ("until", "word"),
    [
        ("driving_score", "NAME=VALUE"),
        ("driving_score=x", "NUMBER"),
        ("driving_score=0", "above 0"),
        ("speed=3", "known are"),
    ],
)
def test_mistakes_are_told(bestrand, bench, whole, until, word):
    ran = bestrand("estimate", whole, "--results", bench.results("Dan"), "--until", until)
    assert ran.code == 2
    assert word in ran.err


def test_without_known_noise_the_run_interval_is_advised(bestrand, toy_table, table_suite):
    common = ("estimate", table_suite, "--results", toy_table.scores, "--policy", "m5", "--until", "score=0.3")
    ran = bestrand(*common)
    assert ran.code == 2
    assert "--until-interval run" in ran.err
    assert bestrand(*common, "--until-interval", "run", "--json").json["until"]["verdict"] == "stop"


def test_real_routes_and_a_real_policy(bestrand, shared_data, tmp_path):
    """88 routes are two of each of the 44 types: two blocks make a cycle, and a wide goal is reached before the end."""
    folder = shared_data / "bench2drive"
    probes = [part for name in ("PDM-Lite", "ORION", "UniAD-Base") for part in ("--probe", folder / "results" / name)]
    routes, out = folder / "routes" / "bench2drive220.xml", tmp_path / "suite"
    ran = bestrand("compress", "bench2drive", "--routes", routes, *probes, "--k", 88, "--out", out)
    assert ran.code == 0, ran.err
    order = bestrand("order", out, "--json").json
    assert (order["block"], [len(block) for block in order["blocks"]]) == (22, [22] * 4)
    label = {item.id: item.stratum for item in read_suite(out).items}
    assert len({label[item] for block in order["blocks"][:2] for item in block}) == 44
    common = ("estimate", out, "--results", folder / "results" / "SimLingo", "--until", "driving_score=7", "--json")
    until = bestrand(*common).json["until"]
    assert until["verdict"] == "stop"
    assert until["items"] in (44, 66)
    line = until["metrics"]["driving_score"]["policy"]
    assert (line["high"] - line["low"]) / 2 == pytest.approx(until["half_widths"]["driving_score"])
