"""Stands in for Fail2Drive's other evaluator: its records have a time stamp. Python 3.7 and later."""

import argparse
import sys

from driving import Evaluator


def _setup_simulation(carla, args):
    """Connect to the server that runs."""
    client = carla.Client(args.host, args.port)
    client.set_timeout(args.timeout)
    client.get_world()
    return client


def own_fields(evaluator):
    return {"timestamp": f"{evaluator.route}_route0_11_29_10_00_00"}


def main():
    parser = argparse.ArgumentParser(description="Stand-in evaluator")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", default=2000, type=int)
    parser.add_argument("--traffic-manager-port", default=8000, type=int)
    parser.add_argument("--traffic-manager-seed", default=100, type=int)
    parser.add_argument("--debug", type=int, default=0)
    parser.add_argument("--record", type=str, default="")
    parser.add_argument("--timeout", default=300.0, type=float)
    parser.add_argument("--routes", required=True)
    parser.add_argument("--routes-subset", default="", type=str)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("-a", "--agent", type=str, required=True)
    parser.add_argument("--agent-config", type=str, default="")
    parser.add_argument("--track", type=str, default="SENSORS")
    parser.add_argument("--resume", type=int, default=False)
    parser.add_argument("--checkpoint", type=str, default="./simulation_results.json")
    parser.add_argument("--debug-checkpoint", type=str, default="./live_results.txt")
    args = parser.parse_args()
    crashed = Evaluator(args, _setup_simulation, own_fields, stops_on_setup=False).run()
    sys.exit(-1 if crashed else 0)


if __name__ == "__main__":
    main()
