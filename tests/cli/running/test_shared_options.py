"""Options of the same name say the same in every command that drives, and speak of options that are there."""

from __future__ import annotations

import re

import pytest

from bestrand_drive.cli.app import every_command

COMMANDS = {
    name: {flag: one for one in command.params for flag in one.opts}
    for name, command in every_command().items()
    if name in {"run", "doctor", "probe", "demo", "compress bench2drive"}
}
OTHERWISE = {
    "probe": {"--out", "--routes", "--part", "--dry-run"},
    "demo": {"--out", "--servers"},
}
"""Options that do something else there than for a run."""
OF_ENTRIES = {"--agent", "--agent-config", "--policy-name", "--policy-id"}
OF_THE_POOL = {"--only", "--repeat", "--explain", "--until", "--until-interval", "--level"}
OF_RESULTS = {"--probe", "--licence", "--metric-info", "--allow-evaluator-mismatch", "--hours"}


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


def test_probes_are_run_with_all_options_of_a_run_that_are_not_their_own():
    assert COMMANDS["run"].keys() - COMMANDS["probe"].keys() == OF_ENTRIES | OF_THE_POOL


def test_a_suite_is_chosen_by_probes_that_are_run_as_by_results():
    by_results, by_probes = COMMANDS["compress bench2drive"], COMMANDS["probe"]
    assert by_results.keys() - by_probes.keys() == OF_RESULTS
    for flag in by_results.keys() - OF_RESULTS:
        assert (by_probes[flag].help, by_probes[flag].default) == (by_results[flag].help, by_results[flag].default)
