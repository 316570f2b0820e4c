"""The evaluator's interpreter: whether it runs, has what the evaluator imports, and which ``carla`` it has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.adapters.interpreter import carla_egg, problems
from bestrand_drive.simulation.doctor.asking import LIMIT_S, answer, last_words, run
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, Level, NotLooked, fail, ok, wait, warning

_CARLA = """
import os
import carla
kind, version = carla.Client, ""
try:
    version = kind("127.0.0.1", 9).get_client_version()
except Exception:
    pass
say([version, getattr(carla, "__file__", None) or ""])
os._exit(0)
"""
"""A client knows its version without a server; its threads are not waited for."""
_AGENTS = """
import importlib.util
spec = importlib.util.find_spec("agents.navigation")
say(list(spec.submodule_search_locations or []) if spec else [])
"""
_LIMITED = f"at most {LIMIT_S} s, a first import of torch may take minutes"
_NUMBERS = re.compile(r"\d+\.\d+\.\d+")


def check_interpreter(case: Case) -> Iterator[Finding]:
    """Whether it runs, its version, and that all modules are found."""
    adapter, checkout = case.evaluator
    interpreter = case.interpreter
    said = f"{interpreter.executable}, Python {'.'.join(map(str, interpreter.version))}"
    faults = problems(adapter, checkout, interpreter)
    if not faults:
        yield ok("interpreter", said)
        return
    advice = f"--python must be the interpreter of {adapter.title}'s environment"
    egg = carla_egg(case.carla_root, interpreter.version) if case.carla_root else None
    if "carla" in interpreter.missing and egg:
        advice += f"; CARLA's own client for it: --env PYTHONPATH={shlex.quote(str(egg))}"
    yield fail("interpreter", f"{said}: {'; '.join(faults)}", advice)


def check_imports(case: Case) -> Iterator[Finding]:
    """Start the evaluator with ``--help``: it imports everything, and ends."""
    command = _command(case)
    adapter, checkout = case.evaluator
    yield wait("imports", f"for the evaluator, started with --help: {_LIMITED}")
    done = run([*case.python, *adapter.program(checkout), "--help"], command)
    if done.code == 0:
        yield ok("imports", "the evaluator imports what it needs (its --help)")
    else:
        yield fail("imports", f"the evaluator does not start: {last_words(done)}", "mend the environment of --python")


def check_carla(case: Case) -> Iterator[Finding]:
    """Which client it has, and whether the server is of that version."""
    command = _command(case)
    try:
        said, place = answer(case.python, _CARLA, (), command)
    except EnvironmentFault as error:
        yield fail("carla client", f"import carla: {error}", "install the carla wheel of the server's version")
        return
    client = _numbers(said)
    if not client:
        yield warning("carla client", f"{place} does not tell its version", "take the client of CARLA's own release")
        return
    yield ok("carla client", f"{said} ({place})")
    try:
        yield _compared(client, case.carla_version or case.simulator.version)
    except NotLooked as reason:
        yield Finding("carla versions", Level.SKIPPED, str(reason))


def _compared(client: str, server: str) -> Finding:
    if not server:
        advice = "give --carla-version, such as 0.9.15; a release of CARLA says so in its file VERSION"
        return fail("carla versions", "--carla-root does not tell its version, which results are kept under", advice)
    if not _numbers(server):
        return warning("carla versions", f"the server's is called {server}", f"make sure that it is {client}")
    if _numbers(server) == client:
        return ok("carla versions", f"client and server are both {client}")
    advice = "install the carla wheel of the server's version, or give the client's --carla-root"
    return fail("carla versions", f"the client is {client}, the server {server}", advice)


def check_agents(case: Case) -> Iterator[Finding]:
    """Where CARLA's package ``agents`` comes from, which evaluators plan routes with."""
    if case.ours:
        raise NotLooked("the built-in evaluator needs none")
    command = _command(case)
    try:
        places = answer(case.python, _AGENTS, (), command)
    except EnvironmentFault:
        places = []
    if places:
        yield ok("agents package", places[0])
        return
    yield fail(
        "agents package",
        "agents.navigation is not found",
        "it lies in PythonAPI/carla of CARLA's release: a whole release as --carla-root, or --env PYTHONPATH=FOLDER",
    )


def check_agent_imports(case: Case) -> Iterator[Finding]:
    """Import the agent as evaluators do: a module of its folder, by name."""
    agent = case.policy
    command = _command(case)
    yield wait("agent imports", f"for {agent.path.name} to be imported: {_LIMITED}")
    try:
        kind = agent_class(case.python, command, agent.path, ours=case.ours)
    except EnvironmentFault as error:
        yield fail("agent imports", f"{agent.path.name}: {error}", "mend the agent or the environment of --python")
        return
    yield ok("agent imports", f"{agent.path.name} has its class {kind}")


def agent_class(python: Sequence[str], command: Command, path: Path, *, ours: bool) -> str:
    """Name of the agent's class, after its file was imported in an evaluator's environment.

    Args:
        python: Words of the evaluator's interpreter.
        command: Of the evaluator.
        path: The agent's file.
        ours: Whether it is the built-in evaluator's.

    Raises:
        EnvironmentFault: The file cannot be imported, or names no class; in the last words that were said.
    """
    script = _INTERFACE + _AGENT if ours else _AGENT
    return str(answer(python, script, (str(path.parent), path.stem), command))


_AGENT = """
import importlib, os, sys
folder, name = sys.argv[1:]
sys.path.insert(0, folder)
module = importlib.import_module(name)
say(getattr(module, module.get_entry_point()).__name__)
os._exit(0)
"""
"""Source: ``leaderboard_evaluator.py`` of both benchmarks."""
_INTERFACE = """
from bestrand_drive.evaluator.agent_api.installing import install
install()
"""
"""The built-in evaluator brings the leaderboard's interface where the official one is not installed."""


def _command(case: Case) -> Command:
    """A command whose environment is the evaluator's.

    Raises:
        NotLooked: There is no evaluator, or the interpreter does not run.
    """
    command = case.command()
    try:
        case.interpreter  # noqa: B018  that it runs
    except EnvironmentFault as error:
        raise NotLooked("needs an interpreter that runs") from error
    return command


def _numbers(version: str) -> str:
    """``0.9.15`` of ``0.9.15-12-gabcdef-dirty``."""
    found = _NUMBERS.search(version)
    return found[0] if found else ""
