"""Fail2Drive: the published six numbers, whole pairs, and the failures that its own rule calls successes."""

import shutil

import pytest

from bestrand_drive.benchmarks import fail2drive
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import DataRefused

PUBLISHED = {
    "AlignDrive": (74.7, 75.7, 75.2, 68.6, 62.7, 65.5),
    "BevAD": (87.4, 83.3, 85.3, 82.3, 68.7, 74.9),
    "TFv6": (90.2, 93.3, 91.7, 79.5, 70.7, 74.8),
}


@pytest.fixture(scope="module")
def full(shared_data):
    return fail2drive.load(shared_data / "fail2drive" / "routes")


@pytest.fixture
def folder(build, tmp_path):
    routes = tmp_path / "routes"
    routes.mkdir()
    for split, number in (("Base", 7), ("Generalization", 1007), ("Base", 8), ("Generalization", 1008)):
        (routes / f"{split}_Wall_{number:04d}.xml").write_bytes(build.routes(build.route(number)))
    return routes


def read(path):
    return read_results(path, name="P", benchmark="fail2drive")


def test_real_folder_as_pairs(full):
    assert (full.route_set, full.findings) == ("fail2drive", ())
    assert len(full.items) == 100
    counts = full.items["stratum"].value_counts().to_dict()
    assert len(counts) == 17
    assert {name for name, count in counts.items() if count == 10} == {"Animals", "BadParking", "CustomObstacles"}
    row = full.items.set_index("item_id").loc["Animals_0075"]
    assert row.members == ("Base_Animals_0075", "Generalization_Animals_1075")


@pytest.mark.parametrize("policy", PUBLISHED)
def test_published_six_numbers(shared_data, full, policy):
    totals = fail2drive.official(read(shared_data / "fail2drive" / "results" / policy), full)
    names = ("driving_score", "success", "harmonic_mean")
    ours = [totals[f"{split}_{name}"] for split in ("base", "generalization") for name in names]
    assert ours == pytest.approx(PUBLISHED[policy], abs=0.1)


@pytest.mark.parametrize("policy", PUBLISHED)
def test_real_tables_hold_each_cell_once(shared_data, full, policy):
    table = fail2drive.scores(full, read(shared_data / "fail2drive" / "results" / policy))
    assert len(table.values) == len(table.values.drop_duplicates(["item_id", "repeat", "metric"])) == 100 * 3 * 4
    assert table.missing.empty
    assert len(table.costs) == (0 if policy == "BevAD" else 300)  # BevAD's files say 0 s
    assert table.counts["failed_counted_as_success"] == (47 if policy == "AlignDrive" else 0)


def test_a_missing_partner_result_leaves_the_other_half(build, tmp_path, folder):
    build.write(tmp_path / "results/1/Base_Wall_0007.json", [build.record(infractions={"outside_route_lanes": ["x"]})])
    crashed = build.record(status="Failed - Simulation crashed")
    build.write(tmp_path / "results/1/Generalization_Wall_1007.json", [crashed])
    build.write(tmp_path / "results/2/Base_Wall_0007.json", [build.record(completion=40, status="Failed")])
    table = fail2drive.scores(fail2drive.load(folder), read(tmp_path / "results"))
    values = table.values.set_index(["item_id", "repeat", "metric"])["value"].to_dict()
    assert values == {
        ("Wall_0007", "1", "base_driving_score"): 100.0,
        ("Wall_0007", "1", "base_success"): 100.0,
        ("Wall_0007", "2", "base_driving_score"): 40.0,
        ("Wall_0007", "2", "base_success"): 100.0,
    }
    reasons = table.missing.set_index(["item_id", "repeat", "metric"])["reason"].to_dict()
    assert reasons[("Wall_0007", "1", "generalization_success")] == "simulation crashed"
    assert reasons[("Wall_0007", "2", "generalization_success")] == "no record"
    assert {key for key in reasons if key[0] == "Wall_0008"} == {
        ("Wall_0008", "1", metric)
        for metric in ("base_driving_score", "base_success", "generalization_driving_score", "generalization_success")
    }
    assert table.counts["no_record"] == table.counts["failed_counted_as_success"] == 1
    assert table.costs.empty, "half a pair tells no duration"
    assert any("failed status" in note for note in table.notes)


def test_a_pair_costs_the_time_of_both_drives(build, tmp_path, folder):
    for seed, seconds in (("1", 60.0), ("2", 90.0)):
        for name, own in (("Base_Wall_0007", seconds), ("Generalization_Wall_1007", 5.0)):
            meta = {"route_length": 1.0, "duration_game": 1.0, "duration_system": own}
            build.write(tmp_path / "results" / seed / f"{name}.json", [build.record(meta=meta)])
    costs = fail2drive.scores(fail2drive.load(folder), read(tmp_path / "results")).costs
    assert [*costs.itertuples(index=False, name=None)] == [("Wall_0007", "1", 65.0), ("Wall_0007", "2", 95.0)]


@pytest.mark.parametrize(("base", "success", "expected"), [(50.0, 100.0, 200 / 3), (0.0, 50.0, 0.0), (50.0, 0.0, 0.0)])
def test_harmonic_mean(base, success, expected):
    assert fail2drive.harmonic_mean(base, success) == pytest.approx(expected)


def test_reduced_folder_keeps_pairs_and_bytes(folder):
    benchmark = fail2drive.load(folder)
    files = fail2drive.route_files(benchmark, ["Wall_0008"])
    assert list(files) == ["routes/Base_Wall_0008.xml", "routes/Generalization_Wall_1008.xml"]
    assert all(content == (folder / name.split("/")[1]).read_bytes() for name, content in files.items())
    with pytest.raises(DataRefused, match="no pair"):
        fail2drive.route_files(benchmark, ["../../x"])


def test_a_partial_folder_is_reported(shared_data, tmp_path):
    for name in ("Base_Animals_0075.xml", "Generalization_Animals_1075.xml"):
        shutil.copy(shared_data / "fail2drive" / "routes" / name, tmp_path)
    benchmark = fail2drive.load(tmp_path)
    assert benchmark.route_set == "unknown"
    assert benchmark.findings == ("2 of fail2drive's 200 routes",)


FAULTS = {
    "partner missing": (lambda f: (f / "Base_Wall_0007.xml").unlink(), r"lacks its partner Base_Wall_0007\.xml"),
    "id unlike the name": (
        lambda f: (f / "Base_Wall_0007.xml").write_bytes((f / "Base_Wall_0008.xml").read_bytes()),
        r"Base_Wall_0007\.xml, line 2: route id 8 is unlike",
    ),
    "other name": (lambda f: (f / "notes.xml").write_text("<a/>"), r"notes\.xml: not named"),
    "class of the partner differs": (
        lambda f: (f / "Generalization_Wall_1007.xml").rename(f / "Generalization_Animals_1007.xml"),
        "lacks its partner",
    ),
    "same id twice": (
        lambda f: shutil.copy(f / "Base_Wall_0007.xml", f / "Base_Animals_0007.xml"),
        "has the id of",
    ),
    "split and id disagree": (
        lambda f: (f / "Base_Wall_0007.xml").rename(f / "Generalization_Wall_0007.xml"),
        "base ids lie below",
    ),
    "two routes": (
        lambda f: (f / "Base_Wall_0007.xml").write_bytes(
            (f / "Base_Wall_0007.xml").read_bytes().replace(b"</routes>", b"")
            + (f / "Base_Wall_0008.xml").read_bytes().replace(b"<routes>", b"")
        ),
        "holds 2 routes",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_in_the_folder_are_named(folder, fault):
    inject, message = FAULTS[fault]
    inject(folder)
    with pytest.raises(DataRefused, match=message):
        fail2drive.load(folder)


def test_a_file_and_an_empty_folder_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(DataRefused, match="Fail2Drive's folder"):
            fail2drive.load(path)
