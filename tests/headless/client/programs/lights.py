"""Programs about traffic lights."""

from __future__ import annotations

from typing import Any

import carla

from tests.headless.client.programs.session import CAR, Session, moved, straight_road


def traffic_lights(session: Session) -> dict[str, Any]:
    """Groups, cycle, set, freeze."""
    world = session.empty_town()
    found: dict[str, Any] = {}
    lights = world.get_actors().filter("traffic.traffic_light*")
    groups = {light.id: sorted(one.id for one in light.get_group_traffic_lights()) for light in lights}
    found["lights"] = len(lights)
    found["grouped"] = all(name in group and all(groups[o] == group for o in group) for name, group in groups.items())
    group = sorted(lights, key=lambda one: one.id)[0].get_group_traffic_lights()
    for light in group:
        light.set_green_time(1.0)
        light.set_yellow_time(0.5)
        light.set_red_time(0.25)
    session.tick()
    found["times"] = [group[0].get_green_time(), group[0].get_yellow_time(), group[0].get_red_time()]
    world.reset_all_traffic_lights()
    cycle = []
    for _ in range(len(group) * 35 + 10):
        session.tick()
        cycle.append([str(light.get_state()) for light in group])
    found["cycle"] = cycle
    group[1].set_state(carla.TrafficLightState.Green)
    group[1].freeze(True)
    session.tick()
    frozen = []
    for _ in range(80):
        session.tick()
        frozen.append([str(light.get_state()) for light in group])
    found["frozen"] = [str(group[1].get_state()), group[0].is_frozen(), len({tuple(states) for states in frozen})]
    group[1].freeze(False)
    session.tick(80)
    found["again"] = [group[0].is_frozen(), str(group[1].get_state())]
    return found


def stop_lines(session: Session) -> list[dict[str, Any]]:
    """Every light: its stop waypoints, its lanes, its volume, and a vehicle in it and before it."""
    world, found = session.empty_town(), []
    car = session.spawn(CAR, straight_road(world))
    car.set_simulate_physics(False)
    for light in world.get_actors().filter("traffic.traffic_light*"):
        lanes = sorted({(lane.road_id, lane.lane_id) for lane in light.get_affected_lane_waypoints()})
        volume, stops = light.trigger_volume, []
        for place in light.get_stop_waypoints():
            inside = volume.contains(moved(place.transform, ahead=-1.5, up=0.5).location, light.get_transform())
            into = [(lane.road_id, lane.lane_id) for lane in place.next(4.0) if lane.is_junction]
            stop = {"into": into, "inside": inside, "before": bool(into) and not place.is_junction}
            car.set_transform(moved(place.transform, ahead=-3.0, up=0.3))
            session.tick()
            stop["at"] = car.is_at_traffic_light() and car.get_traffic_light().id == light.id
            stop["state"] = car.get_traffic_light_state() == light.get_state()
            car.set_transform(moved(place.transform, ahead=-14.0, up=0.3))
            session.tick()
            stop["early"] = car.is_at_traffic_light()
            stops.append(stop)
        found.append({"light": light.id, "lanes": lanes, "stops": stops})
    return found


PROGRAMS = (traffic_lights, stop_lines)
