"""The whole path on real route files and real results: files, totals, golden suites, refusals."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import time
from pathlib import Path

import pytest

import bestrand_drive.cli.choosing.compress  # noqa: F401  what the command imports is not timed
from bestrand_drive.benchmarks.catalog import load_rules
from bestrand_drive.suite.reading import read_suite
from tests.workflows.toys import read_json

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
ELEMENT = re.compile(rb"<route\s.*?</route>", re.DOTALL)
ROUTES = {"bench2drive": "bench2drive/routes/bench2drive220.xml", "fail2drive": "fail2drive/routes"}


@pytest.fixture(scope="module", params=sorted(path.stem for path in GOLDEN.glob("*.json")))
def golden(request, bestrand, shared_data, tmp_path_factory):
    """What is on record, and the suite that the recorded command makes now."""
    record = json.loads((GOLDEN / f"{request.param}.json").read_text())
    out = tmp_path_factory.mktemp("golden") / "suite"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(shared_data)
        start = time.process_time()
        ran = bestrand(*(part.replace("OUT", str(out)) for part in record["command"]))
        record["seconds"] = time.process_time() - start
    assert ran.code == 0, ran.err
    return record, out


def test_golden_suites(golden):
    """Only ids, sizes, the seed and hashes are kept; the command that made a suite is beside them."""
    record, out = golden
    suite = read_json(out / "suite.json")
    assert suite["chosen"] == record["ids"]
    assert (suite["k"], suite["choice"]["seed"]) == (record["k"], record["seed"])
    files = {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "provenance.json"
    }
    assert files == record["sha256"]


def test_real_route_elements_stay_byte_identical(golden, shared_data):
    record, out = golden
    if record["command"][1] == "fail2drive":
        written = sorted((out / "routes").iterdir())
        assert len(written) == 2 * record["k"]
        for path in written:
            assert path.read_bytes() == (shared_data / ROUTES["fail2drive"] / path.name).read_bytes()
        return
    own = ELEMENT.findall((shared_data / ROUTES["bench2drive"]).read_bytes())
    written = ELEMENT.findall((out / "routes.xml").read_bytes())
    wanted = [element for element in own if re.search(rb'id="(\d+)"', element)[1].decode() in record["ids"]]
    assert written == wanted
    assert (out / "routes-subset.txt").read_text() == ",".join(record["ids"]) + "\n"


def test_the_main_command_is_quick(golden):
    """Five seconds after import are promised: of the processor, as others on the machine are no fault of ours."""
    assert golden[0]["seconds"] < 5


def totals(shared_data: Path, policy: str) -> dict[str, str]:
    with (shared_data / "expected_totals.csv").open() as stream:
        return next(row for row in csv.DictReader(stream) if row["policy"] == policy)


@pytest.fixture(scope="module")
def real_suite(bestrand, shared_data, tmp_path_factory):
    out = tmp_path_factory.mktemp("real") / "suite"
    results = shared_data / "bench2drive" / "results"
    probes = [part for name in ("PDM-Lite", "ORION", "UniAD-Base", "VAD") for part in ("--probe", results / name)]
    routes = shared_data / ROUTES["bench2drive"]
    ran = bestrand("compress", "bench2drive", "--routes", routes, *probes, "--k", 88, "--out", out)
    assert ran.code == 0, ran.err
    return out, ran


@pytest.mark.parametrize("policy", ["SimLingo", "TransFuser++", "MindDrive-0.5B", "TCP-traj", "UniAD-Tiny"])
def test_estimates_hold_the_real_totals(bestrand, shared_data, real_suite, policy):
    """``full`` is the benchmark's own total; 24 intervals of 95 % may miss it once or twice, not by much."""
    results = shared_data / "bench2drive" / "results" / policy
    ran = bestrand("estimate", real_suite[0], "--results", results, "--missing", "exclude", "--json")
    assert ran.code == 0, ran.err
    lines = ran.json["metrics"]
    expected = totals(shared_data, policy)
    if expected["unique_routes"] == expected["usable_routes"]:
        assert lines["driving_score"]["full"] == pytest.approx(
            float(expected["mean_driving_score_over_records"]), abs=6e-4
        )
        assert lines["success"]["full"] == pytest.approx(
            float(expected["success_rate_bench2drive_rule_pct_over_records"]), abs=6e-3
        )
    for name in ("driving_score", "success", "efficiency", "route_completion"):
        line = lines[name]
        room = (line["run"]["high"] - line["run"]["low"]) / 2
        assert line["run"]["low"] - room <= line["full"] <= line["run"]["high"] + room


def test_known_route_sets_bring_their_coverage_at_the_ceiling(real_suite):
    """The message at the ceiling speaks of measured coverage: the suite has to carry what is shipped."""
    measured = load_rules("bench2drive").ceiling_coverage
    assert read_suite(real_suite[0]).ceiling == measured


def test_routes_that_crash_simulators_are_suggested_for_exclusion(real_suite):
    assert "--exclude 11715,23670,24041" in real_suite[1].out
    suite = read_json(real_suite[0] / "suite.json")
    assert suite["route_set"] == "bench2drive220"
    assert suite["findings"] == []


def test_a_policy_that_crashed_everywhere_is_refused_as_a_probe(bestrand, shared_data, tmp_path):
    bad = shared_data / "bench2drive" / "results" / "UniAD-all-crashed"
    routes = shared_data / ROUTES["bench2drive"]
    ran = bestrand("compress", "bench2drive", "--routes", routes, "--probe", bad, "--k", 44, "--out", tmp_path / "s")
    assert ran.code == 4
    assert "UniAD-all-crashed" in ran.err
    assert "100%" in ran.err


def test_results_of_the_other_220_routes_are_refused(bestrand, shared_data, tmp_path):
    """The two files of 220 routes share two ids with different content."""
    other = shared_data / "bench2drive" / "routes" / "bench2drive_0.0.4_val.xml"
    probe = shared_data / "bench2drive" / "results" / "PDM-Lite"
    out = ("--out", tmp_path / "suite")
    ran = bestrand("compress", "bench2drive", "--routes", other, "--probe", probe, "--k", 2, "--no-ability-guard", *out)
    assert ran.code == 4, ran.out
    assert "route set" in ran.err


@pytest.mark.parametrize(("benchmark", "policy"), [("bench2drive", "TFv6"), ("fail2drive", "VAD")])
def test_results_of_the_other_benchmark_are_refused(bestrand, shared_data, tmp_path, benchmark, policy):
    other = {"bench2drive": "fail2drive", "fail2drive": "bench2drive"}[benchmark]
    probe = shared_data / other / "results" / policy
    routes = shared_data / ROUTES[benchmark]
    ran = bestrand("compress", benchmark, "--routes", routes, "--probe", probe, "--k", 17, "--out", tmp_path / "s")
    assert ran.code == 4
    assert policy in ran.err


def test_copies_posing_as_runs_are_found(bestrand, shared_data, tmp_path):
    results = shared_data / "bench2drive" / "results"
    probes = ("--probe", results / "PDM-Lite", "--probe", f"mine={results / 'PDM-Lite'}")
    routes = shared_data / ROUTES["bench2drive"]
    ran = bestrand("compress", "bench2drive", "--routes", routes, *probes, "--k", 44, "--out", tmp_path / "s")
    assert ran.code == 0, ran.err
    assert "mine has exactly the scores of PDM-Lite; the two count as one probe" in ran.out


def test_published_fail2drive_numbers_come_out_of_all_pairs(bestrand, shared_data, tmp_path):
    """AlignDrive as published: 74.7 / 75.7 / 75.2 in distribution, 68.6 / 62.7 / 65.5 in generalization."""
    results = shared_data / "fail2drive" / "results"
    common = ("--routes", shared_data / ROUTES["fail2drive"], "--probe", results / "TFv6", "--keep", 1)
    assert bestrand("compress", "fail2drive", *common, "--out", tmp_path / "s").code == 0
    ran = bestrand("estimate", tmp_path / "s", "--results", results / "AlignDrive", "--json")
    published = dict(zip(("base", "generalization"), ((74.7, 75.7, 75.2), (68.6, 62.7, 65.5)), strict=True))
    for split, values in published.items():
        for name, value in zip(("driving_score", "success", "harmonic_mean"), values, strict=True):
            line = ran.json["metrics"][f"{split}_{name}"]
            assert line["full"] == pytest.approx(value, abs=0.1001)
            assert line["estimate"] == pytest.approx(line["full"], abs=0.1)
    assert any("47 routes with a failed status count as success" in note for note in ran.json["notes"])


def test_a_real_score_table(bestrand, shared_data, tmp_path):
    table = shared_data / "matrices" / "glue_mrpc.csv.gz"
    made = bestrand("compress", "scores", "--scores", table, "--n-probes", 5, "--keep", 0.1, "--out", tmp_path / "s")
    assert made.code == 0, made.err
    assert "2 models have exactly the scores of another one" in made.out.replace("\n", " ")
    ran = bestrand("estimate", tmp_path / "s", "--results", table, "--policy", "glue_model_07", "--json")
    line = ran.json["metrics"]["score"]
    assert line["run"]["low"] <= line["full"] <= line["run"]["high"]
