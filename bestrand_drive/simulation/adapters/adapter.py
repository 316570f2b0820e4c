"""What the evaluators have in common, and in what each is special."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation import hooks
from bestrand_drive.simulation.adapters.checkout import Checkout, script_flags, version_of
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.adapters.job import Job
from bestrand_drive.simulation.adapters.own import own_checkout, own_paths
from bestrand_drive.simulation.heartbeat import VARIABLE

HOOKS = Path(hooks.__file__).resolve().parent
FLAGS = frozenset(
    ("--port", "--traffic-manager-port", "--traffic-manager-seed", "--debug", "--record", "--timeout", "--routes",
     "--repetitions", "--agent", "--agent-config", "--track", "--checkpoint", "--debug-checkpoint")
)  # fmt: skip
"""Options that every one of the evaluators has; ``--resume`` is never used: it overwrites finished routes."""


@dataclass(frozen=True)
class Adapter:
    """One evaluator.

    Attributes:
        name: Of this way to run it.
        version: Raised when the same job would be run in another way that can change results.
        benchmark: Whose evaluator it is.
        title: The benchmark's name for people.
        script: The evaluator, relative to the checkout.
        starts_server: Whether it starts CARLA itself, from CARLA_ROOT.
        timeout_s: Its own limit in the benchmark's scripts.
        track: In the benchmark's scripts.
        signs: Files and folders that only this benchmark's checkout has, relative to it.
        own_flags: Options that it has beside ``FLAGS``.
        foreign_flags: Options that show that it is another evaluator.
        modules: What its Python must be able to import.
        seed: The benchmark's traffic seed, of a route id and a repeat from 0.
        arguments: Its own arguments, of a job.
        variables: Its own environment, of a job.
        paths: Folders of the checkout for its Python path, beside the evaluator and the scenarios.
        module: Of this package, where the evaluator is ours and there is no checkout; else "".
    """

    name: str
    version: int
    benchmark: str
    title: str
    script: Path
    starts_server: bool
    timeout_s: float
    track: str
    signs: tuple[str, ...]
    own_flags: frozenset[str]
    foreign_flags: frozenset[str]
    modules: tuple[str, ...]
    seed: Callable[[str, int], int]
    arguments: Callable[[Job], tuple[str, ...]]
    variables: Callable[[Job], Mapping[str, str]]
    paths: tuple[str, ...] = ()
    module: str = ""

    @property
    def needs_server(self) -> bool:
        """Whether a server must run before it starts."""
        return not self.starts_server

    @property
    def id(self) -> str:
        """Name and version, for the key of an attempt."""
        return f"{self.name}/{self.version}"

    def checkout(self, root: Path | None, towns: Path | None = None) -> Checkout:
        """The checkout at ``root``; for an evaluator of ours, this package.

        Args:
            root: Its folder.
            towns: The user's folder of further towns, for an evaluator of ours.

        Raises:
            UsageError: It is not this benchmark's, or lacks what it must have; everything is named at once.
        """
        if self.module:
            return _ours(self.script, root, towns)
        if towns is not None:
            raise UsageError(f"--towns {towns}: only the built-in evaluator takes towns. Leave the option out.")
        if root is None:
            raise UsageError(f"--root is needed: the folder into which {self.title} was cloned.")
        root = Path(os.path.abspath(root))
        faults = self._faults(root)
        if faults:
            raise UsageError(
                f"--root {root}: not {self.title}'s checkout: {'; '.join(faults)}. "
                f"Give the folder into which {self.title} was cloned."
            )
        return Checkout(root, root / self.script, version_of(root))

    def _faults(self, root: Path) -> list[str]:
        if not root.is_dir():
            return ["no such folder"]
        if os.pathsep in str(root):
            return [f"a {os.pathsep!r} in its path, at which Python's path is split"]
        wanted = (str(self.script), "scenario_runner/srunner", *self.signs)
        faults = [f"no {part}" for part in wanted if not (root / part).exists()]
        flags = script_flags(root, self.script)
        if flags is None:
            return faults
        faults += [f"its evaluator has no {flag}" for flag in sorted((FLAGS | self.own_flags) - flags)]
        foreign = sorted(self.foreign_flags & flags)
        return faults + [f"its evaluator has {flag}, as another benchmark's" for flag in foreign]

    def command(self, job: Job, inherited: Mapping[str, str] = os.environ) -> Command:
        """The command of a job.

        Args:
            job: What to run.
            inherited: The environment in which it will run, for its Python path.

        Raises:
            UsageError: See ``refuse_split``.
        """
        self.refuse_split(job.carla_root)
        folders = [job.agent_folder, job.result.parent, *([job.record_folder] if job.record else [])]
        return Command(
            argv=self._argv(job),
            env=self._environment(job, inherited),
            cwd=job.work if self.module else job.checkout.root,
            files={job.route_path: job.route_xml},
            folders=tuple(folders),
            result=job.result,
            live=job.live,
            heartbeat=job.heartbeat if job.hooks else None,
        )

    def refuse_split(self, place: Path) -> None:
        """Refuse a place in which no CARLA_ROOT of a slot can be.

        Raises:
            UsageError: The evaluator would hand it to a shell, which would not take it as one word.
        """
        if self.starts_server and shlex.quote(str(place)) != str(place):
            raise UsageError(
                f"{place}: {self.title}'s evaluator starts CarlaUE4.sh there through a shell, which would not read "
                "this as one word. Use a run folder, and a --scratch of workers, without spaces and special characters."
            )

    def _argv(self, job: Job) -> tuple[str, ...]:
        """Interpreter, script and flags, each flag as one word, so that no value is taken for a flag."""
        flags = {
            "--port": job.port,
            "--traffic-manager-seed": self.seed(job.route_id, job.repeat),
            "--timeout": f"{self.timeout_s if job.timeout_s is None else job.timeout_s:g}",
            "--routes": job.route_path,
            "--repetitions": 1,
            "--track": job.track or self.track,
            "--agent": job.agent.path,
            "--agent-config": job.agent.config,
            "--checkpoint": job.result,
            "--debug-checkpoint": job.live,
            "--debug": 0,
            "--record": job.record_folder if job.record else "",
        }
        words = (f"{flag}={value}" for flag, value in flags.items())
        return (*job.python, *self.program(job.checkout), *words, *self.arguments(job))

    def program(self, checkout: Checkout) -> tuple[str, ...]:
        """What the interpreter runs."""
        return ("-m", self.module) if self.module else (str(checkout.script),)

    def _environment(self, job: Job, inherited: Mapping[str, str]) -> dict[str, str]:
        """What the benchmark's own scripts set, the user's variables, and ours."""
        root, gpu = job.checkout.root, {} if job.gpu is None else {"CUDA_VISIBLE_DEVICES": job.gpu}
        theirs = {"LEADERBOARD_ROOT": root / "leaderboard", "SCENARIO_RUNNER_ROOT": root / "scenario_runner"}
        return {
            "CARLA_ROOT": str(job.carla_root),
            **({} if self.module else {name: str(place) for name, place in theirs.items()}),
            "CHALLENGE_TRACK_CODENAME": job.track or self.track,
            "PYTHONUNBUFFERED": "1",
            **gpu,
            **self.variables(job),
            **job.variables,
            "PYTHONPATH": self._python_path(job, inherited),
            **({VARIABLE: str(job.heartbeat)} if job.hooks else {}),
        }

    def _python_path(self, job: Job, inherited: Mapping[str, str]) -> str:
        """Ours first, then the user's, then the checkout's before what the shell has: one evaluator, not two mixed."""
        root, api = job.checkout.root, job.carla_root / "PythonAPI"
        given = [part for part in job.variables.get("PYTHONPATH", "").split(os.pathsep) if part]
        of_shell = [part for part in inherited.get("PYTHONPATH", "").split(os.pathsep) if part]
        folders = ("leaderboard", "scenario_runner", *self.paths)
        checkout = own_paths(root) if self.module else [root / part for part in folders]
        there = [str(path) for path in checkout if path.exists()]
        carla = [str(path) for path in (api / "carla", api) if path.exists()]
        parts = [*([str(HOOKS)] if job.hooks else []), *given, *there, *of_shell, *carla]
        return os.pathsep.join(dict.fromkeys(parts))


def _ours(script: Path, root: Path | None, towns: Path | None) -> Checkout:
    """This package as the checkout of its own evaluator.

    Raises:
        UsageError: A root is given, which nothing would be taken from; or a folder without towns.
    """
    if root is not None:
        raise UsageError(f"--root {root}: the built-in evaluator needs no checkout. Leave the option out.")
    return own_checkout(script, towns)
