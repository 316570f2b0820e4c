"""Where the command starts: an interrupt during the imports leaves as quietly as a later one."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the ``bestrand`` command and leave with its exit code."""
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("bestrand: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)


def _run(arguments: list[str]) -> int:
    if arguments[:2] == ["headless", "serve"]:
        from bestrand_drive.headless.lifetime import end_at_once  # noqa: PLC0415  before the imports that take longer

        end_at_once()
    from bestrand_drive.cli.app import run  # noqa: PLC0415  Ctrl-C may come then

    return run(arguments)
