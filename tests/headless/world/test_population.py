"""Spawning, destroying, ids, episodes."""

from typing import TYPE_CHECKING, NoReturn

import pytest

from bestrand_drive.headless.actor import Actor, Kind, Transform
from bestrand_drive.headless.world import population
from bestrand_drive.headless.world.controls import PhysicsControl, VehicleControl
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.fleet import THROTTLE
from bestrand_drive.headless.world.ranges import LONGEST_CHAIN, MOST_ACTORS
from bestrand_drive.headless.world.settings import EpisodeSettings
from tests.headless.world.mini import MINI_XODR

if TYPE_CHECKING:
    from collections.abc import Callable

    from bestrand_drive.headless.world.world import World

CAR = "vehicle.tesla.model3"


def test_ids_are_never_reused_not_even_by_another_episode(world: "World") -> None:
    first = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0))).id
    assert world.destroy(first)
    second = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0))).id
    world.load_opendrive(MINI_XODR)
    assert first < second < min(world.actors)
    assert list(world.actors) == sorted(world.actors)


def test_a_new_episode_starts_empty_with_its_own_number(world: "World") -> None:
    episode, frame = world.episode, world.frame
    world.settings.synchronous_mode = True
    world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    world.tick()
    world.weather[0] = 90.0
    world.load_opendrive(MINI_XODR)
    assert (world.episode, world.elapsed_s) == (episode + 1, 0.0)
    assert world.frame > frame
    assert {actor.kind for actor in world.actors.values()} == {Kind.SPECTATOR, Kind.TRAFFIC_LIGHT, Kind.SIGN}
    assert world.settings.synchronous_mode
    assert world.weather[0] == 0.0
    world.load_opendrive(MINI_XODR, reset_settings=True)
    assert not world.settings.synchronous_mode
    assert world.map_name == "Carla/Maps/OpenDriveMap"
    assert world.opendrive == MINI_XODR


def test_time_and_frames_advance_by_the_fixed_step(world: "World") -> None:
    frame = world.frame
    world.settings.fixed_delta_seconds = 0.1
    assert world.tick() == frame + 1
    assert world.elapsed_s == pytest.approx(0.1)
    world.settings.fixed_delta_seconds = None
    world.tick()
    assert world.elapsed_s == pytest.approx(0.15)


def test_who_comes_or_goes_is_no_work_for_each_that_stays(world: "World", monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands are spawned in one batch while nobody else is served."""
    asked: list[int] = []
    weigh = population.Population._inverse_mass

    def counted(self: "World", actor: Actor) -> tuple[float, bool]:
        asked.append(actor.id)
        return weigh(self, actor)

    monkeypatch.setattr(population.Population, "_inverse_mass", counted)
    ids = [world.spawn(CAR, {}, Transform((20.0 + 6.0 * number, 1.75, 0.0))).id for number in range(20)]
    world.tick()
    assert world.destroy(ids[3])
    world.tick()
    assert asked == ids


def test_the_table_of_what_can_collide_follows_every_change(world: "World") -> None:
    places = [Transform((20.0 + 6.0 * number, 1.75, 0.0)) for number in range(5)]
    one, two, three, four = (world.spawn(CAR, {}, place).id for place in places[:4])
    cone = world.spawn("static.prop.trafficcone01", {}, places[4]).id
    child = world.spawn(CAR, {}, Transform((0.0, 0.0, 3.0)), parent=one).id
    world.set_collisions(two, False)
    world.set_simulate_physics(three, False)
    world.apply_physics_control(four, PhysicsControl(mass=500.0))
    world.destroy(one)

    def table() -> list[tuple[int, float, bool, bool]]:
        solids = world.solids
        assert solids.slots.tolist() == [world.slot(actor.id) for actor in solids.actors]
        assert (solids.vehicle | solids.prop).all()
        rows = zip(solids.actors, solids.inverse_mass, solids.vehicle, solids.yields, strict=True)
        return [(actor.id, float(share), bool(car), bool(yields)) for actor, share, car, yields in rows]

    assert child not in world.actors
    assert table() == [(three, 0.0, True, False), (four, 0.002, True, True), (cone, 0.0, False, False)]
    world.set_collisions(two, True)
    world.set_simulate_physics(cone, True)
    assert [row[0] for row in table()] == [two, three, four, cone]
    assert table()[3] == (cone, 0.05, False, True)


def test_rows_of_vehicles_keep_their_own_values_when_others_go(world: "World") -> None:
    ids = [world.spawn(CAR, {}, Transform((20.0 + 6.0 * number, 1.75, 0.0))).id for number in range(5)]
    for number, one in enumerate(ids):
        world.apply_vehicle_control(one, VehicleControl(throttle=0.1 * number))
    world.destroy(ids[1])
    late = world.spawn(CAR, {}, Transform((80.0, 1.75, 0.0))).id
    assert world.fleet.ids == [ids[0], *ids[2:], late]
    assert world.fleet.pedals[THROTTLE].tolist() == pytest.approx([0.0, 0.2, 0.3, 0.4, 0.0])
    assert world.fleet.record["throttle"].tolist() == pytest.approx([0.0, 0.2, 0.3, 0.4, 0.0])


@pytest.mark.parametrize("type_id", ["vehicle.no.such", "traffic.traffic_light", "spectator", ""])
def test_what_is_no_blueprint_of_a_client_is_refused(world: "World", type_id: str) -> None:
    with pytest.raises(WorldError, match="invalid actor description"):
        world.spawn(type_id, {}, Transform())


def test_attributes_of_the_client_win_over_the_blueprints(world: "World") -> None:
    car = world.spawn(CAR, {"role_name": (3, "hero")}, Transform((50.0, 1.75, 0.0)))
    assert car.attributes["role_name"] == (3, "hero")
    assert car.attributes["number_of_wheels"][1] == "4"
    blueprint = world.catalog.find(CAR)
    assert blueprint is not None
    assert (car.blueprint_uid, car.extent, car.semantic_tag) == (
        blueprint.uid,
        blueprint.extent,
        blueprint.semantic_tag,
    )


def test_sensors_get_streams_of_their_own_but_lane_invasion_none(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    names = ("sensor.other.imu", "sensor.other.gnss", "sensor.other.lane_invasion")
    streams = [world.spawn(name, {}, Transform(), parent=car.id).stream_id for name in names]
    assert streams[0] > 1
    assert streams[1] == streams[0] + 1
    assert streams[2] == 0


def test_destroying_a_parent_destroys_what_rides_on_it(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    prop = world.spawn("static.prop.trafficcone01", {}, Transform(), parent=car.id)
    sensor = world.spawn("sensor.other.imu", {}, Transform(), parent=prop.id)
    assert world.destroy(car.id)
    assert not {car.id, prop.id, sensor.id} & set(world.actors)
    assert not world.destroy(car.id)
    world.tick()


def test_a_chain_is_destroyed_with_its_root_and_has_an_end(world: "World") -> None:
    before = set(world.actors)
    root = link = world.spawn("static.prop.trafficcone01", {}, Transform((50.0, 1.75, 0.0))).id
    for _ in range(LONGEST_CHAIN):
        last, link = link, world.spawn("static.prop.trafficcone01", {}, Transform(), parent=link).id
    with pytest.raises(WorldError, match="one to another"):
        world.spawn("static.prop.trafficcone01", {}, Transform(), parent=link)
    assert world.spawn("static.prop.trafficcone01", {}, Transform(), parent=last)
    other = world.spawn("static.prop.trafficcone01", {}, Transform((60.0, 1.75, 0.0))).id
    assert world.destroy(root)
    assert set(world.actors) == before | {other}
    world.tick()


class _NotLookedThrough(dict[int, Actor]):
    """Actors that may be looked up, each by its id."""

    def values(self) -> NoReturn:
        raise AssertionError("all actors were looked through")


def test_to_destroy_one_no_other_is_looked_at(world: "World") -> None:
    """Else a batch that destroys thousands takes the square of their number."""
    cones = [world.spawn("static.prop.trafficcone01", {}, Transform((50.0, 1.75, 0.0))).id for _ in range(3)]
    rider = world.spawn("static.prop.trafficcone01", {}, Transform(), parent=cones[1]).id
    world.actors = _NotLookedThrough(world.actors)
    assert world.destroy(cones[1])
    assert world.destroy(cones[0])
    assert set(world.actors) & {*cones, rider} == {cones[2]}


def test_there_is_a_limit_to_actors(world: "World", monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_ACTORS == 10_000
    monkeypatch.setattr(population, "MOST_ACTORS", len(world.actors) + 3)
    cones = [world.spawn("static.prop.trafficcone01", {}, Transform((5.0 * k, 1.0, 0.0))).id for k in range(3)]
    for type_id in ("static.prop.trafficcone01", CAR, "sensor.other.imu"):
        with pytest.raises(WorldError, match="no more than"):
            world.spawn(type_id, {}, Transform((90.0, 1.75, 0.0)))
    world.destroy(cones[1])
    assert world.spawn(CAR, {}, Transform((90.0, 1.75, 0.0)))


@pytest.mark.parametrize("synchronous", [True, False])
def test_settings_are_reset_to_the_mode_that_the_server_was_started_in(world: "World", synchronous: bool) -> None:
    world.starts_synchronous = synchronous
    world.settings = EpisodeSettings(not synchronous, fixed_delta_seconds=0.1)
    world.load_opendrive(MINI_XODR, reset_settings=False)
    assert (world.settings.synchronous_mode, world.settings.step_s) == (not synchronous, 0.1)
    world.load_opendrive(MINI_XODR, reset_settings=True)
    assert (world.settings.synchronous_mode, world.settings.step_s) == (synchronous, 0.05)


def test_a_destroyed_actor_keeps_its_last_values(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0)))
    world.set_target_velocity(car.id, (3.0, 0.0, 0.0))
    world.destroy(car.id)
    world.spawn(CAR, {}, Transform((90.0, 1.75, 0.0)))
    assert car.transform.location == (50.0, 1.75, 0.0)
    assert car.velocity == (3.0, 0.0, 0.0)


def test_what_the_map_owns_cannot_be_destroyed(world: "World") -> None:
    assert not any(world.destroy(actor_id) for actor_id in list(world.actors))


def test_unknown_actors_and_parents_are_named(world: "World") -> None:
    with pytest.raises(WorldError, match="unable to find actor"):
        world.actor(12345)
    with pytest.raises(WorldError, match="unable to find actor"):
        world.spawn("sensor.other.imu", {}, Transform(), parent=12345)
    with pytest.raises(WorldError, match="not a vehicle"):
        world.add_force(world.spectator.id, (1.0, 0.0, 0.0))


def test_unknown_maps_are_refused_and_leave_the_world_as_it_was(world: "World") -> None:
    before = (world.episode, list(world.actors))
    with pytest.raises(WorldError, match="map not found"):
        world.load_map("Town99", True)
    with pytest.raises(WorldError, match="cannot be read"):
        world.load_opendrive("<broken")
    assert (world.episode, list(world.actors)) == before


def test_every_blueprint_can_be_spawned_ticked_and_destroyed(make_mini: "Callable[[int], World]") -> None:
    world = make_mini(0)
    for blueprint in world.catalog.listed():
        actor = world.spawn(blueprint.id, {}, Transform((100.0, 1.75, 1.0)))
        world.tick()
        world.snapshot_rows()
        assert world.destroy(actor.id), blueprint.id


def test_all_spawn_points_of_a_town_can_be_used_at_once(make_town: "Callable[..., World]") -> None:
    world = make_town("Town04")
    for point in world.spawn_points:
        world.spawn("vehicle.carlamotors.firetruck", {}, point)
    world.tick()
    assert not world.events


def test_the_ground_can_be_asked_and_hit_by_rays(world: "World") -> None:
    assert world.ground_height(300.0, 1.75, 5.0) == pytest.approx(5.0, abs=0.01)
    assert world.ground_height(300.0, 90.0, 5.0) is None
    hit = world.project_point((300.0, 1.75, 9.0), (0.0, 0.0, -1.0), 10.0)
    assert hit is not None
    assert hit[0] == pytest.approx((300.0, 1.75, 5.0), abs=0.01)
    assert world.project_point((300.0, 1.75, 9.0), (0.0, 0.0, 1.0), 10.0) is None
    assert world.project_point((300.0, 1.75, 9.0), (0.0, 0.0, 0.0), 10.0) is None
    (slanted,) = world.cast_ray((100.0, 1.75, 2.0), (120.0, 1.75, -2.0))
    assert slanted[0] == pytest.approx((110.0, 1.75, 0.0), abs=0.01)


def test_lamps_are_kept(world: "World") -> None:
    car = world.spawn(CAR, {}, Transform((50.0, 1.75, 0.0))).id
    world.set_light_state(car, 5)
    assert world.light_state(car) == 5
    assert world.light_states() == [(car, 5)]
