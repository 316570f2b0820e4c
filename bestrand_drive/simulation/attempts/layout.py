"""What lies where in a run folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.run_header import RESULTS, RUN_FILE

LOCK_FILE = "driver.lock"
RECORD_NAME = re.compile(r"([1-9][0-9]{0,8})\.json")
"""Name of an attempt's record."""
RESULT_NAME = re.compile(r"([1-9][0-9]{0,8})\.result\.json")
"""Name of what the evaluator wrote in it."""
METRIC_NAME = re.compile(r"([1-9][0-9]{0,8})\.metric_info\.json")
"""Name of what the agent wrote of each step, for comfort."""


@dataclass(frozen=True)
class Layout:
    """Paths of a run folder.

    Attributes:
        root: The folder itself.
    """

    root: Path

    @property
    def run_file(self) -> Path:
        """What the folder is a run of."""
        return self.root / RUN_FILE

    @property
    def request(self) -> Path:
        """What the last start was asked for."""
        return self.root / "request.json"

    @property
    def lock(self) -> Path:
        """Who drives it now."""
        return self.root / LOCK_FILE

    @property
    def servers(self) -> Path:
        """How many servers the driver is to use; there while it drives."""
        return self.root / "servers.json"

    @property
    def crew(self) -> Path:
        """Where driver and workers on other hosts leave each other letters."""
        return self.root / "crew"

    @property
    def attempts(self) -> Path:
        """The truth: one folder a key, one record and one result an attempt."""
        return self.root / "attempts"

    @property
    def stops(self) -> Path:
        """Which attempts failed in a row until a start was stopped."""
        return self.root / "stops"

    @property
    def results(self) -> Path:
        """The counted results, derived from ``attempts``."""
        return self.root / RESULTS

    @property
    def kept(self) -> Path:
        """What failed routes left for people to look at."""
        return self.root / "kept"

    @property
    def logs(self) -> Path:
        """Logs of attempts."""
        return self.root / "logs"

    @property
    def work(self) -> Path:
        """Scratch of running attempts."""
        return self.root / "work"

    @property
    def dry_run(self) -> Path:
        """What the lines of a dry run need, and what they leave when somebody gives them to a shell."""
        return self.root / "dry-run"

    @property
    def quarantine(self) -> Path:
        """Damaged files of the store, moved aside and never deleted."""
        return self.root / "quarantine"

    @property
    def folders(self) -> tuple[Path, ...]:
        """All folders that a driver makes."""
        return self.attempts, self.stops, self.results, self.kept, self.logs, self.work, self.quarantine
