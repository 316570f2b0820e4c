"""The public checkouts that the tests run, from the environment; nothing of them is in this repository.

``BENCH2DRIVE_ROOT`` and ``FAIL2DRIVE_ROOT`` are git checkouts, ``CARLA_AGENTS`` is the folder ``agents`` of CARLA's
Python API, ``EVALUATOR_PYTHON`` an interpreter with ``carla==0.9.15`` and the evaluators' requirements (Python 3.8 for
Bench2Drive, whose parser uses a method that 3.9 removed).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.simulation.adapters.adapter import HOOKS
from tests.real_evaluator.speed_limits import scenario_runner

HERE = Path(__file__).resolve().parent
CHECKOUTS = {"bench2drive": "BENCH2DRIVE_ROOT", "fail2drive": "FAIL2DRIVE_ROOT"}
MODULE = Path("leaderboard/leaderboard/leaderboard_evaluator.py")


class NotAtHand(Exception):
    """Something to run with is missing; the message says what to set."""


@dataclass(frozen=True)
class Evaluator:
    """One benchmark's evaluator.

    Attributes:
        name: ``bench2drive`` or ``fail2drive``.
        root: Its checkout.
        agents: CARLA's folder ``agents``.
        python: Interpreter to run it with.
    """

    name: str
    root: Path
    agents: Path
    python: Path

    @property
    def starts_server(self) -> bool:
        """Whether it starts CARLA itself, from CARLA_ROOT."""
        return self.name == "bench2drive"

    def environment(self, carla_root: Path, town: str, folder: Path) -> dict[str, str]:
        """Variables as the benchmark's own scripts set them, and the hooks.

        Args:
            carla_root: Its ``CarlaUE4.sh`` starts the server.
            town: To drive in.
            folder: For what the checkout lacks.
        """
        runner = self.root / "scenario_runner"
        if self.name == "fail2drive":
            runner = scenario_runner(runner, [town], self.python, folder / "scenario_runner")
        folders = [HOOKS, self.agents.parent, self.root / "leaderboard", runner]
        if not self._has_torch():
            folders.append(HERE / "stubs")
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "SDL_VIDEODRIVER": "dummy",
            "CARLA_ROOT": str(carla_root),
            "LEADERBOARD_ROOT": str(self.root / "leaderboard"),
            "SCENARIO_RUNNER_ROOT": str(runner),
            "WORK_DIR": str(self.root),
            "IS_BENCH2DRIVE": "True",
        }

    def _has_torch(self) -> bool:
        return _imports(self.python, "torch")

    def agent(self, name: str) -> Path:
        """The file of an agent: ours, the benchmark's own NPC agent, or any path."""
        known = {
            "rolling": HERE / "rolling_agent.py",
            "npc": self.root / "leaderboard/leaderboard/autoagents/npc_agent.py",
        }
        return known.get(name, Path(name))


def evaluator(name: str, variables: Mapping[str, str] = os.environ) -> Evaluator:
    """The evaluator of a benchmark.

    Raises:
        NotAtHand: A variable is missing or points elsewhere.
    """
    root = _folder(variables, CHECKOUTS[name], MODULE)
    agents = _folder(variables, "CARLA_AGENTS", Path("navigation/behavior_agent.py"))
    python = variables.get("EVALUATOR_PYTHON", "")
    if not python or not _imports(Path(python), "carla", "py_trees", "networkx", "shapely"):
        raise NotAtHand("set EVALUATOR_PYTHON to an interpreter with carla and the evaluator's requirements")
    return Evaluator(name, root, agents, Path(python))


def _folder(variables: Mapping[str, str], name: str, inside: Path) -> Path:
    """The folder that a variable names, which must hold a certain file."""
    value = variables.get(name, "")
    if not value:
        raise NotAtHand(f"set {name}")
    if not (Path(value) / inside).is_file():
        raise NotAtHand(f"{name}={value} has no {inside}")
    return Path(value).resolve()


def _imports(python: Path, *modules: str) -> bool:
    """Whether an interpreter finds all modules."""
    script = f"import importlib.util as u, sys; sys.exit(any(u.find_spec(m) is None for m in {modules!r}))"
    try:
        return subprocess.run([python, "-I", "-c", script], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
