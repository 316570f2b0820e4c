"""A slot: makes one attempt after the other."""

from __future__ import annotations

import math
import os
import shutil
import socket
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.adapters.job import Job
from bestrand_drive.simulation.attempts.log_place import end_of
from bestrand_drive.simulation.attempts.metric_info import find_metric_info
from bestrand_drive.simulation.attempts.outcome import Ending, Judgement, judge
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt, EvaluatorCheckout, Load
from bestrand_drive.simulation.attempts.signatures import DEFECT, Signature, scan_attempt
from bestrand_drive.simulation.attempts.stamps import Stopwatch
from bestrand_drive.simulation.processes.supervised import Launch, Supervised
from bestrand_drive.simulation.servers.gpus import Gpu, gpu_of_slot
from bestrand_drive.simulation.servers.server import ServerFault
from bestrand_drive.simulation.slots.attendance import Attendance, Attended
from bestrand_drive.simulation.slots.cell import Cell, Finished, Halt, Sharing, Situation
from bestrand_drive.simulation.slots.keeping import Keeper
from bestrand_drive.simulation.slots.places import OwnServers, Place, Places, SharedServers
from bestrand_drive.simulation.slots.settings import Settings


class Slot:
    """One of the places where attempts are made at the same time.

    Attributes:
        number: From 0.
        host: This machine.
    """

    def __init__(self, number: int, settings: Settings, keeper: Keeper, halt: Halt, started: str) -> None:
        """Nothing is started yet.

        Args:
            number: From 0.
            settings: Of all attempts.
            keeper: Of what failed ones leave.
            halt: Whether to stop.
            started: Names this start of the driver in the folder of logs.
        """
        self.number = number
        self.host = socket.gethostname()
        self._settings, self._keeper, self._halt = settings, keeper, halt
        self._gpu = gpu_of_slot(settings.gpus, number)
        self._places = places_for(settings, self._gpu, f"{started}.slot{number}", halt)
        self._situation: Situation | None = None

    @property
    def situation(self) -> Situation | None:
        """See ``Runner``."""
        return self._situation

    @property
    def gpu_name(self) -> str | None:
        """See ``Runner``."""
        return self._gpu.name

    def close(self) -> None:
        """See ``Runner``."""
        self._places.close()

    def tidy(self, finished: Finished) -> str:
        """See ``Runner``: after a failure the server goes first, which may still write what is kept.

        Raises:
            EnvironmentFault: The server does not end.
        """
        if finished.attempt is None or not finished.attempt.counts:
            self._places.failed()
        try:
            said = self._keeper.keep(finished)
        except OSError as error:
            said = f"not kept: {error.strerror or error}"  # shutil has some of its own, without a word of the system
        shutil.rmtree(finished.work, ignore_errors=True)
        return said

    def run(self, cell: Cell, sharing: Sharing) -> Finished:
        """See ``Runner``.

        Raises:
            EnvironmentFault: Nothing can be run here, whatever the route.
            OSError: The disk is full or not writable.
        """
        self._situation = Situation(self.number, cell, time.monotonic())
        try:
            return self._run(cell, machine_load(sharing))
        finally:
            self._situation = None

    def _run(self, cell: Cell, load: Load) -> Finished:
        work = self._settings.layout.work / f"slot{self.number}" / cell.name
        if work.exists():
            shutil.rmtree(work)
        work.mkdir(parents=True)
        log = self._settings.layout.logs / f"{cell.name}.log"
        made, watch = self._blank(cell, load), Stopwatch.start()
        try:
            with self._places.open(work) as place:
                return self._attempt(cell, made, watch, place, work, log)
        except ServerFault as fault:
            said = {"outcome": Outcome.INFRASTRUCTURE, "reason": fault.reason, "detail": str(fault)}
            attempt = Attempt.model_validate({**made, **said, **_of_time(watch)})
            interrupted = fault.reason is Reason.INTERRUPTED or self._halt.asked
            return Finished(cell, None if interrupted else attempt, None, None, work, log)

    def _attempt(
        self, cell: Cell, made: dict[str, object], watch: Stopwatch, place: Place, work: Path, log: Path
    ) -> Finished:
        command = self._settings.adapter.command(self._job(cell, work, place), self._settings.inherited)
        command.prepare()
        shared = [end_of(path) for path in place.logs]
        with Supervised(self._launch(command, place, log), self._settings.run) as process:
            counts = partial(_counts, cell)
            attended = Attendance(process, command, place.server, self._settings, counts).until_end(
                self._halt, self._report
            )
        logs = (log, *place.logs)
        signature = scan_attempt(attended.survived, shared)
        judged = _judge(cell, attended, signature)
        seen = {
            **_of_time(watch),
            "ports": place.ports.all,
            "carla_build": place.server.version or None,
            "logs": tuple(path.relative_to(self._settings.layout.logs).as_posix() for path in logs),
            "log_lines": signature.lines,
        }
        told = _of_judgement(judged, attended, signature)
        attempt = Attempt.model_validate({**made, **told, **seen}) if judged.kept else None
        metric_info = find_metric_info(work / "agent", attended.result) if judged.counts else None
        return Finished(cell, attempt, attended.result, metric_info, work, log)

    def _report(self, state: str, ticks: int, speed: float | None) -> None:
        if self._situation:
            self._situation = replace(self._situation, state=state, ticks=ticks, speed=speed)

    def _job(self, cell: Cell, work: Path, place: Place) -> Job:
        return make_job(cell, self._settings, self._gpu, place, work)

    def _launch(self, command: Command, place: Place, log: Path) -> Launch:
        environment = {**self._settings.inherited, **self._gpu.environment, **command.env}
        return Launch(command.argv, environment, command.cwd, log, stop_argv=place.stop_argv)

    def _blank(self, cell: Cell, load: Load) -> dict[str, object]:
        """What is known of an attempt before it is made."""
        checkout = self._settings.checkout
        return {
            "key": cell.key,
            "number": cell.number,
            "load": load,
            "gpu": self._gpu.name,
            "host": self.host,
            "evaluator": EvaluatorCheckout(root=str(checkout.root), commit=checkout.commit),
            "python": self._settings.python_says or " ".join(self._settings.python),
        }


def places_for(settings: Settings, gpu: Gpu, name: str, halt: Halt) -> Places:
    """Where a slot's attempts find their servers."""
    if settings.adapter.starts_server:
        return OwnServers(settings, gpu)
    return SharedServers(settings, gpu, settings.layout.logs / "servers" / name, halt)


def make_job(cell: Cell, settings: Settings, gpu: Gpu, place: Place, work: Path) -> Job:
    """What an attempt runs."""
    saved = {"SAVE_PATH": str(work / "agent")} if settings.save_agent else {}
    return Job(
        checkout=settings.checkout,
        python=settings.python,
        carla_root=place.carla_root,
        routes=cell.routes,
        route_id=cell.key.route_id,
        repeat=cell.key.repeat,
        agent=settings.agent,
        work=work,
        port=place.ports.rpc,
        traffic_manager_port=place.ports.traffic_manager,
        rank_token=place.rank,
        gpu=gpu.cuda,
        timeout_s=settings.timeout_s,
        track=settings.track,
        record=settings.record,
        variables={**saved, **settings.variables},
        hooks=settings.hooks,
    )


def machine_load(sharing: Sharing) -> Load:
    """What else the machine does now."""
    return Load(servers=sharing.servers, servers_per_gpu=sharing.servers_per_gpu, loadavg=round(os.getloadavg()[0], 2))


def _judge(cell: Cell, attended: Attended, signature: Signature) -> Judgement:
    ending = Ending(
        exit_code=attended.ended.code,
        verdict=attended.verdict.reason,
        signature=signature.reason,
        crash=signature.crash,
        lost=not attended.ended.supervised,
        server_died=attended.server_died,
        interrupted=attended.interrupted,
    )
    return judge(attended.result, ending, route_id=cell.key.route_id, benchmark=cell.key.benchmark)


def _counts(cell: Cell, result: bytes | None) -> bool:
    """Whether a result is the policy's, as far as it itself tells."""
    return judge(result, Ending(), route_id=cell.key.route_id, benchmark=cell.key.benchmark).counts


def _of_judgement(judged: Judgement, attended: Attended, signature: Signature) -> dict[str, object]:
    verdict = "; ".join(part for part in (attended.verdict.text, *attended.verdict.evidence[:2]) if part)
    defect = next((line for line in signature.lines if DEFECT.search(line)), "")
    driven = judged.game_s / judged.system_s if judged.game_s and judged.system_s else None
    speed = driven or attended.speed
    return {
        "outcome": judged.outcome,
        "reason": judged.reason,
        "status": judged.status,
        "detail": "; ".join(part for part in (judged.detail, verdict, defect) if part),
        "game_s": judged.game_s,
        "system_s": judged.system_s,
        "ticks": attended.beat.ticks if attended.beat else None,
        "speed": round(speed, 3) if speed and math.isfinite(speed) else None,
    }


def _of_time(watch: Stopwatch) -> dict[str, object]:
    span = watch.stop()
    return {"started": span.started, "ended": span.ended, "wall_s": span.wall_s}
