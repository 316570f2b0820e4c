"""Programs about what is set and kept: weather, lamps, doors, physics, spectator."""

from __future__ import annotations

from typing import Any

import carla

from tests.headless.client.programs.session import CAR, Session


def settings_of_the_world(session: Session) -> dict[str, Any]:
    """Weather, lamps, doors, physics, spectator."""
    world = session.empty_town()
    found: dict[str, Any] = {}
    weather = carla.WeatherParameters(cloudiness=80.0, precipitation=60.0, sun_altitude_angle=-30.0, fog_density=12.0)
    found["other_weather"] = world.get_weather() == weather
    world.set_weather(weather)
    found["weather"] = world.get_weather() == weather
    car = session.spawn(CAR, world.get_map().get_spawn_points()[0])
    session.tick()
    state = carla.VehicleLightState
    found["lights"] = [[0, int(car.get_light_state()), int(world.get_vehicles_light_states()[car.id])]]
    for wanted in (state.LowBeam | state.LeftBlinker, state.Brake):
        car.set_light_state(carla.VehicleLightState(wanted))
        session.tick()
        listed = world.get_vehicles_light_states()[car.id]
        found["lights"].append([int(wanted), int(car.get_light_state()), int(listed)])
    car.open_door(carla.VehicleDoor.All)
    car.close_door(carla.VehicleDoor.FL)
    physics = car.get_physics_control()
    found["wheels"] = len(physics.wheels)
    physics.mass = 2500.0
    car.apply_physics_control(physics)
    session.tick()
    found["mass"] = car.get_physics_control().mass
    above = carla.Transform(carla.Location(10.0, 20.0, 50.0), carla.Rotation(pitch=-90.0))
    world.get_spectator().set_transform(above)
    session.tick()
    found["spectator"] = world.get_spectator().get_location().distance(above.location)
    found["scenery"] = len(world.get_environment_objects()), len(world.get_level_bbs(carla.CityObjectLabel.Buildings))
    signs = list(world.get_actors().filter("traffic.speed_limit.*"))
    plates = [box.location for box in world.get_level_bbs(carla.CityObjectLabel.TrafficSigns)]
    found["signs"] = [min(plate.distance(sign.get_location()) for plate in plates) for sign in signs]
    return found


def refusals(session: Session) -> dict[str, str]:
    """What the client is told about calls that are not emulated; one that is accepted, for comparison."""
    told = {}
    for name, act in (
        ("start_recorder", lambda: session.client.start_recorder("none.log")),
        ("show_recorder_file_info", lambda: session.client.show_recorder_file_info("none.log", False)),
        ("replay_file", lambda: session.client.replay_file("none.log", 0.0, 0.0, 0)),
    ):
        try:
            told[name] = str(act())
        except RuntimeError as error:
            told[name] = f"error: {error}"
    return told


PROGRAMS = (settings_of_the_world, refusals)
