"""``python -m bestrand_drive.headless`` is what ``CarlaUE4.sh`` starts: signals first, then the slower imports."""

from __future__ import annotations

import sys

from bestrand_drive.headless.lifetime import end_at_once


def main() -> int:
    """Serve with CARLA's flags; the exit code."""
    end_at_once()
    from bestrand_drive.headless.launch import main as launch  # noqa: PLC0415  slower than all above

    return launch(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
