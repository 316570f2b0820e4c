"""Options of the same name say the same in every command that drives, and speak of options that are there."""

from __future__ import annotations

import re

import pytest

from bestrand_drive.cli.app import every_command

COMMANDS = {
    name: {flag: one for one in command.params for flag in one.opts}
    for name, command in every_command().items()
    if name in {"run", "doctor", "probe", "demo"}
}
OTHERWISE = {
    "probe": {"benchmark", "--out", "--python", "--routes", "--part", "--dry-run"},
    "demo": {"--out", "--servers"},
}
"""Options that do something else there than for a run."""


@pytest.mark.parametrize("name", ["probe", "demo"])
def test_what_a_run_has_too_is_said_as_there(name):
    run, own = COMMANDS["run"], COMMANDS[name]
    shared = (run.keys() & own.keys()) - OTHERWISE.get(name, set())
    assert "--port-base" in shared
    assert {flag for flag in shared if own[flag].help != run[flag].help} == set()


@pytest.mark.parametrize("name", ["run", "doctor", "probe", "demo"])
def test_an_option_speaks_of_none_that_the_command_lacks(name):
    own = COMMANDS[name]
    spoken = {(flag, word) for flag, one in own.items() for word in re.findall(r"--[a-z][a-z-]*", one.help or "")}
    assert {pair for pair in spoken if pair[1] not in own} == set()
