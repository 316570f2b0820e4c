"""Comfort end to end, from synthetic per-step records: measured when the files are there, named as absent when not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.toys import LEVELS, PROBES, Bench, read_json


def steps(calm: bool) -> dict[str, dict[str, list[float]]]:
    """40 steps, two chunks: all calm, or the second one with a swerve beyond the lateral bound."""
    out = {}
    for number in range(40):
        sideways = 0.0 if calm or number < 20 else 8.0
        out[str(number)] = {
            "acceleration": [0.1, sideways, 0.0],
            "angular_velocity": [0.0, 0.0, 0.1],
            "forward_vector": [1.0, 0.0, 0.0],
            "right_vector": [0.0, 1.0, 0.0],
            "location": [0.0, 0.0, 0.0],
            "rotation": [0.0, 0.0, 0.0],
        }
    return out


def write_infos(bench: Bench, folder: Path, calm: Mapping[str, bool]) -> Path:
    """One folder a drive, named as the record's save_name."""
    for route, smooth in calm.items():
        place = folder / f"RouteScenario_{route}_rep0_Town12_x"
        place.mkdir(parents=True)
        (place / "metric_info.json").write_text(json.dumps(steps(smooth)))
    return folder


def smoothness(bench: Bench, policy: str) -> dict[str, bool]:
    rng = np.random.default_rng([*policy.encode()])
    return {route: bool(rng.random() < 0.6) for route in bench.ids}


@pytest.fixture(scope="module")
def infos(bench, tmp_path_factory):
    """A folder of files for every policy."""
    root = tmp_path_factory.mktemp("infos")
    return {name: write_infos(bench, root / name, smoothness(bench, name)) for name in LEVELS}


@pytest.fixture(scope="module")
def comfort_suite(bestrand, bench, infos, tmp_path_factory):
    out = tmp_path_factory.mktemp("comfort") / "suite"
    given = [part for name in PROBES for part in ("--metric-info", f"{name}={infos[name]}")]
    ran = bestrand(
        "compress", "bench2drive", "--routes", bench.routes, *bench.probes(), *given, "--k", 24, "--out", out
    )
    assert ran.code == 0, ran.err
    assert "not validated on real files" in ran.out
    return out


def test_given_for_probes_and_target_the_metric_appears(bestrand, bench, infos, comfort_suite):
    target = ("--results", bench.results("Dan"), "--metric-info", infos["Dan"])
    ran = bestrand("estimate", comfort_suite, *target, "--json")
    assert ran.code == 0, ran.err
    line = ran.json["metrics"]["comfort"]
    truth = np.mean([100.0 if calm else 50.0 for calm in smoothness(bench, "Dan").values()])
    assert line["full"] == pytest.approx(truth)
    assert line["run"]["low"] <= line["estimate"] <= line["run"]["high"]
    assert abs(line["estimate"] - truth) < 15
    assert line["estimator"] == "blup"
    assert line["policy"] is None
    assert "run noise is not known" in line["reason"]
    assert any("not validated on real files" in note for note in ran.json["notes"])


def test_absent_for_the_target_it_is_not_measured(bestrand, bench, comfort_suite):
    ran = bestrand("estimate", comfort_suite, "--results", bench.results("Dan"), "--json")
    assert ran.code == 0, "comfort alone does not make a route missing"
    line = ran.json["metrics"]["comfort"]
    assert line["estimate"] is None
    assert line["reason"] == "not measured"
    assert any("comfort is not measured" in note for note in ran.json["notes"])


def test_a_suite_without_comfort_does_not_report_it(bench_suite):
    assert "comfort" not in [metric["name"] for metric in read_json(bench_suite / "suite.json")["metrics"]]


def test_files_given_for_a_suite_without_comfort_are_not_passed_over_in_silence(bestrand, bench, infos, bench_suite):
    target = ("--results", bench.results("Dan"), "--metric-info", infos["Dan"])
    ran = bestrand("estimate", bench_suite, *target, "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert "--metric-info: this suite has no comfort" in ran.err


def test_files_beside_the_results_are_found(bestrand, bench, comfort_suite, tmp_path):
    folder = bench.put(tmp_path / "Dan", bench.records("Dan", LEVELS["Dan"]))
    write_infos(bench, folder, smoothness(bench, "Dan"))
    ran = bestrand("estimate", comfort_suite, "--results", folder, "--json")
    assert ran.json["metrics"]["comfort"]["estimate"] is not None


def test_routes_without_a_file_count_in_the_ratio_only(bestrand, bench, comfort_suite, tmp_path):
    some = {route: calm for number, (route, calm) in enumerate(smoothness(bench, "Dan").items()) if number % 3}
    folder = write_infos(bench, tmp_path / "infos", some)
    target = ("--results", bench.results("Dan"), "--metric-info", folder)
    ran = bestrand("estimate", comfort_suite, *target, "--json")
    assert ran.code == 0, "a route without comfort is not a missing route"
    assert ran.json["metrics"]["comfort"]["estimate"] is not None
    assert ran.json["metrics"]["driving_score"]["estimate"] is not None


def test_an_empty_or_damaged_folder_is_refused(bestrand, bench, comfort_suite, tmp_path):
    (tmp_path / "empty").mkdir()
    target = ("estimate", comfort_suite, "--results", bench.results("Dan"), "--metric-info")
    ran = bestrand(*target, tmp_path / "empty")
    assert ran.code == 4
    assert "metric_info.json" in ran.err
    folder = write_infos(bench, tmp_path / "bad", {bench.ids[0]: True})
    next(folder.rglob("metric_info.json")).write_text('{"0": {"acceleration": [1, 2]}}')
    ran = bestrand(*target, folder)
    assert ran.code == 4
    assert "acceleration" in ran.err
