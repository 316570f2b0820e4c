"""The result file of a stand-in: the real schema, written as the real evaluators write it. Python 3.7 and later."""

import hashlib
import json
import os

KINDS = ("collisions_layout", "collisions_pedestrian", "collisions_vehicle", "red_light", "stop_infraction",
         "outside_route_lanes", "min_speed_infractions", "yield_emergency_vehicle_infractions", "route_dev",
         "vehicle_blocked", "scenario_timeouts", "route_timeout")  # fmt: skip
ENTRY = {"Failed - Simulation crashed": "Crashed", "Failed - Agent's sensors were invalid": "Rejected"}


class Results:
    """One route's result."""

    def __init__(self, endpoint):
        self.endpoint, self.records, self.progress, self.entry = endpoint, [], [], "Started"
        self.sensors = []

    def clear(self):
        """Truncate the file, before anything is known."""
        with open(self.endpoint, "w") as stream:
            stream.truncate(0)

    def text(self):
        """The whole file."""
        checkpoint = {"global_record": {}, "progress": self.progress, "records": self.records}
        if self.entry == "Finished":
            checkpoint["global_record"] = {"index": -1, "route_id": -1, "status": self.records[0]["status"]}
        return json.dumps(
            {"_checkpoint": checkpoint, "entry_status": self.entry, "eligible": self.entry == "Finished",
             "sensors": self.sensors, "values": [], "labels": []}, indent=4)  # fmt: skip

    def write(self, share=1.0):
        """Over the old file, not beside it; perhaps only the first part."""
        text = self.text()
        with open(self.endpoint, "w") as stream:
            stream.write(text[: int(len(text) * share)])
            stream.flush()
            os.fsync(stream.fileno())


def record(route, seed, status, completion, own, game_s, system_s):
    """A record whose score follows from route and seed; ``own`` has what only some evaluators write."""
    hit = status in ("Completed", "Perfect") and hashlib.sha256(f"{route} {seed}".encode()).digest()[0] % 2
    penalty = 0.6 if hit else 1.0
    infractions = {kind: [] for kind in KINDS}
    if hit:
        infractions["collisions_vehicle"] = ["Agent collided against object with type=vehicle.ford.mustang and id=7"]
    made = {"index": 0, "route_id": f"RouteScenario_{route}_rep0"}
    made.update(own)
    made.update({
        "status": status, "num_infractions": int(bool(hit)), "infractions": infractions,
        "scores": {"score_route": completion, "score_penalty": penalty,
                   "score_composed": round(completion * penalty, 6)},
        "meta": {"route_length": 100.0, "duration_game": round(game_s, 3), "duration_system": round(system_s, 3)},
    })  # fmt: skip
    return made
