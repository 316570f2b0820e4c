"""Which light a vehicle is at: its box touches the light's trigger volume and it drives the stopped lanes' way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestrand_drive.headless.maps.signals import SignalSite
from bestrand_drive.headless.world.bodies import Bodies
from bestrand_drive.headless.world.boxes import Boxes, overlap
from bestrand_drive.headless.world.fleet import Fleet
from bestrand_drive.headless.world.lights import LightState, TrafficLights
from bestrand_drive.headless.world.sweep import near_pairs

_HEIGHT_M = 4.0


class StopZones:
    """The trigger volumes of all lights of a town, sorted by x."""

    def __init__(self, sites: Sequence[SignalSite]) -> None:
        bodies = Bodies()
        slots = [bodies.add(number, site.transform, site.extent, site.box_centre) for number, site in enumerate(sites)]
        boxes = Boxes.of(bodies, np.array(slots, dtype=np.intp))
        self._light = np.argsort(boxes.x, kind="stable")
        self._boxes = boxes.take(self._light)
        self._reach = float(boxes.radius.max()) if sites else 0.0

    def mark(self, bodies: Bodies, fleet: Fleet, lights: TrafficLights) -> None:
        """Write into every vehicle's record whether it is at a light, at which, and its colour (else green)."""
        record = fleet.record
        record["has_light"] = False
        record["light_id"] = 0
        record["light_state"] = LightState.GREEN
        if not self._light.size:
            return
        boxes = Boxes.of(bodies, fleet.slots)
        reach = float(boxes.radius.max()) + self._reach
        vehicle, zone = near_pairs(boxes.x, self._boxes.x, reach)
        near = np.abs(boxes.y[vehicle] - self._boxes.y[zone]) < reach
        vehicle, zone = vehicle[near], zone[near]
        if not vehicle.size:
            return
        mine, theirs = boxes.take(vehicle), self._boxes.take(zone)
        same_way = mine.cos * theirs.sin - mine.sin * theirs.cos > 0.0  # the zone's x runs across, to the lanes' right
        inside = (overlap(mine, theirs).depth > 0.0) & same_way & (np.abs(mine.z - theirs.z) < _HEIGHT_M)
        for row, light in sorted(zip(vehicle[inside].tolist(), self._light[zone[inside]].tolist(), strict=True))[::-1]:
            record["has_light"][row] = True
            record["light_id"][row] = lights.ids[light]
            record["light_state"][row] = lights.record["state"][light]
