"""F3: whose code an evaluator stands in, by stacks that ``faulthandler`` really prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bestrand_drive.simulation.stacks import Stack, in_agent, main_stack

EVALUATOR = """
import faulthandler, sys, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from leaderboard.autoagents.agent_wrapper import AgentWrapper
import agent
def show():
    faulthandler.dump_traceback(all_threads=True)
kind = sys.argv[3]
if kind == "evaluator":
    show()
elif kind == "setup":
    agent.Agent(show).drive()
else:
    AgentWrapper(agent.Agent(show), kind)()
"""
WRAPPER = """
class AgentWrapper:
    def __init__(self, agent, kind):
        self.agent, self.kind = agent, kind
    def __call__(self):
        if self.kind == "wrapper":
            self.agent.show()
        return getattr(self.agent, self.kind)()
"""
BASE = """
class Base:
    def __init__(self, show):
        self.show = show
    def base(self):
        self.show()
    def sensors(self):
        return self.wait_for_sensors()
    def wait_for_sensors(self):
        from leaderboard.envs.sensor_interface import wait
        wait(self.show)
"""
AGENT = """
from leaderboard.autoagents.base import Base
from nets import model
class Agent(Base):
    def drive(self):
        self.show()
    def model(self):
        model.forward(self.show)
    def deep(self, left=150):
        self.show() if left == 0 else self.deep(left - 1)
    def sensors(self):
        return super().sensors()
"""


@pytest.fixture
def checkout(tmp_path):
    """An evaluator, and an agent with a package beside it, in a folder whose name is not ASCII."""
    files = {
        "root/leaderboard/autoagents/agent_wrapper.py": WRAPPER,
        "root/leaderboard/autoagents/base.py": BASE,
        "root/leaderboard/envs/sensor_interface.py": "def wait(show):\n    show()\n",
        "root/run.py": EVALUATOR,
        "tëam/agent.py": AGENT,
        "tëam/nets/model.py": "def forward(show):\n    show()\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def stack_of(checkout, kind, team="tëam"):
    """The main thread's stack of an evaluator in a certain place, beside another thread's."""
    argv = [sys.executable, "root/run.py", str(checkout / "root"), str(checkout / team), kind]
    ran = subprocess.run(argv, cwd=checkout, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stderr.count("most recent call first") == 2, ran.stderr
    return main_stack(f"noise\n{ran.stderr}more noise\n")


@pytest.mark.parametrize(
    ("kind", "agents"),
    [
        ("drive", True),
        ("model", True),
        ("deep", True),
        ("wrapper", False),
        ("base", False),
        ("sensors", False),
        ("setup", False),
        ("evaluator", False),
    ],
)
def test_whose_code_it_is(checkout, kind, agents):
    """In its file, in its package, deeper than is shown; not where it only waits for the evaluator, or sets up."""
    stack = stack_of(checkout, kind)
    assert stack.cut == (kind == "deep")
    assert in_agent(stack, checkout / "tëam/agent.py") == agents
    assert not in_agent(stack, checkout / "other/agent.py")


def test_an_agent_behind_a_link(checkout):
    """Bench2Drive's agents are linked into its checkout; either name may be printed."""
    (checkout / "link").symlink_to(checkout / "tëam")
    for team in ("link", "tëam"):
        assert in_agent(stack_of(checkout, "model", team), checkout / "link/agent.py")


def test_the_evaluators_own_files_beside_an_agent_are_not_its():
    """The benchmarks' own sample agents lie in the folder of the wrapper."""
    folder = Path("/b2d/leaderboard/leaderboard/autoagents")
    wrapper, base = str(folder / "agent_wrapper.py"), str(folder / "autonomous_agent.py")
    agent = folder / "npc_agent.py"
    assert not in_agent(Stack(("/lib/queue.py", base, wrapper)), agent)
    assert in_agent(Stack(("/lib/queue.py", str(agent), base, wrapper)), agent)
    assert in_agent(Stack((str(agent), str(folder / "agent_wrapper_local.py"))), agent)


def test_stacks_that_do_not_show_the_main_thread():
    """More threads than are printed: the last one shown is any."""
    shown = 'Thread 0x0a (most recent call first):\n  File "/a.py", line 1 in f\n'
    assert main_stack(shown) == Stack(("/a.py",))
    assert main_stack(shown + "...\n") is None
    assert main_stack("no stacks") is None
