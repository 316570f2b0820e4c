"""A Ray cluster of small nodes on this machine, as a program of its own: ``python -m tests.simulation.crews.ray_cluster``.

It says its address and its nodes' raylets in one line of JSON, again after each line that it is told: ``add`` starts a
node, ``drop`` forgets one whose raylet was killed. It ends with its standard input.
"""

from __future__ import annotations

import json
import sys

from ray.cluster_utils import Cluster

STORE_BYTES = 80 << 20
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
"""A node is given up after seconds, not after half a minute."""
NODE = {"object_store_memory": STORE_BYTES, "include_dashboard": False}


def raylets(cluster: Cluster) -> list[int]:
    """Ids of processes, the head's first."""
    nodes = [cluster.head_node, *cluster.worker_nodes]
    return [node.all_processes["raylet"][0].process.pid for node in nodes]


def say(cluster: Cluster) -> None:
    print(json.dumps({"address": cluster.address, "raylets": raylets(cluster)}), flush=True)


def main(cpus: int) -> None:
    cluster = Cluster(
        initialize_head=True,
        head_node_args={**NODE, "num_cpus": cpus, "resources": {"place": 1}, "_system_config": QUICK},
    )
    try:
        cluster.add_node(**NODE, num_cpus=cpus, resources={"place": 1})
        say(cluster)
        for line in sys.stdin:
            if line.strip() == "add":
                cluster.add_node(**NODE, num_cpus=cpus, resources={"place": 1})
            say(cluster)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]))
