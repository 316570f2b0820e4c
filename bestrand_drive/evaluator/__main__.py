"""``python -m bestrand_drive.evaluator``."""

from __future__ import annotations

import sys

from bestrand_drive.errors import BestrandError, ExitCode
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
    except OSError as error:  # a full disk, say
        print(
            f"{error.filename or 'a file'}: {error.strerror or error}; what was there before still is.", file=sys.stderr
        )
        return int(ExitCode.ENVIRONMENT)
    except KeyboardInterrupt:
        print("interrupted; the result file holds the routes that were over.", file=sys.stderr)
        return int(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
