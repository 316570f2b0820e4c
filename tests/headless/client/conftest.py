"""A server for all tests that do not mind others' actors, servers of their own, and the count of stalls."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.headless.client.harness import Server, Watched, serving

STALLS = "traffic_manager_stalls"
MISSING = [name for name in ("carla", "msgpack") if importlib.util.find_spec(name) is None]


@pytest.fixture(scope="session")
def towns(shared_data: Path) -> Path:
    """OpenDRIVE files of CARLA's towns."""
    if MISSING:
        pytest.skip(f"without {' and '.join(MISSING)}; pip install 'bestrand-drive[headless]'")
    if not (shared_data / "towns" / "Town01.xodr").is_file():
        pytest.skip(f"no Town01.xodr in {shared_data / 'towns'}")
    return shared_data / "towns"


@pytest.fixture(scope="session")
def server(towns: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the session; programs begin by loading a town, so that they find an empty one."""
    with serving(towns, tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Tell at once, past pytest's capturing and from xdist's workers too."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def tell(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n{request.node.nodeid}: {text}", file=sys.stderr, flush=True)

    return tell


@pytest.fixture
def client(
    server: Server, tmp_path: Path, report: Callable[[str], None], record_property: Callable[[str, object], None]
) -> Iterator[Watched]:
    """Runs client programs on the session's server."""
    watched = Watched(lambda: contextlib.nullcontext(server), tmp_path, report)
    yield watched
    record_property(STALLS, len(watched.stalls))


@pytest.fixture
def fresh_client(
    towns: Path, tmp_path: Path, report: Callable[[str], None], record_property: Callable[[str, object], None]
) -> Iterator[Watched]:
    """Runs every client program on a new server that begins in synchronous mode: nothing has moved yet."""
    watched = Watched(functools.partial(serving, towns, tmp_path, "--synchronous"), tmp_path, report)
    yield watched
    record_property(STALLS, len(watched.stalls))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How often the client's TrafficManager stalled."""
    finished = [report for report in terminalreporter.getreports("") if report.when == "teardown"]
    counts = [value for report in finished for name, value in report.user_properties if name == STALLS]
    if counts:
        terminalreporter.write_line(f"client tests: {len(counts)} run, {sum(counts)} TrafficManager stalls run again")
