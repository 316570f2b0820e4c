"""What the stand-ins have in common: one route, as the real evaluators go through it. Python 3.7 and later."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from xml.etree import ElementTree

from orders import order
from results import ENTRY, Results, record

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 0 bytes"
BIND = "trying to create rpc server for traffic manager; but the system failed to create because of bind error."
STEP_S = 0.05
SAFE_RANK = 1000000
"""A lower rank may be another program's; the kill by name is only done for ours."""


class AgentError(Exception):
    """The agent raised."""


def load_carla():
    """The module to use, under the name that the hooks know."""
    if os.environ.get("BESTRAND_STAND_IN_CARLA") != "real":
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake"))
    return importlib.import_module("carla")


def stand_still():
    """For ever."""
    print("standing still", flush=True)
    while True:
        time.sleep(10)  # shorter than the hooks' long sleeps


class Evaluator:
    """One process, one route. ``setup`` connects; ``own`` gives the evaluator's own fields of a record."""

    def __init__(self, args, setup, own, stops_on_setup):
        self.args, self.own, self.stops_on_setup = args, own, stops_on_setup
        route = next(ElementTree.parse(args.routes).iter("route"))
        self.route, self.town = route.attrib["id"], route.attrib["town"]
        self.scenarios = [scenario.attrib.get("name", "") for scenario in route.iter("scenario")]
        self.kind, self.value = order(self.route, args.traffic_manager_seed)
        self.results = Results(args.checkpoint)
        self.carla = load_carla()
        if self.kind == "hang_start":
            stand_still()
        self.client = setup(self.carla, args)
        self._import_agent()
        self.ticks, self.started = 0, time.time()

    def _import_agent(self):
        if self.kind == "address":
            raise OSError(98, "Address already in use")
        if self.kind == "address_survived":
            print(
                f"traffic_manager init fail, try_time=0\n{BIND}\ntraffic_manager init success, try_time=1", flush=True
            )
        os.environ["BESTRAND_STAND_IN_AGENT"] = self.kind
        sys.path.insert(0, os.path.dirname(self.args.agent))
        self.module = module = importlib.import_module(os.path.basename(self.args.agent).split(".")[0])
        print("agent", module.get_entry_point(), "config", self.args.agent_config, flush=True)

    def run(self):
        """Drive; whether it crashed."""
        if self.kind == "no_file":
            return False
        self.results.clear()
        self.results.progress = [0, 1]
        self.results.write()
        if self.kind == "exit":
            sys.exit(int(self.value))
        crashed = self._route()
        self.results.progress = [1, 1]
        self._finish(crashed)
        if self.kind == "hang_end":
            stand_still()
        return crashed

    def _route(self):
        print(f"========= Preparing RouteScenario_{self.route} (repetition 0) =========", flush=True)
        try:
            if self.kind == "hang_load":
                self.carla.hangs.add("load_world")
            world = self.client.load_world(self.town, reset_settings=False)
            if hasattr(world, "apply_settings"):  # the real client
                settings = world.get_settings()
                settings.synchronous_mode, settings.fixed_delta_seconds = True, STEP_S
                world.apply_settings(settings)
        except Exception:
            return self._said("The scenario could not be loaded:", "Failed - Simulation crashed", True)
        if self.kind == "sensors":
            status = "Failed - Agent's sensors were invalid"
            return self._said("The sensor's configuration used is invalid:", status, True)
        if self.kind in ("setup", "oom_setup"):
            print(OOM if self.kind == "oom_setup" else "FileNotFoundError: ckpt.pth", flush=True)
            status = "Failed - Agent couldn't be set up"
            return self._said("Could not set up the required agent:", status, self.stops_on_setup)
        self.results.sensors = ["carla_camera"]
        self.results.write()
        print("> Running the route", flush=True)
        try:
            self._drive(world)
        except AgentError:
            return self._said("Stopping the route, the agent has crashed:", "Failed - Agent crashed", False)
        except Exception:
            return self._said("Error during the simulation:", "Failed - Simulation crashed", True)
        status = self.value if self.kind == "status" else "Completed"
        return self._register(status, False, 100.0 if status == "Completed" else 40.0)

    def _drive(self, world):
        total = int(os.environ.get("BESTRAND_STAND_IN_TICKS", "20"))
        for number in range(total):
            if number == total // 2:
                self._misbehave()
            world.tick(self.args.timeout)
            self.ticks += 1
            if self.kind == "oom_early" and not number:
                print(OOM, flush=True)
            if self.kind in ("slow", "oom_early"):
                time.sleep(float(self.value) / total)

    def _misbehave(self):
        """In the middle of the drive."""
        if self.kind in ("agent_crash", "oom", "oom_survived"):
            print(f"a smaller batch: {OOM}" if self.kind == "oom_survived" else "", flush=True)
            raise AgentError(OOM if self.kind == "oom" else "IndexError: list index out of range")
        if self.kind in ("simulation_crash", "address_survived", "oom_early"):
            raise RuntimeError("a sensor took too long to send its data")
        if self.kind == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.kind == "hang_unseen":
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        if self.kind in ("hang", "hang_unseen", "stubborn", "hang_evaluator"):
            self._stand_still()
        if self.kind == "hang_tick":
            self.carla.hangs.add("tick")
        if self.kind == "flood":
            for _ in range(int(self.value)):
                sys.stderr.write(("ERROR: Invalid session: no stream available with id 7\n" * 20000)[: 1 << 20])
        if self.kind == "grandchild":
            script = "import time; time.sleep(600)"
            child = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
            print("grandchild", child.pid, flush=True)

    def _stand_still(self):
        """Between two ticks, in the agent or not."""
        if self.kind == "hang_evaluator":
            stand_still()
        wrapper = importlib.import_module("leaderboard.autoagents.agent_wrapper")
        wrapper.AgentWrapper(self.module.Agent())()

    def _said(self, text, status, crashed):
        print(f"\n\033[91m{text}", flush=True)
        if sys.exc_info()[0]:
            print(f"\n{traceback.format_exc()}\033[0m", flush=True)
        return self._register(status, crashed, 20.0)

    def _register(self, status, crashed, completion):
        route = "1" + self.route if self.kind == "foreign" else self.route
        times = (self.ticks * STEP_S, time.time() - self.started)
        seed, own = f"{self.args.traffic_manager_seed}{self.args.agent_config}", self.own(self)
        if os.environ.get("SAVE_PATH"):
            self._save(own.get("save_name", "drive"))
        self.results.entry = ENTRY.get(status, "Started")
        self.results.records = [record(route, seed, status, completion, own, *times)]
        return crashed

    def _save(self, name):
        """What an agent leaves behind of a drive."""
        folder = os.path.join(os.environ["SAVE_PATH"], name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "seen.txt"), "w") as stream:
            stream.write("nothing\n" * 100)
        if self.kind == "steps":
            braking = -9.0 if int(self.route) % 2 else 0.0
            step = {"acceleration": [braking, 0.0, 9.8], "angular_velocity": [0.0, 0.0, 0.0],
                    "forward_vector": [1.0, 0.0, 0.0], "right_vector": [0.0, 1.0, 0.0]}  # fmt: skip
            with open(os.path.join(folder, "metric_info.json"), "w") as stream:
                json.dump({str(number): step for number in range(40)}, stream)

    def _finish(self, crashed):
        """Write the result, well or badly."""
        if self.kind == "no_record":
            self.results.records = []
        if self.kind in ("segv", "truncated", "empty"):
            self.results.write({"empty": 0.0}.get(self.kind, 0.5))
            if self.kind == "segv":
                os.kill(os.getpid(), signal.SIGSEGV)
            return
        if not crashed and self.results.records:
            self.results.entry = "Finished"
        self.results.write()


def kill_by_name(rank):
    """What Bench2Drive's evaluator does after a crash.

    In the form that works: without ``-e``, as the real one has it, GNU grep takes the pattern for options and fails,
    and where the shell says how wide the terminal is, ps cuts the command lines off.
    """
    if rank < SAFE_RANK:
        return
    wide = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    find = f"ps -ef | grep -e '-graphicsadapter={rank}' | grep -v grep"
    subprocess.Popen(
        find + " | awk '{print $2}' | xargs -r kill -9", shell=True, start_new_session=True, env=wide
    ).wait()
