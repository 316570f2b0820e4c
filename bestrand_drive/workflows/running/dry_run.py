"""A dry run: lines for a shell that do by hand what a run would do, and the files that they need."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.attempts.plan import CellPlan
from bestrand_drive.simulation.servers import probe
from bestrand_drive.simulation.servers.gpus import gpu_of_slot
from bestrand_drive.simulation.servers.ports import PortBlock
from bestrand_drive.simulation.servers.shim import make_slot_root, rank_token
from bestrand_drive.simulation.slots.cell import Cell
from bestrand_drive.simulation.slots.places import Place, Unseen
from bestrand_drive.simulation.slots.slot import make_job
from bestrand_drive.workflows.running.preparing import Prepared


def dry_run(prepared: Prepared, cells: Sequence[CellPlan]) -> list[str]:
    """Lines that can be pasted into a POSIX shell, one after the other; a slot's do not need another slot's.

    Nothing is started. The route files and CARLA_ROOTs that the lines name are written under ``dry-run/`` of the run
    folder, where the results of pasted lines will lie, too; nothing else of the run folder is touched.

    Args:
        prepared: What to run.
        cells: Those that would be run.

    Raises:
        UsageError: The run folder's name is one that an evaluator's shell would split.
        EnvironmentFault: There are no free ports, or a CARLA_ROOT cannot be made.
        OSError: The disk is full or not writable.
    """
    settings, count = prepared.settings, min(prepared.request.servers, len(cells))
    with ExitStack() as held:  # together, so that they differ
        blocks = [held.enter_context(settings.lease()).ports for _ in range(count)]
    lines = [
        f"# What these lines need, and what they leave, is in {settings.layout.dry_run}",
        _comment(prepared.durations.said),
    ]
    expected, until = prepared.durations.expected, prepared.until
    cells = sorted(
        cells,
        key=lambda plan: (
            until.block_of[plan.key.cell] if until else 0,
            plan.key.repeat,
            -expected[plan.key.route_id],
        ),
    )
    for number, ports in enumerate(blocks):
        lines += _Slot(prepared, number, ports).lines(cells[number::count])
    return lines


def command_of(prepared: Prepared, cell: Cell, slot: int, work: Path, place: Place) -> Command:
    """The command of an attempt, with all that its slot adds to the environment."""
    settings = prepared.settings
    gpu = gpu_of_slot(settings.gpus, slot)
    command = settings.adapter.command(make_job(cell, settings, gpu, place, work), settings.inherited)
    return replace(command, env={**gpu.environment, **command.env})


@dataclass(frozen=True)
class _Slot:
    """What one slot would do."""

    prepared: Prepared
    number: int
    ports: PortBlock

    @property
    def adapter_number(self) -> int:
        """Of its GPU, for the server."""
        return gpu_of_slot(self.prepared.settings.gpus, self.number).adapter

    def lines(self, cells: Sequence[CellPlan]) -> Iterator[str]:
        """All of it."""
        settings = self.prepared.settings
        if settings.adapter.starts_server:
            for cell in cells:
                yield from self._with_own_server(cell)
            return
        for start in range(0, len(cells), settings.routes_per_server):
            yield from self._server_starts()
            for cell in cells[start : start + settings.routes_per_server]:
                yield from self._with_our_server(cell)
            yield from self._server_ends()

    def _with_own_server(self, plan: CellPlan) -> Iterator[str]:
        """An evaluator that starts its server by the script of its CARLA_ROOT."""
        settings, rank, work = self.prepared.settings, rank_token(self.ports.rpc), self._work(plan)
        place = Place(self.ports, work / "carla", Unseen(), rank)
        self._command(plan, place)  # what a shell would split is refused before anything is written
        if place.carla_root.exists():  # an earlier dry run's, whose options may have been others
            shutil.rmtree(place.carla_root)
        root = make_slot_root(place.carla_root, settings.server, rank, self.adapter_number)
        yield _comment(
            f"{self._name(plan)}; {root.folder}/CarlaUE4.sh, which the evaluator calls, starts the server by"
        )
        yield _comment(shlex.join(settings.server.start_argv(self.ports.rpc, self.adapter_number)))
        yield self._evaluator(plan, place)
        if root.stop_argv:
            yield shlex.join(root.stop_argv)

    def _with_our_server(self, plan: CellPlan) -> Iterator[str]:
        root = self.prepared.settings.server.root or self._work(plan)
        yield _comment(self._name(plan))
        yield self._evaluator(plan, Place(self.ports, root.absolute(), Unseen()))

    def _evaluator(self, plan: CellPlan, place: Place) -> str:
        """The evaluator's line; what it reads is written."""
        command = self._command(plan, place)
        command.prepare()
        return command.line()

    def _command(self, plan: CellPlan, place: Place) -> Command:
        return command_of(self.prepared, self._cell(plan), self.number, self._work(plan), place)

    def _name(self, plan: CellPlan) -> str:
        until = self.prepared.until
        block = "" if until is None else f", block {until.block_of[plan.key.cell]} of {len(until.blocks)}"
        return f"route {plan.key.route_id}, repeat {plan.key.repeat}, attempt {plan.number}{block}"

    def _work(self, plan: CellPlan) -> Path:
        return self.prepared.settings.layout.dry_run / self._cell(plan).name

    def _cell(self, plan: CellPlan) -> Cell:
        return Cell(plan.key, plan.number, self.prepared.routes.files[plan.key.route_id])

    @property
    def _folder(self) -> Path:
        return self.prepared.settings.layout.dry_run / f"slot{self.number}"

    def _server_starts(self) -> Iterator[str]:
        """In the background and in a session of its own, whose id is noted; then it is waited for."""
        settings, folder = self.prepared.settings, self._folder
        folder.mkdir(parents=True, exist_ok=True)
        server = shlex.join(settings.server.start_argv(self.ports.rpc, self.adapter_number))
        session = shlex.quote(f"echo $$ > server.pid && exec {server}")
        yield _comment(f"slot {self.number}: its server, until it answers")
        yield f"cd {shlex.quote(str(folder))} && {{ setsid sh -c {session} > server.log 2>&1 & }}"
        yield shlex.join([sys.executable, "-m", probe.__name__, str(self.ports.rpc), f"{settings.limits.ready_s:g}"])

    def _server_ends(self) -> Iterator[str]:
        """All of its session, after its own stop command."""
        stop = self.prepared.settings.server.stop_argv(self.ports.rpc, self.adapter_number)
        noted = shlex.quote(str(self._folder / "server.pid"))
        yield _comment(f"slot {self.number}: the end of its server")
        if stop:
            yield shlex.join(stop)
        yield f'for try in 1 2 3 4 5; do kill -s TERM -- "-$(cat {noted})" 2> /dev/null || break; sleep 1; done'


def _comment(text: str) -> str:
    """One line, whatever an argument has in it."""
    return f"# {' '.join(text.split())}"
