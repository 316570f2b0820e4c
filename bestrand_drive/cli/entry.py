"""Where the command starts: an interrupt during the imports leaves as quietly as a later one."""

from __future__ import annotations

import sys
from collections.abc import Callable


def main() -> None:
    """Run the ``bestrand`` command and leave with its exit code."""
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("bestrand: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)


def _run(arguments: list[str]) -> int:
    """Import only what the command needs and run it; torch alone takes seconds and 300 MB."""
    if arguments[:2] == ["headless", "serve"]:
        from bestrand_drive.headless.lifetime import end_at_once  # noqa: PLC0415  before the imports that take longer

        end_at_once()
    if arguments[:1] == ["headless"]:
        from bestrand_drive.cli.headless.group import run_alone  # noqa: PLC0415  only what is asked for

        return run_alone(arguments)
    if arguments[:1] == ["run"]:
        from bestrand_drive.cli.running.run import run as run_policy  # noqa: PLC0415  a driver is small beside CARLA

        return _alone("run", run_policy, arguments)
    if arguments[:1] == ["doctor"]:
        from bestrand_drive.cli.running.doctor import doctor  # noqa: PLC0415  says its first line at once

        return _alone("doctor", doctor, arguments)
    if arguments[:1] == ["worker"]:
        from bestrand_drive.cli.running.worker import worker  # noqa: PLC0415  so is a worker

        return _alone("worker", worker, arguments)
    if arguments[:1] == ["servers"]:
        from bestrand_drive.cli.running.servers import servers  # noqa: PLC0415  a word to a driver

        return _alone("servers", servers, arguments)
    from bestrand_drive.cli.app import run  # noqa: PLC0415  takes a second; Ctrl-C may come then

    return run(arguments)


def _alone(name: str, command: Callable[..., int], arguments: list[str]) -> int:
    from bestrand_drive.cli.command import run_alone  # noqa: PLC0415  with what it runs

    return run_alone(name, command, arguments)
