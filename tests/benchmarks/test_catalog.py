"""Known route sets: recognised by content, whatever the whitespace; a single changed waypoint is seen."""

import pytest

from bestrand_drive.benchmarks import bench2drive, catalog
from bestrand_drive.benchmarks.catalog import identify, load_route_sets, load_rules
from bestrand_drive.benchmarks.routes import parse_routes, read_route_file, subset_xml
from bestrand_drive.errors import BestrandError

FILES = {
    "bench2drive220": "bench2drive220.xml",
    "bench2drive_0.0.4_val": "bench2drive_0.0.4_val.xml",
    "bench2drive_dev10": "drivetransformer_bench2drive_dev10.xml",
}


@pytest.fixture
def real(shared_data):
    def read(name):
        return read_route_file(shared_data / "bench2drive" / "routes" / FILES[name])

    return read


def test_shipped_descriptions_are_consistent():
    sets = {known.name: known for benchmark in ("bench2drive", "fail2drive") for known in load_route_sets(benchmark)}
    assert {name: known.count for name, known in sets.items()} == {
        "bench2drive220": 220,
        "bench2drive_0.0.4_val": 220,
        "bench2drive_dev10": 10,
        "fail2drive": 200,
    }
    abilities = load_rules("bench2drive").abilities
    types = {kind for members in abilities.values() for kind in members}
    for known in sets.values():
        assert known.count == len(known.routes) == sum(known.towns.values())
        assert known.benchmark == "fail2drive" or set(known.types) <= types
        assert set(known.fragile) <= known.routes.keys()
    assert len(types) == 44


@pytest.mark.parametrize("content", ["a: [", "- a", "routes: {}", None])
@pytest.mark.parametrize("load", [load_route_sets, load_rules])
def test_a_damaged_installation_is_told_as_such(monkeypatch, tmp_path, load, content):
    path = tmp_path / "bench2drive.yaml"
    path.symlink_to("absent") if content is None else path.write_text(content)
    monkeypatch.setattr(catalog, "configs_folder", lambda: tmp_path)
    with pytest.raises(BestrandError, match=r"(?s)bench2drive\.yaml: .*install the package again") as raised:
        load("bench2drive")
    assert type(raised.value) is BestrandError


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive"])
def test_run_noise_is_for_known_metrics_and_says_where_from(benchmark):
    rules = load_rules(benchmark)
    assert set(rules.run_noise) <= set(rules.metrics)
    assert all(noise > 0 for noise in rules.run_noise.values())
    assert "driven twice" in rules.run_noise_source or "seeds" in rules.run_noise_source
    names = [metric.name for metric in rules.descriptions() if metric.select]
    assert "route_completion" not in names


@pytest.mark.parametrize("name", FILES)
def test_exact_copies_are_known(real, name):
    found = identify([real(name)], "bench2drive")
    assert (found.name, found.findings) == (name, ())


@pytest.mark.parametrize("name", FILES)
def test_other_whitespace_is_recognised(real, name):
    file = real(name)
    other = parse_routes(file.path, file.content.replace(b"\n", b"\r\n\t") + b"\n<!-- mine -->")
    found = identify([other], "bench2drive")
    assert found.name == name
    assert found.findings == (f"same routes as {name}, other whitespace or file layout",)


def test_one_changed_waypoint_is_recognised(real):
    file = real("bench2drive220")
    content = file.content.replace(b'x="-497.6" y="3670.9"', b'x="-497.7" y="3670.9"')
    found = identify([parse_routes(file.path, content)], "bench2drive")
    assert found.name == "unknown"
    assert found.findings == ("219 of bench2drive220's 220 routes, 1 changed: 1711",)


def test_the_two_files_of_220_routes_share_ids_but_no_content(real):
    one, two = real("bench2drive220"), real("bench2drive_0.0.4_val")
    shared = {route.id for route in one.routes} & {route.id for route in two.routes}
    assert shared == {"26990", "4183"}
    for file, name in ((one, "bench2drive220"), (two, "bench2drive_0.0.4_val")):
        part = parse_routes(file.path, subset_xml(file, shared))
        found = identify([part], "bench2drive")
        assert found.findings == (f"2 of {name}'s 220 routes",)


def test_a_subset_and_strange_routes_are_reported(build, real):
    file = real("bench2drive220")
    part = subset_xml(file, ["1711", "23670"]).replace(b"</routes>", build.route(999999).encode() + b"</routes>")
    found = identify([parse_routes(file.path, part)], "bench2drive")
    assert found.findings == ("2 of bench2drive220's 220 routes, 1 not in it: 999999",)


def test_fragile_routes_follow_their_content(real, tmp_path):
    file = real("bench2drive220")
    (tmp_path / "r.xml").write_bytes(subset_xml(file, ["1711", "23670"]))
    assert bench2drive.load(tmp_path / "r.xml").fragile == ("23670",)


def test_unknown_routes_are_reported(build, tmp_path):
    (tmp_path / "r.xml").write_bytes(build.routes(build.route(5)))
    benchmark = bench2drive.load(tmp_path / "r.xml")
    assert benchmark.route_set == "unknown"
    assert any("none of its 1 routes" in finding for finding in benchmark.findings)
    assert benchmark.fragile == ()
