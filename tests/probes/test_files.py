"""The files of the probes: what they import, which Python reads them, and what their descriptions say."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from probe_driving.style import Style, with_changes

from bestrand_drive.files import shipped_folder
from bestrand_drive.workflows.running.probe_file import ProbeEntry
from tests.probes.conftest import PROBES

AGENTS = sorted(PROBES.glob("*.py"))
SOURCES = sorted(PROBES.rglob("*.py"))
SETS = sorted(PROBES.glob("*.yaml"))
KEYS = set(ProbeEntry.model_fields)
API = """
class Track:
    SENSORS = "SENSORS"
class AutonomousAgent:
    def __init__(self, host, port, debug=False):
        self._global_plan_world_coord = []
"""


def name(path: Path) -> str:
    return str(path.relative_to(PROBES))


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_python_3_8_reads_them_and_they_need_nothing_but_carla_and_the_leaderboard(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    foreign = {module.split(".")[0] for module in modules} - set(sys.stdlib_module_names)
    assert foreign <= {"carla", "leaderboard", "srunner", "probe_driving"}
    if path.parent == PROBES:
        assert foreign == {"probe_driving"}, "an agent's file only says what its style is"


@pytest.fixture
def api(tmp_path) -> Path:
    """The leaderboard's modules that agents import, without the leaderboard."""
    for module, text in (
        ("leaderboard/autoagents/autonomous_agent.py", API),
        ("srunner/scenariomanager/carla_data_provider.py", "class CarlaDataProvider: pass\n"),
    ):
        file = tmp_path / module
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return tmp_path


def load(api: Path, agent: Path, config: str) -> subprocess.CompletedProcess[str]:
    """As the evaluators do: the agent's folder first on the path, the module by its name, from another folder."""
    script = (
        "import sys, os, importlib\n"
        f"sys.path.insert(0, os.path.dirname({str(agent)!r}))\n"
        f"module = importlib.import_module({agent.stem!r})\n"
        "agent = getattr(module, module.get_entry_point())('localhost', 2000, False)\n"
        f"agent.setup({config!r})\n"
        "print(agent.track, len(agent.sensors()), agent.style)\n"
        "agent.destroy()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=api,
        env={**os.environ, "PYTHONPATH": str(api)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_an_evaluator_elsewhere_loads_them_and_no_two_drive_in_one_style(api):
    styles = set()
    for agent in AGENTS:
        done = load(api, agent, "seed=5+RouteScenario_1_rep0")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("SENSORS 1 Style(")
        assert "seed=5" in done.stdout
        styles.add(done.stdout)
    assert len(styles) == len(AGENTS) >= 8


@pytest.mark.parametrize("path", SETS, ids=name)
def test_the_sets_keep_to_their_schema(path):
    content = yaml.safe_load(path.read_text())
    assert content["schema"] == 1
    names = [probe["name"] for probe in content["probes"]]
    assert len(set(names)) == len(names)
    for probe in content["probes"]:
        assert {"name", "agent"} <= set(probe) <= KEYS
        kind, _, ours = probe["agent"].partition("probe:")
        if not kind:
            assert (PROBES / f"{ours}.py").is_file()
            with_changes(Style(), probe.get("config", ""))


def test_the_comment_describes_every_field_and_no_other():
    described = re.findall(r"^#   (\w+) +\S", (PROBES / "rule_based.yaml").read_text(), re.MULTILINE)
    assert described == list(ProbeEntry.model_fields)


def test_every_agent_is_in_the_set_of_rule_based_probes():
    content = yaml.safe_load((PROBES / "rule_based.yaml").read_text())
    assert {probe["agent"] for probe in content["probes"]} == {f"probe:{agent.stem}" for agent in AGENTS}


def test_they_are_shipped():
    assert shipped_folder("probes").resolve() == PROBES


def test_changes_have_the_type_of_what_they_change():
    style = with_changes(Style(), "sees_props=no, speed_share=1, seed=3+Town01_x=y")
    assert (style.sees_props, style.speed_share, style.seed) == (False, 1.0, 3)
    assert type(style.speed_share) is float
    assert with_changes(Style(), "+x=1") == Style()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sees_props=2", "sees_props=2: neither yes nor no"),
        ("seed=1.5", "invalid literal for int.*'1.5'"),
        ("noise", "could not convert string to float: ''"),
        ("=1", "no style has a value ''"),
        ("speed=3", "no style has a value 'speed'"),
    ],
)
def test_a_wrong_configuration_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        with_changes(Style(), text)
