"""Which releases of the client the tests run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bestrand_drive.headless.versions import known_versions
from tests.headless.client import clients


@pytest.mark.client
def test_every_client_at_hand_is_of_a_version_in_the_table():
    """Else the tests of this folder would pass without it."""
    unknown = set(clients.at_hand()) - set(known_versions())
    assert not unknown, "not in versions.yaml; docs/headless.md tells how to add a version"


@pytest.fixture
def pythons(monkeypatch, tmp_path):
    """Files in place of Pythons, by the release that they would say; the tests' own has 1.0."""

    def named(*releases: str) -> None:
        files = {tmp_path / str(number): release for number, release in enumerate(releases)}
        said = {Path(sys.executable): "1.0", **files}
        monkeypatch.setattr(clients, "release_of", lambda python: said.get(python, ""))
        monkeypatch.setattr(clients, "find_spec", lambda _name: object())
        monkeypatch.setenv(clients.VARIABLE, ":".join(map(str, files)))

    clients.at_hand.cache_clear()
    yield named
    clients.at_hand.cache_clear()


def test_each_release_has_a_python_and_the_tests_own_comes_first(pythons, tmp_path):
    pythons("0.9", "1.0", "", "1.1")
    assert clients.at_hand() == {"1.0": Path(sys.executable), "0.9": tmp_path / "0", "1.1": tmp_path / "3"}
    assert clients.python_of("1.1") == tmp_path / "3"


def test_a_release_that_nobody_has_is_named_with_what_to_set(pythons):
    pythons("0.9")
    with pytest.raises(clients.NotAtHand, match=r"no client 2.0, only 1.0, 0.9; set BESTRAND_CLIENTS"):
        clients.python_of("2.0")


def test_a_python_without_a_client_has_no_release(tmp_path):
    assert clients.release_of(tmp_path / "none") == ""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no module >&2\nexit 1\n")
    broken.chmod(0o755)
    assert clients.release_of(broken) == ""
