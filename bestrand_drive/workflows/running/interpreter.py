"""The evaluator's interpreter, as it answers in the environment of an attempt."""

from __future__ import annotations

from dataclasses import replace

from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.adapters.interpreter import look_at, problems
from bestrand_drive.simulation.servers.ports import PortBlock
from bestrand_drive.simulation.slots.cell import Cell, Tell
from bestrand_drive.simulation.slots.places import Place, Unseen
from bestrand_drive.workflows.running.dry_run import command_of
from bestrand_drive.workflows.running.preparing import Prepared


def check_python(prepared: Prepared, tell: Tell) -> Prepared:
    """With version and place of the evaluator's interpreter; what it seems to lack is said, and tried all the same."""
    settings = prepared.settings
    found = look_at(settings.python, settings.adapter.modules, some_command(prepared))
    for problem in problems(settings.adapter, settings.checkout, found):
        tell(f"{problem} (--python {' '.join(settings.python)})")
    says = f"{'.'.join(map(str, found.version))} {found.executable}"
    return replace(prepared, settings=replace(settings, python_says=says))


def some_command(prepared: Prepared) -> Command:
    """The first attempt's, for its environment; it is never started as it is."""
    settings, first = prepared.settings, prepared.wanted[0]
    work = settings.layout.work / "slot0"
    root = work / "carla" if settings.adapter.starts_server else (settings.server.root or work).absolute()
    place = Place(PortBlock(prepared.request.port_base), root, Unseen())
    return command_of(prepared, Cell(first, 1, prepared.routes.files[first.route_id]), 0, work, place)
