"""A run of stand-ins, from the command line: what it is given, how it is started, and what it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.processes.marks import RUN, marked, run_mark
from tests.conftest import Builders, Ran, call
from tests.faults.stand_in.checkout import make_agent, make_carla_root, make_checkout
from tests.simulation.processes.trees import HEARS_SIGNALS, ROOT

VERSION = "0.9.15"


@dataclass
class Runs:
    """A folder with a checkout, a CARLA_ROOT, an agent and routes; one run in it.

    Attributes:
        folder: Of all.
        benchmark: Whose stand-in.
        port_base: First port of a range of the test's own.
        monkeypatch: For the stand-ins' orders.
        more: Arguments of every start.
    """

    folder: Path
    benchmark: str
    port_base: int
    monkeypatch: pytest.MonkeyPatch
    more: tuple[object, ...] = ()
    out: str = "run"
    state: Path = field(init=False)

    def __post_init__(self) -> None:
        make_checkout(self.folder / "checkout", self.benchmark)
        make_agent(self.folder / "team")
        (make_carla_root(self.folder / "carla") / "VERSION").write_text(f"{VERSION}\n")
        self.state = self.folder / "state"
        self.state.mkdir()

    def routes(self, *ids: int, towns: dict[int, str] | None = None) -> None:
        """Write the route file, or Fail2Drive's folder of them."""
        elements = {one: Builders.route(one, town=(towns or {}).get(one, "Town12")) for one in ids}
        if self.benchmark == "bench2drive":
            (self.folder / "routes.xml").write_bytes(Builders.routes(*elements.values()))
            return
        place = self.folder / "split"
        place.mkdir(exist_ok=True)
        for one, element in elements.items():
            kind = "Generalization" if one >= 1000 else "Base"
            (place / f"{kind}_Animals_{one:04d}.xml").write_bytes(Builders.routes(element))

    def order(self, text: str = "", server: str = "", **variables: str) -> None:
        """Tell the stand-ins how to behave."""
        said = {"": text, "_SERVER": server, "_STATE": str(self.state)}
        for name, value in said.items():
            self.monkeypatch.setenv(f"BESTRAND_STAND_IN{name}", value)
        for name, value in variables.items():
            self.monkeypatch.setenv(name, value)

    def arguments(self, *more: object) -> list[str]:
        """Of the command."""
        routes = self.folder / ("routes.xml" if self.benchmark == "bench2drive" else "split")
        given = ("run", self.benchmark, "--root", self.folder / "checkout", "--carla-root", self.folder / "carla",
                 "--routes", routes, "--agent", self.folder / "team/agent.py", "--out", self.path,
                 "--python", sys.executable, "--port-base", self.port_base, *self.more, *more)  # fmt: skip
        return [str(word) for word in given]

    @property
    def path(self) -> Path:
        """The run folder."""
        return self.folder / self.out

    def run(self, *more: object, code: int = 0) -> Ran:
        """Start it in this process, to its end."""
        ran = call(*self.arguments(*more))
        assert ran.code == code, f"{ran.code}\n{ran.out}\n{ran.err}"
        return ran

    @contextmanager
    def started(self, *more: object) -> Iterator[subprocess.Popen[str]]:
        """Start it as a process of its own; killed at the end if it still runs."""
        words = [*HEARS_SIGNALS, sys.executable, "-m", "bestrand_drive", *self.arguments(*more)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def attempts(self, route: int | None = None) -> tuple[Attempt, ...]:
        """What is stored."""
        stored = AttemptStore(Layout(self.path), repair=False).attempts
        return tuple(one for one in stored if route is None or one.key.route_id == str(route))

    def endings(self, route: int | None = None) -> list[str]:
        """Reason or status of what is stored."""
        return [one.reason.value if one.reason else one.status for one in self.attempts(route)]

    def results(self) -> list[str]:
        """Names under ``results/``."""
        root = self.path / "results"
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.json"))

    def left(self) -> list[int]:
        """Ids of processes of this run that still run."""
        return [one.process.pid for one in marked(RUN, run_mark(self.path))]


def record_of(path: Path) -> dict[str, Any]:
    """The one record of a result file."""
    (only,) = json.loads(path.read_bytes())["_checkpoint"]["records"]
    return dict(only)
