"""The evaluator's interpreter, with one thing of its environment broken at a time."""

from __future__ import annotations

import sys

import pytest

from bestrand_drive.simulation.doctor.finding import Level

OF_PYTHON = ("interpreter", "carla client", "agents package", "imports", "agent imports")


@pytest.fixture
def modules(case):
    """The folder of everything that an evaluator imports."""
    return case.root.parent / "modules"


def test_an_interpreter_that_does_not_run_is_said_once(found):
    said = found(*OF_PYTHON, python=("/absent/python",))
    assert said["interpreter"].level is Level.FAIL
    assert "/absent/python" in said["interpreter"].said
    assert {said[name].level for name in OF_PYTHON[1:]} == {Level.SKIPPED}


def test_modules_that_are_not_found(found, modules):
    (modules / "py_trees.py").unlink()
    (modules / "simple_watchdog_timer.py").unlink()
    said = found("interpreter")["interpreter"]
    assert said.level is Level.FAIL
    assert "simple_watchdog_timer" in said.said


def test_the_archive_of_carlas_release_is_offered(found, modules, case):
    (modules / "carla.py").unlink()
    egg = case.carla_root / f"PythonAPI/carla/dist/carla-0.9.15-py3.{sys.version_info[1]}-linux-x86_64.egg"
    egg.parent.mkdir(parents=True)
    egg.touch()
    said = found("interpreter", python=(sys.executable, "-S"))["interpreter"]
    assert said.level is Level.FAIL
    assert str(egg) in said.advice


def test_an_evaluator_whose_imports_break(found, case):
    script = case.root / "leaderboard/leaderboard/driving.py"
    script.write_text("raise ImportError('libGL.so.1: cannot open shared object file')\n")
    said = found("imports")["imports"]
    assert said.level is Level.FAIL
    assert "libGL.so.1" in said.said


@pytest.mark.parametrize(("client", "word"), [
    ("raise ImportError('libjpeg.so.8: no such file')\n", "libjpeg.so.8"),
    ("import os\nos.kill(os.getpid(), 11)\n", "signal 11"),
    ("import os\nos._exit(3)\n", "exit code 3"),
    ("", "Client"),
])  # fmt: skip
def test_a_client_that_cannot_be_imported(found, modules, client, word):
    (modules / "carla.py").write_text(client)
    said = found("carla client")["carla client"]
    assert said.level is Level.FAIL
    assert word in said.said


@pytest.mark.parametrize(("server", "level"), [
    ("0.9.15", Level.OK),
    ("0.9.15-12-gabc123-dirty\n", Level.OK),
    ("0.9.14", Level.FAIL),
    ("0.9.1", Level.FAIL),
    ("unknown", Level.WARNING),
    ("", Level.FAIL),
])  # fmt: skip
def test_client_and_server_of_two_versions(found, case, server, level):
    (case.carla_root / "VERSION").write_text(server)
    said = found("carla client")
    assert (said["carla client"].level, said["carla versions"].level) == (Level.OK, level)


def test_a_version_that_is_given_outranks_the_folders(found):
    assert found("carla client", carla_version="0.9.14")["carla versions"].level is Level.FAIL
    behind_a_command = {"carla_root": None, "server_command": ("true", "{port}"), "carla_version": "0.9.15"}
    assert found("carla client", **behind_a_command)["carla versions"].level is Level.OK


def test_versions_are_not_compared_without_a_server(found):
    assert found("carla client", carla_root=None)["carla versions"].level is Level.SKIPPED
    assert found("carla client", server_command=("true", "{port}"))["carla versions"].level is Level.SKIPPED


def test_the_package_agents(found, modules, case):
    assert found("agents package")["agents package"].said == str(modules / "agents/navigation")
    (modules / "agents/navigation").rename(modules / "agents/elsewhere")
    said = found("agents package", "interpreter")
    assert (said["agents package"].level, said["interpreter"].level) == (Level.FAIL, Level.OK), "said once"
    (case.carla_root / "PythonAPI/carla/agents/navigation").mkdir(parents=True)
    (modules / "agents/elsewhere").rmdir()
    (modules / "agents").rmdir()
    said = found("agents package")["agents package"]
    assert (said.level, said.said) == (Level.OK, str(case.carla_root / "PythonAPI/carla/agents/navigation"))


@pytest.mark.parametrize(("agent", "word"), [
    ("import a_model_that_is_absent\n", "a_model_that_is_absent"),
    ("class Agent:\n    pass\n", "get_entry_point"),
    ("def get_entry_point():\n    return 'Other'\n", "Other"),
    ("def get_entry_point(:\n", "SyntaxError"),
])  # fmt: skip
def test_an_agent_that_cannot_be_imported(found, case, agent, word):
    """What a run would meet at its first route."""
    (case.root.parent / "agent.py").write_text(agent)
    said = found("agent imports")["agent imports"]
    assert said.level is Level.FAIL
    assert word in said.said


def test_an_agent_finds_what_it_would_find_in_a_run(found, case):
    """The folders of the agent and of the evaluator's script, and not the current one."""
    folder = case.root.parent
    (folder / "beside_the_agent.py").touch()
    (folder / "agent.py").write_text(
        "import beside_the_agent, results\nclass Agent: pass\ndef get_entry_point(): return 'Agent'\n"
    )
    assert found("agent imports")["agent imports"].level is Level.OK
    (case.root / "at_the_root.py").touch()
    (folder / "agent.py").write_text("import at_the_root\n")
    assert "at_the_root" in found("agent imports")["agent imports"].said
