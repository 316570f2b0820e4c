"""What is found out about the user's interpreter."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.adapters.bench2drive import BENCH2DRIVE
from bestrand_drive.simulation.adapters.fail2drive import FAIL2DRIVE_LOCAL
from bestrand_drive.simulation.adapters.interpreter import Interpreter, carla_egg, look_at, problems


def test_what_it_has_and_lacks(make_job, tmp_path):
    (tmp_path / "only_here.py").touch()
    command = BENCH2DRIVE.command(make_job(BENCH2DRIVE, variables={"PYTHONPATH": str(tmp_path)}))
    found = look_at((sys.executable,), ("json", "absent", "absent.part", "only_here", "xml.etree"), command)
    assert (found.version, found.missing) == (sys.version_info[:2], ("absent", "absent.part"))
    assert found.executable == sys.executable


def test_chatter_around_it_is_passed_over(make_job, tmp_path):
    """A sitecustomize of the user's, or a wrapper, may print, in any encoding."""
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, os; os.write(1, b'gr\\xfc\\xdfe\\n'); atexit.register(print, 'bye')"
    )
    command = BENCH2DRIVE.command(make_job(BENCH2DRIVE, variables={"PYTHONPATH": str(tmp_path)}))
    assert look_at((sys.executable,), (), command).missing == ()


def test_the_folder_of_carlas_python_api_is_no_client(make_job, tmp_path):
    """It is on the path in every run, and Python takes a folder without files for a package."""
    (tmp_path / "carla/PythonAPI/carla/agents").mkdir(parents=True)
    isolated = (sys.executable, "-S")
    command = BENCH2DRIVE.command(make_job(BENCH2DRIVE))
    assert look_at(isolated, ("carla", "agents"), command).missing == ("carla",)
    (tmp_path / "carla/PythonAPI/carla/__init__.py").touch()
    assert look_at(isolated, ("carla",), command).missing == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/absent/python",), r"does not run \(.*No such file"),
        (("false",), r"is no interpreter that runs \(no output\)"),
        (("echo", "python"), r"is no interpreter that runs \(no output\)"),
        (("sh", "-c", "echo a; echo libpython is gone >&2"), r"is no interpreter that runs \(libpython is gone\)"),
    ],
)
def test_what_is_no_interpreter(make_job, words, said):
    with pytest.raises(EnvironmentFault, match=rf"--python {words[0]}.*: {said}"):
        look_at(words, (), BENCH2DRIVE.command(make_job(BENCH2DRIVE)))


GOOD = Interpreter((3, 8), (), "0.9.15", "python")


def test_problems(make_job):
    checkout = make_job(BENCH2DRIVE).checkout
    parser = checkout.root / "leaderboard/leaderboard/utils/route_parser.py"
    parser.parent.mkdir(exist_ok=True)
    parser.write_text("for elem in scenario.getchildren():\n    pass\n")
    try:
        assert problems(BENCH2DRIVE, checkout, GOOD) == []
        said = problems(BENCH2DRIVE, checkout, replace(GOOD, version=(3, 11), missing=("py_trees", "cv2")))
        assert "cannot import py_trees, cv2" in said[0]
        assert "getchildren" in said[1]
        parser.write_text("for elem in list(scenario):\n    pass\n")
        assert problems(BENCH2DRIVE, checkout, replace(GOOD, version=(3, 11))) == []
    finally:
        parser.unlink()


def test_a_carla_of_another_name(make_job):
    """Third-party wheels import as carla, and the evaluator asks for the distribution."""
    nameless = replace(GOOD, carla="")
    assert "distribution named carla" in problems(BENCH2DRIVE, make_job(BENCH2DRIVE).checkout, nameless)[0]
    assert problems(FAIL2DRIVE_LOCAL, make_job(FAIL2DRIVE_LOCAL).checkout, nameless) == []


def test_carlas_own_archive(tmp_path):
    folder = tmp_path / "PythonAPI/carla/dist"
    folder.mkdir(parents=True)
    egg = folder / "carla-0.9.15-py3.7-linux-x86_64.egg"
    egg.touch()
    assert carla_egg(tmp_path, (3, 7)) == egg
    assert carla_egg(tmp_path, (3, 8)) is None
    assert carla_egg(tmp_path / "absent", (3, 7)) is None
