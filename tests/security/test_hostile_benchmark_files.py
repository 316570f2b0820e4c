"""Hostile route and result files: nothing outside is read or written, nothing hangs, everything is refused."""

import json
import os

import pytest

from bestrand_drive.benchmarks import bench2drive, fail2drive
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.benchmarks.routes import read_route_file
from bestrand_drive.errors import DataRefused

SECRET = "canary-7f3a"


@pytest.fixture
def canary(tmp_path):
    """A file beside the inputs that must never be read."""
    path = tmp_path / "secret" / "canary.txt"
    path.parent.mkdir()
    path.write_text(SECRET)
    return path


def refused_xml(tmp_path, content):
    path = tmp_path / "routes.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataRefused) as caught:
        read_route_file(path)
    return str(caught.value)


def read(path, benchmark="bench2drive"):
    return read_results(path, name="P", benchmark=benchmark)


DOCTYPES = {
    "external entity": '<!DOCTYPE r [<!ENTITY x SYSTEM "file://{canary}">]>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % x SYSTEM "file://{canary}"> %x;]>',
    "external subset": '<!DOCTYPE r SYSTEM "file://{canary}">',
    "public subset": '<!DOCTYPE r PUBLIC "-//x" "http://127.0.0.1:9/x.dtd">',
    "billion laughs": "<!DOCTYPE r [<!ENTITY a0 'lol'>"
    + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12))
    + "<!ENTITY x '&a11;'>]>",
    "default attribute": "<!DOCTYPE r [<!ATTLIST route town CDATA 'Town01'>]>",
}


@pytest.mark.parametrize("name", DOCTYPES)
def test_doctype_is_refused_at_its_declaration(build, tmp_path, canary, name):
    text = "\n\n" + DOCTYPES[name].replace("{canary}", str(canary)) + build.routes(build.route(1)).decode()
    message = refused_xml(tmp_path, text.replace("Town12", "&x;"))
    assert "line 3: a DOCTYPE" in message
    assert SECRET not in message


def test_deep_nesting_of_elements_is_refused(tmp_path):
    assert "nested deeper" in refused_xml(tmp_path, "<a>" * 100_000)


def test_a_huge_route_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.xml"
    with path.open("wb") as stream:
        stream.truncate(65 * 2**20)
    with pytest.raises(DataRefused, match="over the limit"):
        read_route_file(path)


@pytest.mark.parametrize("route_id", ["../../x", "/etc/passwd", "1;rm", "٣", "1\n", "-1", "1e3", "0x1", "9" * 10_000])
def test_route_ids_are_plain_numbers(build, tmp_path, route_id):
    assert "not a whole number" in refused_xml(tmp_path, build.routes(build.route(route_id.replace("\n", "&#10;"))))


def test_a_pipe_and_a_device_as_route_file_do_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.xml")
    for path in (tmp_path / "pipe.xml", "/dev/zero"):
        with pytest.raises(DataRefused, match="not a regular file"):
            read_route_file(tmp_path / path)


def test_town_and_type_with_paths_stay_labels(build, tmp_path, canary):
    path = tmp_path / "routes.xml"
    path.write_bytes(build.routes(build.route(1, "../../secret/canary.txt", "../../secret")))
    before = sorted(tmp_path.rglob("*"))
    benchmark = bench2drive.load(path)
    assert list(bench2drive.route_files(benchmark, ["1"])) == ["routes.xml"]
    assert sorted(tmp_path.rglob("*")) == before
    assert SECRET not in "".join(benchmark.findings)


def test_fail2drive_names_cannot_leave_the_output_folder(build, tmp_path):
    for name in ("Base_..%2F..%2Fx_0007.xml", "Base_a b_0007.xml", "Base_Wall_٠٠٠٧.xml"):
        path = tmp_path / name
        path.write_bytes(build.routes(build.route(7)))
        with pytest.raises(DataRefused, match="not named"):
            fail2drive.load(tmp_path)
        path.unlink()


JSON_BOMBS = {
    "deep lists": "[" * 200_000,
    "deep objects": '{"_checkpoint":' * 100_000,
    "deep and closed": '{"_checkpoint": {"records": ' + "[" * 100_000 + "]" * 100_000 + "}}",
    "huge integer": '{"_checkpoint": {"records": [' + "9" * 100_000 + "]}}",
    "lone surrogate key": '{"\\ud800": 1}',
    "null bytes": "\0" * 1000,
}


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_json_bombs_are_refused(tmp_path, name):
    path = tmp_path / "bomb.json"
    path.write_text(JSON_BOMBS[name])
    with pytest.raises(DataRefused, match=r"bomb\.json"):
        read(path)


def test_a_huge_result_file_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "huge.json").open("wb") as stream:
        stream.truncate(300 * 2**20)
    with pytest.raises(DataRefused, match="over the limit"):
        read(tmp_path)


def test_huge_numbers_in_a_record_are_missing_not_a_crash(build, tmp_path):
    record = build.record(meta={"route_length": 10**4000, "duration_game": -(10**400), "duration_system": 1e308})
    build.write(tmp_path / "a.json", [record])
    (only,) = read(tmp_path).records
    assert only.route_length_m != only.route_length_m


def test_save_names_are_never_joined_to_a_path(build, tmp_path, canary):
    (canary.parent / "metric_info.json").write_text(SECRET)
    (tmp_path / "r.xml").write_bytes(build.routes(build.route(1)))
    metric_info = tmp_path / "info"
    (metric_info / "other").mkdir(parents=True)
    (metric_info / "other" / "metric_info.json").write_text("{}")
    for save_name in ("../secret", str(canary.parent), "other/../../secret", "."):
        build.write(tmp_path / "results" / "a.json", [build.record(save_name=save_name)])
        results = read(tmp_path / "results")
        table = bench2drive.scores(bench2drive.load(tmp_path / "r.xml"), results, metric_info)
        assert set(table.missing[table.missing.metric == "comfort"].reason) == {"no metric_info.json"}


@pytest.mark.parametrize(
    "record_id", ["RouteScenario_../../x_rep0", "RouteScenario_1_rep0\n", "RouteScenario_٣_rep0", ""]
)
def test_record_ids_are_plain(build, tmp_path, record_id):
    build.write(tmp_path / "a.json", [build.record(record_id)])
    with pytest.raises(DataRefused, match="does not tell the route"):
        read(tmp_path)


def test_looping_links_end(build, tmp_path):
    build.write(tmp_path / "results" / "a.json", [build.record()])
    (tmp_path / "results" / "loop").symlink_to(tmp_path / "results")
    (tmp_path / "results" / "up").symlink_to(tmp_path)
    results = read(tmp_path / "results")
    assert len(results.records) == 1
    (tmp_path / "results" / "self.json").symlink_to(tmp_path / "results" / "self.json")
    with pytest.raises(DataRefused, match=r"self\.json"):
        read(tmp_path / "results")


def test_pipes_and_folders_named_like_results_are_passed_over(build, tmp_path):
    build.write(tmp_path / "a.json", [build.record()])
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    assert read(tmp_path).notes.ignored_files == ("pipe.json",)


def test_messages_do_not_repeat_long_content(tmp_path):
    flood = "x" * 100_000
    (tmp_path / "a.json").write_text(json.dumps({"_checkpoint": {"records": [{"route_id": flood}]}}))
    with pytest.raises(DataRefused) as caught:
        read(tmp_path)
    assert len(str(caught.value)) < 500 + len(str(tmp_path))
