"""The command with hearts that beat fast: ``python -m tests.simulation.crews.quick worker ...``."""

from __future__ import annotations

from bestrand_drive.cli.entry import main
from bestrand_drive.simulation.attempts import lock
from bestrand_drive.simulation.crews import mailbox


def hurry(silent_s: float = 6.0) -> None:
    """Let everything in mailboxes happen sooner."""
    mailbox.BEAT_S, mailbox.LOOK_S, mailbox.SILENT_S = 0.1, 0.05, silent_s
    lock.SETTLE_S = 0.0


if __name__ == "__main__":
    hurry()
    main()
