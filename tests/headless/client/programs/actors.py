"""Programs that spawn and destroy."""

from __future__ import annotations

from typing import Any

from tests.headless.client.programs.session import CAR, Session, at, moved, numbers


def population(session: Session) -> dict[str, Any]:
    """Spawn, find, refuse, destroy."""
    world = session.empty_town()
    found: dict[str, Any] = {}
    place = world.get_map().get_spawn_points()[3]
    car = session.spawn(CAR, place, role_name="hero", color="255,0,0")
    session.tick()
    found["attributes"] = [car.attributes["role_name"], car.attributes["color"], car.type_id]
    found["extent"] = numbers(car.bounding_box.extent)
    found["off_by_m"] = car.get_location().distance(place.location)
    try:
        session.spawn("vehicle.audi.tt", moved(place, ahead=2.0))
    except RuntimeError as error:
        found["overlap"] = str(error)
    found["tried"] = world.try_spawn_actor(session.blueprint("vehicle.audi.tt"), place) is None
    sensor = session.spawn("sensor.other.gnss", at(z=2.0), car)
    session.tick()
    found["parent"] = sensor.parent.id == car.id
    found["listed"] = [world.get_actors().find(one.id) is not None for one in (car, sensor)]
    found["destroyed"] = car.destroy()
    session.tick()
    found["left"] = [world.get_actors().find(one.id) is not None for one in (car, sensor)]
    again = session.spawn(CAR, place)
    found["new_id"] = again.id > max(car.id, sensor.id)
    return found


PROGRAMS = (population,)
