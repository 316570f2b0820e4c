"""Headless servers and real clients as processes, for the scripts that measure them."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from data_folder import VARIABLE
from free_ports import free_ports

ROOT = Path(__file__).resolve().parents[1]
STEP_S = 0.05
PATIENCE_S = 60


def add_maps_option(parser: argparse.ArgumentParser) -> None:
    """``--maps``, which may be left out where the variable names a folder with ``towns`` in it."""
    data = os.environ.get(VARIABLE)
    parser.add_argument(
        "--maps",
        type=Path,
        default=Path(data) / "towns" if data else None,
        required=not data,
        help=f"folder of OpenDRIVE files, TownNN.xodr [default: ${VARIABLE}/towns]",
    )


def environment() -> dict[str, str]:
    """That of this process, with this checkout first."""
    rest = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *([rest] if rest else [])])}


@contextlib.contextmanager
def server(maps: Path, town: str, *options: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A headless server that listens; its port and its process, which ends with the block whatever happens."""
    port = free_ports(2)
    command = (
        *(sys.executable, "-m", "bestrand_drive", "headless", "serve", "--port", str(port)),
        *("--maps", str(maps), "--map", town, "--die-with-parent", *options),
    )
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    try:
        if not process.stdout.readline():
            raise SystemExit(f"the server did not start and left with {process.wait()}")
        yield port, process
    finally:
        end(process)
        process.stdout.close()


def end(process: subprocess.Popen[bytes]) -> int:
    """End a process as a service manager does: ask, then kill; its code."""
    process.terminate()
    try:
        return process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def connected(port: int):  # type: ignore[no-untyped-def]  # noqa: ANN201  carla has no types
    """In a client's process: a client, as soon as the server answers."""
    import carla  # noqa: PLC0415  only this process needs it

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


def synchronous(world) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Time stands still between ticks of ``STEP_S``."""
    settings = world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds = True, STEP_S
    world.apply_settings(settings)


def traffic(client, world, count: int, seed: int = 1):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """A synchronous TrafficManager and the ids of so many vehicles under it.

    Raises:
        SystemExit: Not all of them could be spawned.
    """
    import carla  # noqa: PLC0415

    manager = client.get_trafficmanager(free_ports(1))
    manager.set_synchronous_mode(True)
    manager.set_random_device_seed(seed)
    blueprint = world.get_blueprint_library().find("vehicle.tesla.model3")
    spawn = carla.command.SpawnActor
    autopilot = carla.command.SetAutopilot(carla.command.FutureActor, True, manager.get_port())
    points = world.get_map().get_spawn_points()[:count]
    done = client.apply_batch_sync([spawn(blueprint, point).then(autopilot) for point in points], False)
    failed = [answer.error for answer in done if answer.error]
    if failed or len(done) < count:
        raise SystemExit(f"{len(done) - len(failed)} of {count} vehicles spawned: {failed[:3] or 'no more places'}")
    return manager, [answer.actor_id for answer in done]
