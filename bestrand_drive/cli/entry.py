"""Where the command starts: an interrupt during the imports leaves as quietly as a later one."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the ``bestrand`` command and leave with its exit code."""
    try:
        from bestrand_drive.cli.app import run  # noqa: PLC0415  the imports take a second; Ctrl-C may come then

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("bestrand: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)
