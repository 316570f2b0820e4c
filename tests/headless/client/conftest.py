"""A server for all tests that do not mind others' actors, servers of their own, and the releases of the client."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.headless.versions import known_versions
from tests.headless.client.clients import NotAtHand, python_of
from tests.headless.client.harness import Release, Server, Watched, serving
from tests.headless.client.known_faults import FAULTS


@pytest.fixture(scope="session")
def towns(shared_data: Path) -> Path:
    """OpenDRIVE files of CARLA's towns."""
    if not (shared_data / "towns" / "Town01.xodr").is_file():
        pytest.skip(f"no Town01.xodr in {shared_data / 'towns'}")
    return shared_data / "towns"


@pytest.fixture(scope="session", params=known_versions())
def release(request: pytest.FixtureRequest) -> Release:
    """A release of the client and its Python."""
    try:
        return Release(request.param, python_of(request.param))
    except NotAtHand as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def server(release: Release, towns: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the session; programs begin by loading a town, so that they find an empty one."""
    with serving(release, towns, tmp_path_factory.mktemp("server")) as started:
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
    record_property(FAULTS, watched.faults)


@pytest.fixture
def fresh_client(
    release: Release,
    towns: Path,
    tmp_path: Path,
    report: Callable[[str], None],
    record_property: Callable[[str, object], None],
) -> Iterator[Watched]:
    """Runs every client program on a new server that begins in synchronous mode: nothing has moved yet."""
    watched = Watched(functools.partial(serving, release, towns, tmp_path, "--synchronous"), tmp_path, report)
    yield watched
    record_property(FAULTS, watched.faults)


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    """What programs found that several tests of a module look at, by release."""
    return {}
