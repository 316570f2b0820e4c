"""A leaderboard agent for tests: follows the lanes of its route at an even speed, for what is on them it stops.

Its configuration is a JSON object: ``speed`` (m/s), ``crash_at`` (step that raises), ``setup`` (false: it raises),
``sensors`` (a list), ``kill`` (process that ends at step 40), ``blind`` (it stops for nothing), ``other`` (at step 40
it does what another client might: ``remove`` the ego, or ``load`` a town, at the port ``port``), ``steer`` (at step 40
it steers so, a number or ``nan``).
"""

from __future__ import annotations

import json
import math
import os
import signal

import carla
from leaderboard.autoagents.autonomous_agent import AutonomousAgent, Track
from srunner.scenariomanager.carla_data_provider import CarlaDataProvider


def get_entry_point():
    return "Follower"


class Follower(AutonomousAgent):
    def setup(self, path_to_conf_file):
        text, self.save_name = path_to_conf_file.rsplit("+", 1)
        self.options = json.loads(text or "{}")
        if self.options.get("setup") is False:
            raise ValueError("not today")
        self.track = Track.SENSORS
        self.step = self.index = 0
        self.way = self.traced()

    def sensors(self):
        return self.options.get("sensors", [{"type": "sensor.speedometer", "id": "speed"}])

    def traced(self):
        """Places a metre apart, lane by lane between the points of the plan, and straight on beyond its end."""
        town, way = CarlaDataProvider.get_map(), []
        points = [transform.location for transform, _ in self._global_plan_world_coord]
        for start, end in zip(points, points[1:]):  # noqa: B905, RUF007  runs under any Python
            here = town.get_waypoint(start)
            for _ in range(math.ceil(start.distance(end))):
                way.append(here.transform)
                here = min(here.next(1.0), key=lambda one: one.transform.location.distance(end), default=here)
        last, ahead = way[-1].location, way[-1].get_forward_vector()
        return [one.location for one in way] + [last + ahead * float(metre) for metre in range(1, 30)]

    def run_step(self, input_data, timestamp):
        self.step += 1
        if self.step == self.options.get("crash_at"):
            raise RuntimeError("lost")
        if self.step == 40 and "kill" in self.options:
            os.kill(self.options["kill"], signal.SIGKILL)
        if self.step == 40 and "other" in self.options:
            self.be_another_client()
        transform, speed = self.hero_actor.get_transform(), self.hero_actor.get_velocity().length()
        here = transform.location
        window = range(self.index, min(self.index + 10, len(self.way)))
        self.index = min(window, key=lambda index: self.way[index].distance(here))
        target = self.way[min(self.index + 4, len(self.way) - 1)]
        angle = math.atan2(target.y - here.y, target.x - here.x) - math.radians(transform.rotation.yaw)
        angle = (angle + math.pi) % (2 * math.pi) - math.pi
        error = min(self.options.get("speed", 8.0), self.free(transform)) - speed
        if self.step == 40 and "steer" in self.options:
            return carla.VehicleControl(steer=float(self.options["steer"]))
        return carla.VehicleControl(
            throttle=min(max(0.4 * error, 0.0), 0.75), steer=min(max(1.2 * angle, -1.0), 1.0), brake=float(error < -1.0)
        )

    def be_another_client(self):
        client = carla.Client("localhost", self.options["port"])
        client.set_timeout(20.0)
        if self.options["other"] == "load":
            client.load_world("Town02", reset_settings=False)
        else:
            client.apply_batch_sync([carla.command.DestroyActor(self.hero_actor.id)], False)

    def free(self, transform):
        """Speed that the actors ahead allow."""
        ahead, here, allowed = transform.get_forward_vector(), transform.location, math.inf
        if self.options.get("blind"):
            return allowed
        for actor in CarlaDataProvider.get_all_actors():
            if actor.id == self.hero_actor.id or not actor.type_id.startswith(("vehicle.", "walker.")):
                continue
            away = actor.get_location() - here
            along, aside = away.x * ahead.x + away.y * ahead.y, away.y * ahead.x - away.x * ahead.y
            if 0.0 < along < 25.0 and abs(aside) < 2.0:
                allowed = min(allowed, max(0.6 * (along - 8.0), -2.0))
        return allowed
