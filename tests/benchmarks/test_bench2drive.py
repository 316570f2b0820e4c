"""Bench2Drive: published figures are reproduced, and every cell is a value or missing with a reason."""

import json

import pytest

from bestrand_drive.benchmarks import bench2drive
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import DataRefused

ABILITIES = {"Overtaking": 45, "Merging": 80, "Emergency_Brake": 60, "Give_Way": 10, "Traffic_Signs": 95}


@pytest.fixture(scope="module")
def full(shared_data):
    return bench2drive.load(shared_data / "bench2drive" / "routes" / "bench2drive220.xml")


@pytest.fixture
def real(shared_data):
    def read(policy):
        return read_results(shared_data / "bench2drive" / "results" / policy, name=policy, benchmark="bench2drive")

    return read


@pytest.fixture
def small(build, tmp_path):
    (tmp_path / "routes.xml").write_bytes(build.routes(build.route(1), build.route(2, "Accident"), build.route(3)))
    return bench2drive.load(tmp_path / "routes.xml")


def results_of(build, tmp_path, *records):
    build.write(tmp_path / "results" / "a.json", list(records))
    return read_results(tmp_path / "results", name="P", benchmark="bench2drive")


def speeds(*percents):
    return {"min_speed_infractions": [f"Average speed is {p}% of the surrounding traffic's one" for p in percents]}


def test_real_route_files_as_items(shared_data, full):
    assert (full.route_set, full.findings, full.fragile) == ("bench2drive220", (), ("11715", "23670", "24041"))
    assert set(full.items["stratum"].value_counts()) == {5}
    assert {name: len(items) for name, items in full.domains.items()} == {
        f"ability_{name.lower()}": count for name, count in ABILITIES.items()
    }
    val = bench2drive.load(shared_data / "bench2drive" / "routes" / "bench2drive_0.0.4_val.xml")
    assert val.route_set == "bench2drive_0.0.4_val"
    assert [len(items) for items in val.domains.values()] == [69, 64, 57, 6, 86]


@pytest.mark.parametrize(
    ("policy", "published"),
    [("UniAD-Base", 129.21), ("UniAD-Tiny", 123.92), ("VAD", 157.95), ("TCP-traj", 76.54), ("ORION", 151.48)],
)
def test_published_efficiency(full, real, policy, published):
    assert bench2drive.official(real(policy), full)["efficiency"] == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize("policy", ["PDM-Lite", "TransFuser++"])
def test_abilities_match_the_official_output_up_to_the_map_based_credit(shared_data, full, real, policy):
    reference = json.loads((shared_data / "bench2drive" / "ability_reference" / f"{policy}.json").read_text())
    ours = bench2drive.official(real(policy), full)
    for name in ABILITIES:
        value = ours[f"ability_{name.lower()}"] / 100
        if name == "Traffic_Signs":
            assert value < reference[name]
        else:
            assert value == pytest.approx(reference[name], abs=1e-12)
    if "Driving Efficiency" in reference:
        assert ours["efficiency"] == pytest.approx(reference["Driving Efficiency"], abs=1e-9)
    assert any("ability_traffic_signs" in note for note in bench2drive.scores(full, real(policy)).notes)


def test_real_tables_hold_each_cell_once(full, real):
    for policy in ("LEAD-TFv6", "UniAD-30bc-sharded"):
        results = real(policy)
        table = bench2drive.scores(full, results)
        keys = [*zip(table.values.item_id, table.values.repeat, table.values.metric, strict=True)]
        keys += [*zip(table.missing.item_id, table.missing.repeat, table.missing.metric, strict=True)]
        assert len(keys) == len(set(keys)) == 220 * 4
        assert table.values["value"].notna().all()
        assert table.counts["no_record"] == 220 - table.counts["unique_routes"]
        assert (table.costs["duration_s"] > 0).all()


def test_missing_as_zero_or_excluded(full, real):
    crashed = real("LEAD-TFv6")
    assert bench2drive.official(crashed, full)["driving_score"] == pytest.approx(85.725, abs=5e-4)
    assert bench2drive.official(crashed, full, "exclude")["driving_score"] == pytest.approx(93.36, abs=5e-3)


def test_each_metric_by_hand(build, tmp_path, small):
    results = results_of(
        build,
        tmp_path,
        build.record("RouteScenario_1_rep0", infractions=speeds(50, 100.5, 1000.1)),
        build.record("RouteScenario_2_rep0", infractions=speeds(2000) | {"outside_route_lanes": ["x"]}),
    )
    table = bench2drive.scores(small, results)
    values = table.values.set_index(["item_id", "metric"])["value"].to_dict()
    assert values[("1", "efficiency")] == 75.25
    assert (values[("1", "success")], values[("2", "success")]) == (100.0, 0.0)
    missing = table.missing.set_index(["item_id", "metric"])["reason"].to_dict()
    assert missing[("2", "efficiency")] == "no speed checkpoint"
    assert {missing[("3", name)] for name in ("driving_score", "success", "efficiency")} == {"no record"}
    assert bench2drive.official(results, small)["success"] == pytest.approx(100 / 3)
    assert bench2drive.official(results, small)["efficiency"] == 75.25


def test_crashes_of_the_agent_count_and_of_the_simulator_do_not(build, tmp_path, small):
    results = results_of(
        build,
        tmp_path,
        build.record("RouteScenario_1_rep0", status="Failed - Agent crashed", completion=30),
        build.record("RouteScenario_2_rep0", status="Failed - Simulation crashed", completion=30),
    )
    table = bench2drive.scores(small, results)
    scored = table.values[table.values.metric == "driving_score"]
    assert [*zip(scored.item_id, scored.value, strict=True)] == [("1", 30.0)]
    assert table.counts["agent_crashed"] == table.counts["infrastructure"] == 1
    assert set(table.missing[table.missing.item_id == "2"].reason) == {"simulation crashed"}


def test_nothing_measured_gives_no_total(build, tmp_path, small):
    results = results_of(build, tmp_path, build.record(status="Failed - Simulation crashed"))
    assert bench2drive.official(results, small, "exclude") == {}
    assert bench2drive.official(results, small)["driving_score"] == 0.0


def test_repeats_of_a_route_are_averaged_first(build, tmp_path, small):
    results = results_of(
        build,
        tmp_path,
        build.record("RouteScenario_1_rep0", completion=50),
        build.record("RouteScenario_1_rep1", completion=100),
        build.record("RouteScenario_2_rep0", completion=0),
    )
    assert bench2drive.official(results, small, "exclude")["driving_score"] == 37.5
    assert set(bench2drive.scores(small, results).values.repeat) == {"0", "1"}


def test_foreign_routes_are_listed_and_only_foreign_ones_refused(build, tmp_path, small):
    mixed = results_of(build, tmp_path, build.record("RouteScenario_1_rep0"), build.record("RouteScenario_77_rep0"))
    table = bench2drive.scores(small, mixed)
    assert table.counts["foreign"] == 1
    assert any("77" in note for note in table.notes)
    foreign = results_of(build, tmp_path, build.record("RouteScenario_77_rep0"))
    with pytest.raises(DataRefused, match="another route set"):
        bench2drive.scores(small, foreign)


def test_misspelt_type_is_found_with_a_suggestion(build, tmp_path):
    (tmp_path / "r.xml").write_bytes(build.routes(build.route(1, "ParkingCutln"), build.route(2, "Xyzzy")))
    findings = bench2drive.load(tmp_path / "r.xml").findings
    assert any("'ParkingCutln' (routes 1)" in text and "did you mean ParkingCutIn?" in text for text in findings)
    assert any("'Xyzzy'" in text and "did you mean" not in text for text in findings)


def test_a_route_without_scenario_is_refused_with_its_line(build, tmp_path):
    text = build.route(2).replace('type="ParkingCutIn"', "")
    (tmp_path / "r.xml").write_bytes(build.routes(build.route(1), text))
    with pytest.raises(DataRefused, match=r"r\.xml, line 9: route 2 has no scenario type"):
        bench2drive.load(tmp_path / "r.xml")


def test_reduced_route_file(full):
    (name,) = files = bench2drive.route_files(full, ["1711", "3514"])
    assert name == "routes.xml"
    assert files[name].count(b"<route ") == 2
    with pytest.raises(DataRefused, match="no route with id 999999"):
        bench2drive.route_files(full, ["1711", "999999"])


def test_no_duration_is_no_cost(build, tmp_path, small):
    meta = {"route_length": 0.0, "duration_game": 0.0, "duration_system": 0.0}
    results = results_of(build, tmp_path, build.record("RouteScenario_1_rep0", meta=meta))
    assert bench2drive.scores(small, results).costs.empty
