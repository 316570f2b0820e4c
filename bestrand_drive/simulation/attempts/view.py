"""``results/``: a copy of exactly the counted results, in the layout of the benchmark's own launcher.

Copies, not links: a script that edits a result there cannot reach the attempt itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from bestrand_drive.benchmarks.result_files import METRIC_INFO
from bestrand_drive.benchmarks.run_header import COUNTED_FILE
from bestrand_drive.errors import UsageError
from bestrand_drive.files import PARTIAL, write_atomic
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.metric_info import saved_name
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore


def view_name(key: AttemptKey) -> PurePosixPath:
    """Where a cell's result lies under ``results/``.

    Bench2Drive and builtin: ``<repeat>/RouteScenario_<id>.json``. Fail2Drive: ``<seed>/res/<id>_res.json`` with the
    id's four digits; its seeds begin at 1, so that repeat 0 is seed 1.

    Raises:
        UsageError: Unknown benchmark.
    """
    if key.benchmark in ("bench2drive", "builtin"):
        return PurePosixPath(str(key.repeat), f"RouteScenario_{key.route_id}.json")
    if key.benchmark == "fail2drive":
        return PurePosixPath(str(key.repeat + 1), "res", f"{key.route_id:0>4}_res.json")
    raise UsageError(f"no layout of results is known for benchmark {key.benchmark!r}.")


def rebuild(store: AttemptStore, counted: Iterable[Attempt]) -> None:
    """Make ``results/`` hold exactly these attempts' results; files that are not of that layout stay.

    What is missing or changed is written first, what must go is removed last, so that a reader meanwhile sees whole
    files only.
    """
    wanted = {place(store, attempt) for attempt in counted}
    for path in sorted(store.layout.results.rglob("*.json*")):
        ours = COUNTED_FILE.fullmatch(path.name) or path.name.endswith(PARTIAL)
        if ours and path not in wanted:
            path.unlink()


def place(store: AttemptStore, attempt: Attempt) -> Path:
    """Put a counted attempt's result into ``results/``; its path there.

    What the agent wrote of each step comes beside it, where Bench2Drive's script and comfort look for it.

    Raises:
        DataRefused: The attempt's result is not there any more, or changed.
        OSError: The disk is full or not writable; what was there still is.
    """
    path = store.layout.results / view_name(attempt.key)
    content = store.result(attempt)
    _write(path, content)
    metric_info, name = store.metric_info(attempt), saved_name(content)
    if metric_info is not None and name is not None:
        _write(path.parent / name / METRIC_INFO, metric_info)
    return path


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
