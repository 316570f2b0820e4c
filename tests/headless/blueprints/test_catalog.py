"""The catalogue: what both benchmarks' scenario code spawns, with the attributes that it filters by."""

from __future__ import annotations

import pytest

from bestrand_drive.headless.actor import Kind
from bestrand_drive.headless.blueprints.catalog import AttributeType, Blueprint, Catalog, load_catalog


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def fixed(blueprint: Blueprint, name: str) -> str:
    (spec,) = [spec for spec in blueprint.attributes if spec.id == name]
    assert not spec.modifiable
    return spec.default


def vehicles(catalog: Catalog, **wanted: str) -> set[str]:
    """Ids of the vehicles whose attributes are as wanted, as scenario_runner's create_blueprint filters them."""
    found = [blueprint for blueprint in catalog.blueprints if blueprint.kind is Kind.VEHICLE]
    return {b.id for b in found if all(b.defaults()[name][1] == value for name, value in wanted.items())}


def test_ids_are_unique_and_numbered_from_one(catalog: Catalog) -> None:
    assert len({blueprint.id for blueprint in catalog.blueprints}) == len(catalog.blueprints)
    assert [blueprint.uid for blueprint in catalog.blueprints] == list(range(1, len(catalog.blueprints) + 1))
    assert load_catalog() == catalog


@pytest.mark.parametrize(
    "type_id",
    [
        "vehicle.lincoln.mkz_2020", "vehicle.lincoln.mkz_2017", "vehicle.tesla.model3", "vehicle.audi.tt",
        "vehicle.nissan.patrol_2021", "vehicle.mini.cooper_s", "vehicle.diamondback.century", "vehicle.bh.crossbike",
        "vehicle.gazelle.omafiets", "vehicle.dodge.charger_police_2020", "vehicle.carlamotors.european_hgv",
        "vehicle.carlamotors.firetruck", "vehicle.ford.ambulance", "vehicle.mitsubishi.fusorosa",
        "walker.pedestrian.0001", "walker.pedestrian.0052", "walker.animal.1003", "walker.animal.1017",
        "static.prop.trafficwarning", "static.prop.warningconstruction", "static.prop.warningaccident",
        "static.prop.constructioncone", "static.prop.trafficcone01", "static.prop.dirtdebris02",
        "static.prop.streetbarrier", "static.prop.vendingmachine", "static.prop.haybalelb", "static.prop.foodcart",
        "static.prop.busstoplb", "static.prop.mesh", "static.prop.ampel", "static.prop.walkingkidlarge",
        "static.prop.brickwall", "static.prop.autobahn", "static.prop.screenshot1", "static.prop.stickers",
        "static.trigger.friction", "controller.ai.walker", "traffic.traffic_light", "traffic.stop", "spectator",
        "sensor.camera.rgb", "sensor.camera.depth", "sensor.camera.dvs", "sensor.camera.optical_flow",
        "sensor.camera.instance_segmentation", "sensor.lidar.ray_cast", "sensor.lidar.ray_cast_semantic",
        "sensor.other.radar", "sensor.other.gnss", "sensor.other.imu", "sensor.other.obstacle",
        "sensor.other.collision", "sensor.other.lane_invasion",
    ],
)  # fmt: skip
def test_what_the_benchmarks_spawn_is_there(catalog: Catalog, type_id: str) -> None:
    blueprint = catalog.find(type_id)
    assert blueprint is not None
    assert blueprint.id == type_id
    assert ".".join(blueprint.tags) == type_id


def test_an_unknown_id_is_not_found(catalog: Catalog) -> None:
    assert catalog.find("vehicle.trabant.601") is None


def test_scenario_filters_find_their_vehicles(catalog: Catalog) -> None:
    """The attribute filters in scenario_runner: an empty choice makes a scenario fall back or be skipped."""
    traffic = vehicles(catalog, base_type="car", has_lights="true", special_type="")
    assert "vehicle.lincoln.mkz_2020" in traffic
    assert not traffic & vehicles(catalog, special_type="emergency")
    assert vehicles(catalog, base_type="car", generation="2", special_type="") == traffic
    assert "vehicle.dodge.charger_police_2020" in vehicles(catalog, special_type="emergency")
    assert vehicles(catalog, has_dynamic_doors="true", base_type="car") >= traffic
    assert vehicles(catalog, base_type="bicycle", number_of_wheels="2") == {
        "vehicle.bh.crossbike",
        "vehicle.diamondback.century",
        "vehicle.gazelle.omafiets",
    }


def test_every_default_reads_as_its_type(catalog: Catalog) -> None:
    for blueprint in catalog.blueprints:
        for spec in blueprint.attributes:
            match spec.type:
                case AttributeType.BOOL:
                    assert spec.default in {"true", "false"}, (blueprint.id, spec)
                case AttributeType.INT:
                    int(spec.default)
                case AttributeType.FLOAT:
                    float(spec.default)
                case AttributeType.COLOUR:
                    assert all(len(value.split(",")) == 3 for value in spec.recommended)
            assert spec.modifiable == bool(spec.recommended)
            assert not spec.modifiable or spec.recommended[0] == spec.default
        assert len({spec.id for spec in blueprint.attributes}) == len(blueprint.attributes)


def test_bodies_are_plausible(catalog: Catalog) -> None:
    for blueprint in catalog.blueprints:
        assert all(half > 0 for half in blueprint.extent)
        if blueprint.kind is Kind.VEHICLE:
            limits = blueprint.limits
            assert 1.0 < 2 * blueprint.extent[0] < 12.0
            assert 0.5 * blueprint.extent[0] < limits.wheelbase < 2 * blueprint.extent[0]
            assert 0 < limits.max_steer_deg <= limits.wheel_steer_deg < 90
            assert min(limits.max_accel, limits.max_brake, limits.max_speed, limits.mass) > 0
        if blueprint.kind is Kind.WALKER:
            assert blueprint.limits.max_speed > 0


def test_ages_and_sizes_agree(catalog: Catalog) -> None:
    children = [b for b in catalog.blueprints if b.id.startswith("walker.pedestrian") and fixed(b, "age") == "child"]
    assert {b.id[-4:] for b in children} == {"0009", "0010", "0011", "0012", "0013", "0014", "0048", "0049"}
    assert all(b.extent[2] < 0.7 for b in children)


def test_two_wheelers_take_drivers_only_from_the_list(catalog: Catalog) -> None:
    ninja = catalog.find("vehicle.kawasaki.ninja")
    assert ninja is not None
    (driver,) = [spec for spec in ninja.attributes if spec.id == "driver_id"]
    assert driver.restrict
    assert driver.type == AttributeType.INT


def test_signs_and_spectator_are_not_listed(catalog: Catalog) -> None:
    hidden = {blueprint.id for blueprint in catalog.blueprints} - {blueprint.id for blueprint in catalog.listed()}
    assert hidden == {b.id for b in catalog.blueprints if b.id.startswith("traffic.") or b.id == "spectator"}


def test_a_mesh_takes_its_box_from_its_name_and_scale(catalog: Catalog) -> None:
    mesh = catalog.find("static.prop.mesh")
    assert mesh is not None
    attributes = mesh.defaults()
    assert catalog.body(mesh, attributes) == (mesh.extent, mesh.box_centre)
    path = "/Game/Carla/Static/Car/4Wheeled/ParkedVehicles/NissanPatrol2021/SM_NissanPatrol2021_parked"
    for name in (path, f"{path}.SM_NissanPatrol2021_parked"):
        named = {**attributes, "mesh_path": (3, name), "scale": (2, "0.5")}
        extent, centre = catalog.body(mesh, named)
        assert extent == pytest.approx((1.39, 0.61, 0.51))
        assert centre == pytest.approx((0.0, 0.0, 0.51))
    largest = catalog.body(mesh, {**attributes, "scale": (2, "1e300")})[0]
    assert largest == pytest.approx(tuple(100.0 * half for half in mesh.extent))
    for scale in ("nan", "-1", "0", "big"):
        assert catalog.body(mesh, {**attributes, "scale": (2, scale)})[0] == mesh.extent


def test_boxes_of_other_things_do_not_depend_on_attributes(catalog: Catalog) -> None:
    cone = catalog.find("static.prop.constructioncone")
    assert cone is not None
    assert catalog.body(cone, {"scale": (2, "3.0")}) == (cone.extent, cone.box_centre)
