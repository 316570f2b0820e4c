"""A headless server, and the evaluator as a process on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.headless.client.clients import ROOT, release_of
from tests.headless.client.harness import Release, Server, serving

FOLLOWER = Path(__file__).with_name("agents") / "follower.py"


@pytest.fixture(scope="session")
def towns(shared_data: Path) -> Path:
    """OpenDRIVE files of CARLA's towns."""
    if not (shared_data / "towns" / "Town01.xodr").is_file():
        pytest.skip(f"no Town01.xodr in {shared_data / 'towns'}")
    return shared_data / "towns"


@pytest.fixture(scope="session")
def routes(shared_data: Path) -> Path:
    """Bench2Drive's routes."""
    return shared_data / "bench2drive" / "routes" / "bench2drive220.xml"


@pytest.fixture(scope="session")
def serve(towns: Path) -> Callable[[Path], Any]:
    """Starts servers of the release that the tests' own client is of."""
    pytest.importorskip("msgpack")
    release = release_of()
    if not release:
        pytest.skip("without carla; run: pip install '.[headless]'")
    return lambda folder: serving(Release(release, Path(sys.executable)), towns, folder, "--synchronous")


@pytest.fixture(scope="session")
def server(serve: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that do not mind what was driven before."""
    with serve(tmp_path_factory.mktemp("server")) as started:
        yield started


@dataclass(frozen=True)
class Ran:
    """What the evaluator left behind."""

    code: int
    out: str
    errors: str
    path: Path

    @property
    def document(self) -> dict[str, Any]:
        """The result file."""
        return json.loads(self.path.read_text())

    @property
    def records(self) -> list[dict[str, Any]]:
        """Of each route."""
        return self.document["_checkpoint"]["records"]


@pytest.fixture
def evaluate(tmp_path: Path, routes: Path) -> Callable[..., Ran]:
    """Drives routes with the tests' agent."""

    def run(
        server: Server, *ids: str, config: dict[str, Any] | None = None, timeout_s: float = 60.0,
        environment: dict[str, str] | None = None, flags: tuple[str, ...] = (),
    ) -> Ran:  # fmt: skip
        result = tmp_path / f"result-{len(list(tmp_path.glob('result-*')))}.json"
        command = [
            *(sys.executable, "-m", "bestrand_drive.evaluator", "--port", str(server.port), "--agent", str(FOLLOWER)),
            *("--routes", str(routes), "--routes-subset", ",".join(ids), "--agent-config", json.dumps(config or {})),
            *("--checkpoint", str(result), "--timeout", str(timeout_s), *flags),
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **(environment or {})}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path, env=environment
        )
        return Ran(done.returncode, done.stdout, done.stderr, result)

    return run
