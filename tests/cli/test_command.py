"""What every command does alike: text that the locale cannot show."""

from __future__ import annotations

import io
import json
import sys

import typer

from bestrand_drive.cli.command import run_command
from bestrand_drive.files import dump_json

NAMES = {"\u00dcn\u00ef": "\u2705 \U0001f600"}


def test_letters_that_the_locale_lacks_are_escaped_as_json_does(monkeypatch):
    app, raw = typer.Typer(), io.BytesIO()
    app.command()(lambda: print(dump_json(NAMES).decode(), end=""))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert run_command(app, []) == 0
    sys.stdout.flush()
    assert json.loads(raw.getvalue()) == NAMES
    assert rb"\u2705 \ud83d\ude00" in raw.getvalue()
