"""``python -m bestrand_drive.evaluator``."""

from __future__ import annotations

import sys

from bestrand_drive.errors import BestrandError
from bestrand_drive.evaluator.options import parse


def main() -> int:
    """Run; the exit code."""
    try:
        options = parse()
        from bestrand_drive.evaluator.runner import run  # noqa: PLC0415  --help needs no carla

        return run(options)
    except BestrandError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)


if __name__ == "__main__":
    sys.exit(main())
