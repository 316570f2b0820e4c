"""Connecting to a server that is not there, and loading a town from a file."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

pytest.importorskip("carla")

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.evaluator import session


def test_a_host_that_is_not_there_is_told(monkeypatch, tmp_path):
    def raises(*_):
        raise RuntimeError("resolve: Host not found (authoritative)")

    monkeypatch.setattr(session, "carla", SimpleNamespace(Client=raises))
    told = r"no CARLA server answers at a\.host:2000 \(resolve: Host not found"
    with pytest.raises(EnvironmentFault, match=told), session.connected("a.host", 2000, 1.0, tmp_path):
        pass


def test_a_town_whose_file_is_no_utf_8_is_loaded(tmp_path):
    (tmp_path / "Mine.xodr").write_bytes('<OpenDRIVE name="Hügel"/>'.encode("latin-1"))
    client = MagicMock()
    client.get_available_maps.return_value = []
    session.Session(client, 1.0, tmp_path).load("Mine")
    (text, *_), _ = client.generate_opendrive_world.call_args
    assert text == '<OpenDRIVE name="H\ufffdgel"/>'
