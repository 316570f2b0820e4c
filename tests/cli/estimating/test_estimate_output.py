"""What estimate prints: JSON of exactly the agreed shape, text that leads with the policy's interval."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bestrand_drive
from tests.workflows.toys import LEVELS, read_json

LINE = {"estimate", "level", "run", "policy", "estimator", "reason", "full"}
NUMBER = (int, float)


def check_interval(interval: dict[str, Any] | None, estimate: float | None) -> None:
    if interval is None:
        return
    assert isinstance(interval["low"], NUMBER)
    assert isinstance(interval["high"], NUMBER)
    assert estimate is not None
    assert interval["low"] - 1e-9 <= estimate <= interval["high"] + 1e-9


def check_shape(found: dict[str, Any], metrics: set[str]) -> None:
    """The shape that the design agrees on; more keys are allowed, other types are not."""
    assert set(found) >= {"policy", "simulator", "metrics", "items"}
    assert isinstance(found["policy"], str)
    assert found["simulator"] in ("carla", "headless", "unknown")
    assert set(found["metrics"]) == metrics
    for line in found["metrics"].values():
        assert set(line) >= LINE
        assert line["estimate"] is None or math.isfinite(line["estimate"])
        assert 0 < line["level"] < 1
        assert isinstance(line["estimator"], str)
        assert isinstance(line["reason"], str)
        assert line["full"] is None or isinstance(line["full"], NUMBER)
        assert line["run"] is None or set(line["run"]) == {"low", "high"}
        check_interval(line["run"], line["estimate"])
        if line["policy"] is not None:
            assert set(line["policy"]) == {"low", "high", "noise_sd", "noise_source"}
            assert line["policy"]["noise_sd"] >= 0
            assert line["policy"]["noise_source"]
            check_interval(line["policy"], line["estimate"])
        else:
            assert line["reason"], "no interval for the policy, and no reason"
    items = found["items"]
    assert set(items) >= {"suite", "present", "missing"}
    assert items["suite"] == items["present"] + len(items["missing"])


BENCH = {"driving_score", "success", "efficiency", "route_completion"} | {
    f"ability_{name}" for name in ("overtaking", "merging", "emergency_brake", "give_way", "traffic_signs")
}
FAIL = {
    f"{split}_{name}" for split in ("base", "generalization") for name in ("driving_score", "success", "harmonic_mean")
}


@pytest.mark.parametrize("policy", LEVELS)
def test_bench2drive_json(bestrand, bench, bench_suite, policy):
    ran = bestrand("estimate", bench_suite, "--results", bench.results(policy), "--json")
    assert ran.code == 0
    assert ran.err == ""
    check_shape(ran.json, BENCH)
    assert ran.json["policy"] == policy
    assert ran.json["simulator"] == "unknown", "a bare result file does not say what simulated it"
    assert ran.json["items"] | {"suite": 24, "present": 24, "missing": []} == ran.json["items"]


@pytest.mark.parametrize("policy", ["Ann", "Dan", "Eve"])
def test_fail2drive_json(bestrand, fail, fail_suite, policy):
    ran = bestrand("estimate", fail_suite, "--results", fail.results(policy), "--json")
    assert ran.code == 0, ran.err
    check_shape(ran.json, FAIL)


def test_scores_json(bestrand, toy_table, table_suite):
    ran = bestrand("estimate", table_suite, "--results", toy_table.scores, "--policy", "m4", "--json")
    assert ran.code == 0
    check_shape(ran.json, {"score"})
    line = ran.json["metrics"]["score"]
    assert line["policy"] is None
    assert line["full"] == pytest.approx(toy_table.values[:, 4].mean())
    assert line["estimator"] == "exPC20"


def test_json_with_missing_routes(bestrand, bench, bench_suite, tmp_path):
    chosen = read_json(bench_suite / "suite.json")["chosen"]
    records = [one for one in bench.records("Dan", 0.9) if one["route_id"].split("_")[1] not in chosen[:3]]
    ran = bestrand("estimate", bench_suite, "--results", bench.put(tmp_path / "Dan", records), "--json")
    assert ran.code == 6
    check_shape(ran.json, BENCH)
    assert ran.json["items"]["missing"] == chosen[:3]
    assert ran.json["items"]["reasons"] == dict.fromkeys(chosen[:3], "no record")
    bounds = ran.json["metrics"]["driving_score"]["if_missing"]
    assert bounds["worst"] < ran.json["metrics"]["driving_score"]["estimate"] < bounds["best"]


def test_levels_nest(bestrand, bench, bench_suite):
    widths = []
    for level in (0.5, 0.8, 0.95, 0.99):
        ran = bestrand("estimate", bench_suite, "--results", bench.results("Eve"), "--level", level, "--json")
        line = ran.json["metrics"]["driving_score"]
        assert line["level"] == level
        widths.append(line["run"]["high"] - line["run"]["low"])
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@pytest.mark.parametrize(("level", "shown"), [("0.9", "90%"), ("0.95", "95%"), ("0.995", "99.5%"), ("0.999", "99.9%")])
def test_the_heading_shows_the_level_as_it_is(bestrand, bench, bench_suite, level, shown):
    out = bestrand("estimate", bench_suite, "--results", bench.results("Eve"), "--level", level).out
    assert f"policy {shown}" in out


def test_the_text_leads_with_the_policy_s_interval(bestrand, bench, bench_suite):
    ran = bestrand("estimate", bench_suite, "--results", bench.results("Eve"))
    assert ran.err == ""
    head = next(line for line in ran.out.splitlines() if line.startswith("metric"))
    assert head.index("estimate") < head.index("policy 95%") < head.index("this run 95%") < head.index("full")
    assert "24 of 24 suite items" in ran.out
    assert "(unknown route set):" in ran.out, "a bare folder does not say what simulated it"
    assert "borrowed: SimLingo driven twice on bench2drive220" in ran.out
    found = bestrand("estimate", bench_suite, "--results", bench.results("Eve"), "--json").json
    for name, line in found["metrics"].items():
        row = next(text for text in ran.out.splitlines() if text.startswith(f"{name} "))
        assert (row.split()[1] == "-") == (line["estimate"] is None)
        if line["estimate"] is not None:
            assert f"{line['estimate']:.2f}" in row


def test_fail2drive_text_is_rounded_as_the_benchmark_rounds(bestrand, fail, fail_suite):
    ran = bestrand("estimate", fail_suite, "--results", fail.results("Dan"))
    found = bestrand("estimate", fail_suite, "--results", fail.results("Dan"), "--json").json["metrics"]
    score, success = (round(found[f"base_{name}"]["estimate"], 1) for name in ("driving_score", "success"))
    shown = {line.split()[0]: line.split()[1] for line in ran.out.splitlines() if line.startswith("base_")}
    assert shown["base_driving_score"] == f"{score:.1f}"
    assert shown["base_success"] == f"{success:.1f}"
    assert shown["base_harmonic_mean"] == f"{2 / (1 / score + 1 / success):.1f}"


def test_failed_routes_that_count_as_success_are_shown(bestrand, fail, fail_suite, tmp_path):
    folder = shutil.copytree(fail.results("Eve"), tmp_path / "Eve")
    for path in sorted(folder.rglob("Base_*.json"))[:5]:
        document = json.loads(path.read_text())
        record = document["_checkpoint"]["records"][0]
        record["status"] = "Failed"
        record["infractions"] = {kind: [] for kind in record["infractions"]}
        record["scores"] |= {"score_penalty": 1.0, "score_composed": record["scores"]["score_route"]}
        path.write_text(json.dumps(document))
    ran = bestrand("estimate", fail_suite, "--results", folder)
    assert ran.code == 0, ran.err
    assert "5 routes with a failed status count as success by Fail2Drive's rule" in ran.out


def test_missing_routes_in_words_name_the_rule_and_both_bounds(
    bestrand, bench, bench_suite, fail, fail_suite, tmp_path
):
    chosen = read_json(bench_suite / "suite.json")["chosen"]
    records = [one for one in bench.records("Dan", 0.9) if chosen[0] not in one["route_id"]]
    folder = bench.put(tmp_path / "Dan", records)
    zero = bestrand("estimate", bench_suite, "--results", folder, "--missing", "zero").out
    assert "missing: 1 of 24 items, scored at their worst" in zero
    assert "full: 59 of 60 items have a result, the others score zero" in zero
    assert "worst or best" in zero
    half = fail.put(tmp_path / "Half", "Half", 0.4, 1)
    pair = read_json(fail_suite / "suite.json")["chosen"][0]
    (half / "1" / f"{fail.stems(pair)[1]}.json").unlink()
    out = bestrand("estimate", fail_suite, "--results", half, "--missing", "zero").out
    assert "missing: 1 of 12 items, scored at their worst" in out
    assert "official rule" not in out, "Fail2Drive's own rule drops missing results"


def test_what_was_read_of_the_target_is_counted(bestrand, bench, bench_suite, tmp_path):
    """Sixty records, two of them agent crashes, one a simulator's: none of it is passed over in silence."""
    records = bench.records("Dan", 0.9)
    states = ("Failed - Agent crashed", "Failed - Agent crashed", "Failed - Simulation crashed")
    for record, status in zip(records, states, strict=False):
        record["status"] = status
        record["scores"] = {"score_route": 0.0, "score_penalty": 1.0, "score_composed": 0.0}
        record["infractions"] = {kind: [] for kind in record["infractions"]}
    ran = bestrand("estimate", bench_suite, "--results", bench.put(tmp_path / "Dan", records))
    said = "read: records 60, unique routes 60, usable routes 57, infrastructure 1, agent crashed 2"
    assert said in ran.out
    assert "full: 59 of 60 items have a result, others left out" in ran.out
    assert "2 of 60 records are agent crashes; they count as the policy's own scores" in ran.out


def executable() -> list[str]:
    """The installed command, or the same entry by import when it was not installed as a script."""
    script = Path(sys.executable).with_name("bestrand")
    return [str(script)] if script.exists() else [sys.executable, "-m", "bestrand_drive"]


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(bestrand_drive.__file__).resolve().parent.parent)
    return subprocess.run(
        [*executable(), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": root} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_installed_command_compresses_and_estimates(bench, tmp_path):
    out = tmp_path / "suite"
    common = ("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--keep", 0.4, "--out", out)
    made = command(*common, PYTHONIOENCODING="ascii", COLUMNS="100")
    assert (made.returncode, made.stderr) == (0, "")
    assert "24 of 60 routes" in made.stdout
    assert read_json(out / "provenance.json")["command"][1:3] == ["compress", "bench2drive"]
    found = command("estimate", out, "--results", bench.results("Dan"), "--json")
    assert (found.returncode, found.stderr) == (0, "")
    check_shape(json.loads(found.stdout), BENCH)


def test_the_installed_command_leaves_with_the_code_of_a_mistake(bench, tmp_path):
    ran = command("compress", "bench2drive", "--routes", bench.routes, "--k", 3, "--keep", 0.1, "--out", tmp_path / "s")
    assert ran.returncode == 2
    assert ran.stderr.startswith("bestrand: ")
    assert len(ran.stderr.splitlines()) == 1


def test_the_command_s_own_text_is_ascii(bestrand, bench, bench_suite, tmp_path):
    """Dashes of our own tables must not crash a log with another encoding; the subprocess above runs in one."""
    out = tmp_path / "suite"
    for arguments in (
        ("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 23, "--out", out),
        ("inspect", bench_suite),
        ("estimate", bench_suite, "--results", bench.results("Ann")),
        ("estimate", bench_suite, "--results", bench.results("Eve")),
    ):
        ran = bestrand(*arguments)
        assert ran.code == 0, ran.err
        assert ran.out.isascii()
