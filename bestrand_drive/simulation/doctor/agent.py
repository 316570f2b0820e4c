"""The policy: its file and the parts of its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, ok, warning


def check_agent(case: Case) -> Iterator[Finding]:
    """Whether all files are there, and which parts are taken as text."""
    agent = case.find_agent()
    yield ok("agent", str(agent.path))
    parts = [part for part in agent.config.split("+") if part]
    texts = [part for part in parts if not Path(part).is_absolute()]
    if texts:
        advice = "as wanted if they name no files; a file must lie under the current folder or --root"
        yield warning("agent config", f"taken as text, not as files: {', '.join(texts)}", advice)
    elif parts:
        yield ok("agent config", ", ".join(parts))
