"""The server: whether it can be started, and has the towns of the routes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from bestrand_drive.benchmarks.builtin_routes import own_towns
from bestrand_drive.simulation.attempts.route_set import read_route_set
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, NotLooked, fail, ok, warning

_NOT_CARLAS = "scores from it are not CARLA's"
_BINARY = "CarlaUE4/Binaries/Linux/CarlaUE4-Linux-Shipping"


def check_server(case: Case) -> Iterator[Finding]:
    """Whether what would be started is there and may be executed."""
    if case.brings_server:
        yield ok("server", f"the headless server, speaking as CARLA {case.simulator.version}; {_NOT_CARLAS}")
        return
    if case.carla_root is None and not case.server_command:
        raise NotLooked("no --carla-root given")
    case.server.check()
    if case.server_command:
        yield _program(case.server_command[0])
        return
    files = (case.server.script, case.server.script.parent / _BINARY)
    closed = [path for path in files if path.is_file() and not os.access(path, os.X_OK)]
    if closed:
        yield fail("server", f"{closed[0]} may not be executed", f"chmod +x {' '.join(map(str, closed))}")
    elif case.simulator.headless:
        yield ok("server", f"the headless server, speaking as CARLA {case.simulator.version}; {_NOT_CARLAS}")
    else:
        yield ok("server", str(case.server.script))
        yield from _not_as_root()


def _program(name: str) -> Finding:
    found = shutil.which(name)
    if found:
        return ok("server", f"started by {found}; what is in its container is not seen from here")
    return fail("server", f"--server-command: no program {name} is found", "install it, or give its whole path")


def _not_as_root() -> Iterator[Finding]:
    if os.geteuid() == 0:
        advice = "run as another user, or start it as one with --server-command"
        yield warning("user", "you are root, and Unreal refuses to run as root", advice)


def check_towns(case: Case) -> Iterator[Finding]:
    """Whether the server has the maps of all routes."""
    if case.routes is None:
        raise NotLooked("no --routes given")
    adapter, _ = case.evaluator
    routes = read_route_set(case.routes, adapter.benchmark, case.part).routes
    yield ok("routes", f"{len(routes)} routes ({adapter.title})")
    unknown = [name for name in case.only if name not in routes]
    if unknown:
        yield fail("routes", f"--only {', '.join(unknown)}: no such route in {case.routes}", "see the ids in that file")
    routes = {name: route for name, route in routes.items() if not case.only or name in case.only}
    if case.brings_server and case.server_extra:
        raise NotLooked("maps that --server-extra may name are not seen from here")
    root, towns = case.simulator, sorted({route.town for route in routes.values()})
    if root.towns is None:
        advice = "make sure that it has them: Town06, 07 and 11 to 15 come in CARLA's AdditionalMaps archive"
        yield warning("towns", f"cannot see the maps of {case.carla_root}; needed: {', '.join(towns)}", advice)
        return
    own = {path.stem for path in own_towns(case.towns)}
    lacking = root.missing([town for town in towns if town not in own])
    if not lacking:
        yield ok("towns", ", ".join(towns))
        return
    count = sum(route.town in lacking for route in routes.values())
    if case.ours:
        there = case.carla_root or "the shipped towns"
        advice = "give the folder of their OpenDRIVE files with --towns"
        yield fail("towns", f"{', '.join(lacking)} not in {there}: {count} routes need them", advice)
        return
    advice = (
        "put their OpenDRIVE files in --maps of `bestrand headless install`, and install it again"
        if root.headless
        else "unpack the AdditionalMaps archive of CARLA's release into --carla-root"
    )
    yield fail("towns", f"{', '.join(lacking)} not in {case.carla_root}: {count} routes need them", advice)
