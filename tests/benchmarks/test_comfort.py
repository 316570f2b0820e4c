"""Comfort on synthetic files, against polynomial fits done one window at a time."""

import json
import os

import numpy as np
import pytest

from bestrand_drive.benchmarks import bench2drive
from bestrand_drive.benchmarks.comfort import ComfortFiles, comfort_share
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import DataRefused


def reference_filter(signal, derivative):
    """Least-squares parabola through each window of 7; the first and last window serve the edges."""
    window, half = min(7, len(signal)), min(7, len(signal)) // 2
    result = []
    for i in range(len(signal)):
        start = min(max(i - half, 0), len(signal) - window)
        fit = np.polynomial.Polynomial.fit(
            np.arange(window), signal[start : start + window], 2, domain=[0, 1], window=[0, 1]
        )
        result.append((fit.deriv() if derivative else fit)(i - start) / (0.1 if derivative else 1.0))
    return np.array(result)


def reference_share(signals):
    steps = len(signals["acceleration"])
    size = min(steps, 20)
    inside = []
    for start in range(0, steps - size + 1, 20):
        part = {name: values[start : start + size] for name, values in signals.items()}
        acc = part["acceleration"]
        lon = reference_filter(
            [a[0] * f[0] + a[1] * f[1] for a, f in zip(acc, part["forward_vector"], strict=True)], False
        )
        lat = reference_filter(
            [a[0] * r[0] + a[1] * r[1] for a, r in zip(acc, part["right_vector"], strict=True)], False
        )
        magnitude = reference_filter([np.hypot(a[0], a[1]) for a in acc], False)
        yaw = reference_filter(np.unwrap(part["angular_velocity"][:, 2]), False)
        inside.append(
            np.all((lon > -4.05) & (lon < 2.40))
            and np.all(np.abs(lat) < 4.89)
            and np.all(np.abs(reference_filter(magnitude, True)) < 8.37)
            and np.all(np.abs(reference_filter(lon, True)) < 4.13)
            and np.all(np.abs(yaw) < 0.95)
        )
    return np.mean(inside)


def drive(steps, acceleration=(0.0, 0.0), yaw_rate=0.0):
    ones = np.ones((steps, 1))
    return {
        "acceleration": ones * [*acceleration, 9.8],
        "angular_velocity": ones * [0.0, 0.0, yaw_rate],
        "forward_vector": ones * [1.0, 0.0, 0.0],
        "right_vector": ones * [0.0, 1.0, 0.0],
    }


def as_file(path, signals):
    path.parent.mkdir(parents=True, exist_ok=True)
    steps = range(len(signals["acceleration"]))
    path.write_text(json.dumps({str(i): {name: list(values[i]) for name, values in signals.items()} for i in steps}))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("steps", [3, 5, 7, 20, 21, 39, 40, 200])
def test_share_equals_the_reference(seed, steps):
    generator = np.random.default_rng(seed)
    walk = np.cumsum(generator.normal(0, 0.05 * (1 + seed), (steps, 3)), axis=0)
    angle = np.cumsum(generator.normal(0, 0.05, steps))
    signals = drive(steps)
    signals["acceleration"] = walk
    signals["angular_velocity"] = np.cumsum(generator.normal(0, 0.02 * (1 + seed), (steps, 3)), axis=0)
    signals["forward_vector"] = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    signals["right_vector"] = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    assert comfort_share(signals) == reference_share(signals)


TURNS = np.outer(np.arange(40) % 4, [0.0, 0.0, 2 * np.pi])
BOUNDS = {
    "gentle": (drive(40, (2.3, 4.8), 0.9), 1.0),
    "throttle": (drive(40, (2.41, 0.0)), 0.0),
    "brake": (drive(40, (-4.06, 0.0)), 0.0),
    "side": (drive(40, (0.0, 4.9)), 0.0),
    "yaw": (drive(40, (0.0, 0.0), 0.96), 0.0),
    "a whole turn between steps is none": (drive(40) | {"angular_velocity": TURNS}, 1.0),
    "a second chunk outside": ({k: np.concatenate([v, drive(20, (3.0, 0.0))[k]]) for k, v in drive(20).items()}, 0.5),
    "a tail outside is dropped": (
        {k: np.concatenate([v, drive(19, (9.0, 0.0))[k]]) for k, v in drive(20).items()},
        1.0,
    ),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_each_bound(case):
    signals, share = BOUNDS[case]
    assert comfort_share(signals) == share


def test_comfort_enters_the_table_when_files_are_there(build, tmp_path):
    (tmp_path / "r.xml").write_bytes(build.routes(build.route(1), build.route(2), build.route(3), build.route(4)))
    records = [build.record(f"RouteScenario_{i}_rep0", save_name=f"drive{i}") for i in (1, 2, 3)]
    build.write(tmp_path / "results" / "a.json", records)
    as_file(tmp_path / "results" / "viz" / "drive1" / "metric_info.json", BOUNDS["a second chunk outside"][0])
    as_file(tmp_path / "results" / "viz" / "drive2" / "metric_info.json", drive(2))
    benchmark = bench2drive.load(tmp_path / "r.xml")
    table = bench2drive.scores(benchmark, read_results(tmp_path / "results", name="P", benchmark="bench2drive"))
    comfort = table.values[table.values.metric == "comfort"]
    assert [*zip(comfort.item_id, comfort.value, strict=True)] == [("1", 50.0)]
    reasons = table.missing[table.missing.metric == "comfort"].set_index("item_id")["reason"].to_dict()
    assert reasons == {"2": "metric_info.json has too few steps", "3": "no metric_info.json", "4": "no record"}
    assert any("not validated on real files" in note for note in table.notes)
    metric = next(metric for metric in benchmark.metrics if metric.name == "comfort")
    assert "not validated" in metric.note


def test_no_files_means_no_comfort_and_a_note(build, tmp_path):
    (tmp_path / "r.xml").write_bytes(build.routes(build.route(1)))
    results = read_results(build.write(tmp_path / "a.json", [build.record()]), name="P", benchmark="bench2drive")
    table = bench2drive.scores(bench2drive.load(tmp_path / "r.xml"), results)
    assert "comfort" not in set(table.values.metric) | set(table.missing.metric)
    assert any("comfort is not measured" in note for note in table.notes)


STEP = {name: [0.0, 0.0, 0.0] for name in drive(1)}
MALFORMED = {
    "not JSON": "{",
    "a list": "[]",
    "a step is a number": '{"0": 3}',
    "a vector is missing": json.dumps({"0": {k: v for k, v in STEP.items() if k != "acceleration"}}),
    "two numbers": json.dumps({"0": STEP | {"acceleration": [1, 2]}}),
    "not finite": json.dumps({"0": STEP | {"acceleration": [1, 2, float("nan")]}}),
    "huge": '{"0": ' + json.dumps(STEP | {"acceleration": [10**400, 0, 0]}) + "}",
    "a text": json.dumps({"0": STEP | {"acceleration": [1, 2, "3"]}}),
}


@pytest.mark.parametrize("fault", MALFORMED)
def test_malformed_files_are_refused(tmp_path, fault):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "metric_info.json").write_text(MALFORMED[fault])
    files = ComfortFiles.find(tmp_path, None)
    assert files is not None
    with pytest.raises(DataRefused, match=r"metric_info\.json"):
        files.percent("d")


def test_a_named_folder_without_files_and_a_drive_found_twice_are_refused(tmp_path):
    with pytest.raises(DataRefused, match="SAVE_PATH"):
        ComfortFiles.find(tmp_path, tmp_path)
    for place in ("a/d", "b/d"):
        as_file(tmp_path / place / "metric_info.json", drive(3))
    with pytest.raises(DataRefused, match="same drive"):
        ComfortFiles.find(tmp_path, None)


def test_a_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "metric_info.json")
    assert ComfortFiles.find(tmp_path, None) is None


def test_two_repeats_that_began_in_the_same_second(tmp_path):
    """Each belongs to the record of its repeat."""
    for repeat, braking in (("0", 0.0), ("1", -9.0)):
        as_file(tmp_path / repeat / "d" / "metric_info.json", drive(40, (braking, 0.0)))
    files = ComfortFiles.find(tmp_path, None)
    assert files is not None
    assert [path.parent.parent.name for path in files.paths["d"]] == ["0", "1"]
    alone = [ComfortFiles.find(tmp_path / repeat, None).percent("d") for repeat in ("0", "1")]
    assert [files.percent("d", repeat) for repeat in ("0", "1")] == alone == [(100.0, ""), (0.0, "")]
    assert files.percent("d", "2")[1] == "no metric_info.json"
    as_file(tmp_path / "again" / "1" / "d" / "metric_info.json", drive(3))
    with pytest.raises(DataRefused, match="same drive"):
        ComfortFiles.find(tmp_path, None)
