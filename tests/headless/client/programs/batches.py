"""Programs that send many commands in one call."""

from __future__ import annotations

from typing import Any

import carla

from tests.headless.client.programs.sensing import Ear
from tests.headless.client.programs.session import CAR, Session, at, numbers


def batch(session: Session) -> dict[str, Any]:
    """Spawn chained with autopilot, one refused, drive, destroy."""
    world, commands = session.empty_town(), carla.command
    manager = session.traffic_manager(1)
    places = world.get_map().get_spawn_points()[:30:3]
    car = session.blueprint(CAR)
    autopilot = commands.SetAutopilot(commands.FutureActor, True, manager.get_port())
    spawns = [commands.SpawnActor(car, place).then(autopilot) for place in [*places, places[0]]]
    answers = session.client.apply_batch_sync(spawns, False)
    ids = [answer.actor_id for answer in answers if not answer.error]
    session.tick()
    starts = {one: world.get_actor(one).get_location() for one in ids}
    session.tick(150)
    driven = [world.get_actor(one).get_location().distance(starts[one]) for one in ids]
    found: dict[str, Any] = {"errors": [answer.error for answer in answers], "driven_m": driven}
    session.client.apply_batch_sync([commands.SetAutopilot(one, False, manager.get_port()) for one in ids], False)
    answers = session.client.apply_batch_sync([commands.DestroyActor(one) for one in [*ids, 10**6]], False)
    session.tick()
    found["destroyed"] = [answer.error for answer in answers]
    found["left"] = len(world.get_actors().filter("vehicle.*"))
    return found


def batch_with_tick(session: Session) -> dict[str, Any]:
    """``apply_batch_sync(..., True)`` keeps Python's lock; two sensors of a vehicle listen meanwhile."""
    world, commands = session.empty_town(), carla.command
    places = world.get_map().get_spawn_points()
    car = session.spawn(CAR, places[0])
    ears = [Ear(session.spawn(name, at(z=2.0), car)) for name in ("sensor.other.imu", "sensor.other.gnss")]
    session.until(lambda: all(ear.said for ear in ears))
    before = world.get_snapshot().frame
    for place in places[1:21]:
        answers = session.client.apply_batch_sync([commands.SpawnActor(session.blueprint(CAR), place)], True)
        assert not answers[0].error, answers[0].error
        session.step()
    session.tick()
    for ear in ears:
        ear.wait_for(world.get_snapshot().frame)
    return {
        "frames": world.get_snapshot().frame - before,
        "heard": [sum(frame > before for frame in ear.frames) for ear in ears],
        "vehicles": len(world.get_actors().filter("vehicle.*")),
    }


def chained(session: Session) -> dict[str, Any]:
    """Vehicles that begin with commands of their own; one has none, for comparison."""
    world, commands = session.empty_town(), carla.command
    new, lights = commands.FutureActor, carla.VehicleLightState.Brake | carla.VehicleLightState.Fog
    places = dict(zip(("pedals", "velocity", "lamps", "none"), world.get_map().get_spawn_points()[::7]))
    ahead = places["velocity"].get_forward_vector() * 7.0
    orders = {
        "pedals": [commands.ApplyVehicleControl(new, carla.VehicleControl(throttle=1.0))],
        "velocity": [commands.ApplyTargetVelocity(new, carla.Vector3D(ahead.x, ahead.y, ahead.z))],
        "lamps": [
            commands.SetVehicleLightState(new, carla.VehicleLightState(lights)),
            commands.ApplyVehicleControl(new, carla.VehicleControl(throttle=1.0)),
            commands.ApplyVehicleControl(new, carla.VehicleControl(throttle=1.0, hand_brake=True)),
        ],
        "none": [],
    }
    batch = []
    for name, place in places.items():
        spawn = commands.SpawnActor(session.blueprint(CAR), place)
        for order in orders[name]:
            spawn.then(order)
        batch.append(spawn)
    answers = session.client.apply_batch_sync(batch, False)
    session.tick(20)
    found = {}
    for (name, place), answer in zip(places.items(), answers):
        assert not answer.error, answer.error
        car = world.get_actor(answer.actor_id)
        way = numbers(car.get_location() - place.location)
        found[name] = {"moved_m": (way[0] ** 2 + way[1] ** 2) ** 0.5, "lights": int(car.get_light_state())}
    found["lights"] = int(lights)
    return found


PROGRAMS = (batch, batch_with_tick, chained)
