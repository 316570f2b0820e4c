"""A client that tells what it sees of a town's lights; run by ``test_client`` as a process of its own."""

from __future__ import annotations

import json
import os
import sys

import carla


def main(port: int, town: str, xodr: str) -> None:
    """Load a town by name, or generate it from a file where one is given, and print its lights as JSON."""
    client = carla.Client("127.0.0.1", port)
    client.set_timeout(30)
    if xodr:
        with open(xodr) as file:
            world = client.generate_opendrive_world(file.read(), carla.OpendriveGenerationParameters())
    else:
        world = client.load_world(town)
    town_map = world.get_map()
    found = {
        "towns": [name.rpartition("/")[2] for name in client.get_available_maps()],
        "spawns": len(town_map.get_spawn_points()),
        "lanes": len(town_map.get_topology()),
        "kinds": sorted({actor.type_id for actor in world.get_actors().filter("traffic.*")}),
        "lights": [_light(light) for light in world.get_actors().filter("traffic.traffic_light*")],
    }
    print(json.dumps(found), flush=True)
    os._exit(0)  # the client's own end is known to abort now and then


def _light(light: carla.TrafficLight) -> dict[str, object]:
    stops = light.get_stop_waypoints()
    return {
        "id": light.id,
        "group": sorted(other.id for other in light.get_group_traffic_lights()),
        "state": str(light.get_state()),
        "affected": sorted((lane.road_id, lane.lane_id) for lane in light.get_affected_lane_waypoints()),
        "stops": sorted((stop.road_id, stop.lane_id) for stop in stops),
        "ahead": sorted({lane.get_junction().id for stop in stops for lane in stop.next(6.0) if lane.is_junction}),
    }


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
