"""Ticks per second of the headless server and the real carla client together, on this machine.

    scripts/bench_headless --maps FOLDER [--town Town01] [--quick] [--json] [--check]

Every case has a server and a client process of its own. A client that makes no progress is ended and its case run again
(the client's TrafficManager can miss a wake-up and wait for ever); such re-runs are counted. A case with fewer vehicles
than it says fails. With --check it leaves with 1 when a target is missed; nothing else should use the machine then.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from headless_processes import STEP_S, add_maps_option, connected, environment, server, synchronous, traffic
from workers import end_by_sigterm

WARM_UP = 100
STALL_S = 60
ATTEMPTS = 4
CASES = {"bare": 0, "traffic 20": 20, "traffic 40": 40, "traffic 80": 80, "traffic 150": 150}
QUICK = ("bare", "traffic 20", "traffic 80")
BARE_TICKS_PER_S = 4000.0
TIMES_REAL_TIME = {20: 20.0, 80: 8.0}
GROWTH = 1.2
"""About linear: from the case with the fewest to that with the most vehicles, the time of a tick beyond that of a bare
one grows at most with this power of their number; exactly linear cost is 1, every pair of vehicles 2."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer cases and ticks")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    parser.add_argument("--check", action="store_true", help="leave with 1 when a target is missed")
    parser.add_argument("--town", default="Town01")
    add_maps_option(parser)
    options = parser.parse_args()
    rates = {CASES[case]: measure(case, options) for case in (QUICK if options.quick else CASES)}
    if options.json:
        print(json.dumps(list(rates.values()), indent=1))
    missed = misses({vehicles: row["ticks_per_s"] for vehicles, row in rates.items()}) if options.check else []
    for miss in missed:
        print(f"missed: {miss}", file=sys.stderr)
    return 1 if missed else 0


def misses(rates: Mapping[int, float]) -> list[str]:
    """What falls short of the targets.

    Args:
        rates: Number of vehicles, among them 0, 20 and 80 -> ticks a second.
    """
    found = []
    if rates[0] < BARE_TICKS_PER_S:
        found.append(f"{rates[0]:.0f} bare ticks a second, not {BARE_TICKS_PER_S:.0f}")
    for vehicles, target in TIMES_REAL_TIME.items():
        if rates[vehicles] * STEP_S < target:
            found.append(f"{rates[vehicles] * STEP_S:.1f} x real time with {vehicles} vehicles, not {target:.0f}")
    if (power := growth(rates)) > GROWTH:
        found.append(f"cost grows with the power {power:.2f} of the vehicles, not {GROWTH}")
    return found


def growth(rates: Mapping[int, float]) -> float:
    """The power of the number of vehicles with which the time of a tick grows, that of a bare tick taken off."""
    few, many = min(n for n in rates if n), max(rates)
    cost = {n: 1.0 / rates[n] - 1.0 / rates[0] for n in (few, many)}
    return math.log(cost[many] / cost[few]) / math.log(many / few)


def measure(case: str, options: argparse.Namespace) -> dict[str, float]:
    """One case, run again when the client stalls."""
    vehicles = CASES[case]
    ticks = (20_000 if vehicles == 0 else 600) // (4 if options.quick else 1)
    for attempt in range(ATTEMPTS):
        with server(options.maps, options.town) as (port, _):
            arguments = [str(number) for number in (port, vehicles, ticks)]
            try:
                found = json.loads(_client_says(case, arguments, STALL_S + ticks / 20))
            except subprocess.TimeoutExpired:
                continue
        if not options.json:
            print(
                f"{case:12s} {found['ticks_per_s']:8.0f} ticks/s  {found['x_realtime']:6.1f} x real time at 20 Hz  "
                f"{found['vehicles']} vehicles, {attempt} stalls",
                flush=True,
            )
        return {"case": case, **found, "stalls": attempt}
    raise SystemExit(f"{case}: the client stalled {ATTEMPTS} times")


def _client_says(case: str, arguments: Sequence[str], patience_s: float) -> str:
    """The last line of a client in a process of its own, which is killed when it takes too long."""
    done = subprocess.run(
        [sys.executable, __file__, CLIENT, *arguments],
        capture_output=True, text=True, timeout=patience_s, check=False, env=environment(),
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{case}: the client failed ({done.returncode}): {done.stderr[-500:]}")
    return done.stdout.splitlines()[-1]


CLIENT = "client"
"""First argument of the process that ticks."""


def drive(port: int, vehicles: int, ticks: int) -> dict[str, float]:
    """In the client's process: tick and count."""
    client = connected(port)
    world = client.get_world()
    synchronous(world)
    count = len(traffic(client, world, vehicles)[1]) if vehicles else 0
    for _ in range(WARM_UP):
        world.tick(60.0)
    start = time.perf_counter()
    for _ in range(ticks):
        world.tick(60.0)
    rate = ticks / (time.perf_counter() - start)
    return {"ticks_per_s": rate, "x_realtime": rate * STEP_S, "vehicles": count}


if __name__ == "__main__":
    if sys.argv[1:2] == [CLIENT]:
        print(json.dumps(drive(*map(int, sys.argv[2:]))), flush=True)
        os._exit(0)  # the client's threads may not end by themselves
    end_by_sigterm()
    sys.exit(main())
