"""Ticks per second of the headless server and the real carla client together, on this machine.

    scripts/bench_headless [--quick] [--json] [--maps FOLDER] [--town Town01]

Every case has a server and a client process of its own. A client that makes no progress is ended and its case run again
(the client's TrafficManager can miss a wake-up and wait for ever); such re-runs are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

STEP_S = 0.05
WARM_UP = 100
STALL_S = 60
PATIENCE_S = 60
ATTEMPTS = 4
CASES = {"bare": 0, "traffic 20": 20, "traffic 40": 40, "traffic 80": 80, "traffic 150": 150}
QUICK = ("bare", "traffic 20", "traffic 80")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer cases and ticks")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    parser.add_argument("--maps", type=Path, default=default_maps())
    parser.add_argument("--town", default="Town01")
    parser.add_argument("--client", nargs=3, type=int, metavar=("PORT", "VEHICLES", "TICKS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        print(json.dumps(drive(*options.client)), flush=True)
        os._exit(0)  # the client's threads may not end by themselves
    rows = [measure(case, options) for case in (QUICK if options.quick else CASES)]
    if options.json:
        print(json.dumps(rows, indent=1))


def default_maps() -> Path:
    """Towns at hand: ``$BESTRAND_SHARED_DATA/towns`` or the folder beside the checkout."""
    shared = os.environ.get("BESTRAND_SHARED_DATA")
    return (Path(shared) if shared else Path(__file__).resolve().parents[2] / "shared/data") / "towns"


def measure(case: str, options: argparse.Namespace) -> dict[str, object]:
    """One case, run again when the client stalls."""
    vehicles = CASES[case]
    ticks = (2000 if vehicles == 0 else 600) // (4 if options.quick else 1) * (10 if vehicles == 0 else 1)
    for attempt in range(ATTEMPTS):
        with server(options.maps, options.town) as port:
            command = [sys.executable, __file__, "--client", str(port), str(vehicles), str(ticks)]
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=STALL_S + ticks / 20, check=False
                )
            except subprocess.TimeoutExpired:
                continue
        if done.returncode:
            raise SystemExit(f"{case}: the client failed: {done.stderr[-500:]}")
        found = json.loads(done.stdout.splitlines()[-1])
        row = {"case": case, **found, "stalls": attempt}
        if not options.json:
            print(
                f"{case:12s} {found['ticks_per_s']:8.0f} ticks/s  {found['x_realtime']:6.1f} x real time at 20 Hz  "
                f"{found['vehicles']} vehicles, {attempt} stalls",
                flush=True,
            )
        return row
    raise SystemExit(f"{case}: the client stalled {ATTEMPTS} times")


@contextmanager
def server(maps: Path, town: str) -> Iterator[int]:
    """A headless server; its port."""
    port = random.randrange(20_000, 50_000, 10)
    command: Sequence[str] = (
        *(sys.executable, "-m", "bestrand_drive", "headless", "serve", "--port", str(port)),
        *("--maps", str(maps), "--map", town, "--die-with-parent"),
    )
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.terminate()
        process.wait(timeout=10)


def drive(port: int, vehicles: int, ticks: int) -> dict[str, float]:
    """In the client process: tick and count."""
    import carla  # noqa: PLC0415  only this process needs it

    client = connected(port)
    world = client.get_world()
    settings = world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds = True, STEP_S
    world.apply_settings(settings)
    count = 0
    if vehicles:
        manager = client.get_trafficmanager(port + 6)
        manager.set_synchronous_mode(True)
        manager.set_random_device_seed(1)
        blueprint = world.get_blueprint_library().find("vehicle.tesla.model3")
        points = world.get_map().get_spawn_points()[:vehicles]
        spawn = carla.command.SpawnActor
        autopilot = carla.command.SetAutopilot(carla.command.FutureActor, True, manager.get_port())
        done = client.apply_batch_sync([spawn(blueprint, point).then(autopilot) for point in points], True)
        count = sum(not answer.error for answer in done)
    for _ in range(WARM_UP):
        world.tick(60.0)
    start = time.perf_counter()
    for _ in range(ticks):
        world.tick(60.0)
    rate = ticks / (time.perf_counter() - start)
    return {"ticks_per_s": rate, "x_realtime": rate * STEP_S, "vehicles": count}


def connected(port: int):  # type: ignore[no-untyped-def]  # noqa: ANN201  carla has no types
    """A client, as soon as the server answers."""
    import carla  # noqa: PLC0415

    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        client = carla.Client("127.0.0.1", port, worker_threads=8)  # one that was refused does not try again by itself
        client.set_timeout(2.0)
        try:
            client.get_server_version()
        except RuntimeError:
            time.sleep(0.2)
        else:
            client.set_timeout(60.0)
            return client
    raise SystemExit(f"no server on port {port}")


if __name__ == "__main__":
    main()
