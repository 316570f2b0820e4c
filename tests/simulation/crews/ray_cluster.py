"""A Ray cluster on this machine, as a program of its own: ``python -m tests.simulation.crews.ray_cluster``.

Its head has the resource ``near``, the node beside it ``far``, of which ``add`` on the standard input starts another
one; both have a ``place``. It says its address in one line of JSON, again after each line that it is told, and ends
with its standard input.
"""

from __future__ import annotations

import json
import sys

from ray.cluster_utils import Cluster

QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
"""A node is given up after seconds, not after half a minute."""
NODE = {"object_store_memory": 80 << 20, "include_dashboard": False, "num_cpus": 1}
HEAD, BESIDE = {"place": 1, "near": 1}, {"place": 1, "far": 1}


def main() -> None:
    """Start it, and add what is asked for."""
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "resources": HEAD, "_system_config": QUICK})
    try:
        cluster.add_node(**NODE, resources=BESIDE)
        print(json.dumps({"address": cluster.address}), flush=True)
        for line in sys.stdin:
            if line.strip() == "add":
                cluster.add_node(**NODE, resources=BESIDE)
            print(json.dumps({"address": cluster.address}), flush=True)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
