"""Stands in for Bench2Drive's evaluator: it starts its own server. Python 3.7 and later."""

import argparse
import atexit
import os
import signal
import socket
import subprocess
import sys
import time

from driving import Evaluator, kill_by_name


def find_free_port(port):
    while True:
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
                probe.bind(("localhost", port))
                return port
        except OSError:
            port += 1


def _setup_simulation(carla, args):
    """Start the server, wait for half a minute, then try to connect."""
    if os.environ.get("BESTRAND_STAND_IN_SERVER") != "none":
        args.port = find_free_port(args.port)
        script = os.path.join(os.environ["CARLA_ROOT"], "CarlaUE4.sh")
        flags = f"-RenderOffScreen -nosound -carla-rpc-port={args.port} -graphicsadapter={args.gpu_rank}"
        server = subprocess.Popen(f"{script} {flags}", shell=True, start_new_session=True)
        atexit.register(os.killpg, server.pid, signal.SIGKILL)
        time.sleep(30)
    client = carla.Client(args.host, args.port)
    client.set_timeout(args.timeout)
    for attempt in range(20):
        try:
            client.get_world()
            print(f"load_world success , attempts={attempt}", flush=True)
            break
        except Exception as error:
            print(f"load_world failed , attempts={attempt}\n{error}", flush=True)
            time.sleep(0.5)
    return client


def own_fields(evaluator):
    scenario = evaluator.scenarios[0]
    name = f"RouteScenario_{evaluator.route}_rep0"
    saved = f"{name}_{evaluator.town}_{scenario}_1_11_29_10_00_00"
    return {"scenario_name": scenario, "weather_id": "1", "save_name": saved, "town_name": evaluator.town}


def main():
    parser = argparse.ArgumentParser(description="Stand-in evaluator")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", default=2000, type=int)
    parser.add_argument("--traffic-manager-port", default=8000, type=int)
    parser.add_argument("--traffic-manager-seed", default=0, type=int)
    parser.add_argument("--debug", type=int, default=0)
    parser.add_argument("--record", type=str, default="")
    parser.add_argument("--timeout", default=600.0, type=float)
    parser.add_argument("--routes", required=True)
    parser.add_argument("--routes-subset", default="", type=str)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("-a", "--agent", type=str, required=True)
    parser.add_argument("--agent-config", type=str, default="")
    parser.add_argument("--track", type=str, default="SENSORS")
    parser.add_argument("--resume", type=bool, default=False)
    parser.add_argument("--checkpoint", type=str, default="./simulation_results.json")
    parser.add_argument("--debug-checkpoint", type=str, default="./live_results.txt")
    parser.add_argument("--gpu-rank", type=int, default=0)
    args = parser.parse_args()
    crashed = Evaluator(args, _setup_simulation, own_fields, stops_on_setup=True).run()
    if crashed:
        kill_by_name(args.gpu_rank)
    sys.exit(-1 if crashed else 0)


if __name__ == "__main__":
    main()
