"""What starts a server, and what is refused before anything starts."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.servers.command import ServerCommand

FLAGS = ("-RenderOffScreen", "-nosound", "-carla-rpc-port=20000", "-graphicsadapter=2")
DOCKER = ("docker", "run", "--rm", "--name=carla-{run}-{port}", "--gpus=device={gpu}", "carla:0.9.15", "{flags}")


def test_carlas_own_script_with_extra_flags(carla_root):
    command = ServerCommand(carla_root, extra=("-quality-level=Low", "-opengl"))
    command.check()
    assert command.start_argv(20_000, 2) == (str(carla_root / "CarlaUE4.sh"), *FLAGS, "-quality-level=Low", "-opengl")
    assert command.stop_argv(20_000, 2) == ()


def test_a_root_given_from_here_is_found_from_elsewhere(carla_root, monkeypatch):
    monkeypatch.chdir(carla_root.parent)
    command = ServerCommand(carla_root.relative_to(carla_root.parent))
    command.check()
    assert command.start_argv(20_000, 2)[0] == str(carla_root / "CarlaUE4.sh")


def test_a_container():
    stop = ("docker", "stop", "carla-{run}-{port}")
    command = ServerCommand(template=DOCKER, extra=("-opengl",), stop=stop, run="0a1b")
    command.check()
    assert command.start_argv(20_000, 2) == (
        *("docker", "run", "--rm", "--name=carla-0a1b-20000", "--gpus=device=2", "carla:0.9.15"),
        *(*FLAGS, "-opengl"),
    )
    assert command.stop_argv(20_000, 2) == ("docker", "stop", "carla-0a1b-20000")


def test_braces_that_are_no_placeholder_stay():
    argv = ("sh", "-c", "${HOME} {A} {} {{.Name}}", "{port}{port}")
    assert ServerCommand(template=argv).start_argv(7, 0) == (*argv[:3], "77")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "needs --carla-root"),
        ({"template": ("docker", "run", "carla")}, r"needs \{port\}"),
        ({"template": ("docker", "{prot}")}, r"--server-command: \{prot\} means nothing"),
        ({"template": ("docker", "x{flags}", "{port}")}, r"\{flags\} means nothing.*\{flags\} alone"),
        ({"template": ("a", "{port}"), "stop": ("b", "{name}")}, r"--server-stop-command: \{name\}"),
    ],
)
def test_what_cannot_work_is_refused(options, word):
    with pytest.raises(UsageError, match=word):
        ServerCommand(**options).check()


def test_a_folder_that_is_no_carla_is_refused(tmp_path, carla_root):
    with pytest.raises(UsageError, match=r"holds no CarlaUE4\.sh"):
        ServerCommand(tmp_path).check()
    with pytest.raises(UsageError, match="goes with --server-command"):
        ServerCommand(carla_root, stop=("docker", "stop")).check()
