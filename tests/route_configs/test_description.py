"""``builtin.yaml``: rules and route set as the catalog reads them, and the demo's part."""

import pytest
import yaml

from bestrand_drive.benchmarks.catalog import identify, load_route_sets, load_rules
from bestrand_drive.benchmarks.routes import read_route_file
from bestrand_drive.files import sha256_bytes


@pytest.fixture(scope="module")
def description(folder):
    return yaml.safe_load((folder.parent / "builtin.yaml").read_bytes())


@pytest.fixture(scope="module")
def file(folder):
    return read_route_file(folder / "routes.xml")


def test_the_catalog_knows_the_shipped_routes(file):
    found = identify([file], "builtin")
    assert (found.name, found.findings) == ("builtin", ())
    (known,) = load_route_sets("builtin")
    assert known.count == len(file.routes) >= 120
    assert len(known.types) >= 20
    assert min(known.types.values()) >= 4


def test_rules_are_bench2drive_s(file):
    rules, theirs = load_rules("builtin"), load_rules("bench2drive")
    assert rules.metrics == theirs.metrics
    assert rules.abilities.keys() == theirs.abilities.keys()
    for kind in {route.scenario_types[0] for route in file.routes}:
        of_kind = {name for name, kinds in rules.abilities.items() if kind in kinds}
        assert of_kind == {name for name, kinds in theirs.abilities.items() if kind in kinds} != set()


def test_the_demo_is_forty_short_routes_of_all_abilities(description, file):
    demo = description["parts"]["demo"]
    own = [route for route in file.routes if route.id in demo]
    assert len(own) == len(set(demo)) == 40
    assert all(80.0 <= route.length_m <= 135.0 for route in own)
    kinds = {route.scenario_types[0] for route in own}
    assert len(kinds) >= 10
    assert all(kinds & set(of_ability) for of_ability in load_rules("builtin").abilities.values())


def test_towns_are_told_by_hash(description, folder):
    files = {path.name: sha256_bytes(path.read_bytes()) for path in (folder / "towns").glob("*.xodr")}
    assert description["maps"] == files
    assert {f"{town}.xodr" for town in description["towns"]} == files.keys()


def test_routes_have_weather_from_start_to_end(routes):
    seen = set()
    for route in routes:
        rows = [dict(row.attrib) for row in route.iterfind("weathers/weather")]
        assert [row.pop("route_percentage") for row in rows] == ["0", "100"]
        assert rows[0] == rows[1]
        seen.add(tuple(rows[0].items()))
    assert len(seen) >= 10
