"""tau-bench (a list of runs) and tau2-bench (``info``, ``tasks``, ``simulations``, also one file a simulation).

A domain is a task, since ids are unique in it only; trials are repeats. A run that an exception or the infrastructure
ended is not scored: tau2 leaves those out of its means, tau records them with reward 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.fingerprints import fingerprint
from bestrand_drive.readers.folders import files_under, number_of, read_json

METRIC, COST = "reward", "agent_cost"
INFRASTRUCTURE = "infrastructure_error"
SIMULATIONS = "simulations"
DOMAINS = ("airline", "retail", "telecom", "banking_knowledge", "mock")
_START = 4096
_ONE = re.compile(rb'\s*\[\s*\{\s*"task_id"\s*:')
_TWO = re.compile(rb'\s*\{\s*("format_version"\s*:[^,]*,\s*)?"timestamp"\s*:[^,]*,\s*"info"\s*:')
_RUN = re.compile(r"(?P<agent>.+)-[\d.]+_range_-?\d+-.*")
_ASKED = ("user_scenario", "ticket", "initial_state", "evaluation_criteria")
"""Parts of a task of tau2 that make it what it is."""


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, begins as one of the two tools' results."""
    return any(_shape(file) for file in files_under(path, "*.json"))


def _shape(file: Path) -> int:
    """1 for tau, 2 for tau2, 0 for another file."""
    if file.suffix != ".json":
        return 0
    with file.open("rb") as stream:
        start = stream.read(_START)
    return 1 if _ONE.match(start) else 2 if _TWO.match(start) else 0


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all results under a path."""
    found = [(file, shape) for file in files_under(path, "*.json") if (shape := _shape(file))]
    if not found:
        raise DataRefused(f"{path}: no results of tau-bench or tau2-bench in it.")
    for file, shape in found:
        yield from _one(file, intake) if shape == 1 else _two(file, intake)


def _one(file: Path, intake: Intake) -> Iterator[Row]:
    """tau: neither model nor domain is in the file, so both come from its name."""
    domain = _domain(file)
    if not intake.wants(domain):
        return
    match = _RUN.fullmatch(file.stem)
    model = match["agent"] if match else re.sub(rf"[-_]?{domain}$", "", file.stem) or file.stem
    runs = _checked(read_json(file), {"task_id", "reward", "trial"}, file)
    ended = sum(map(_ended, runs))
    if ended:
        intake.note(f"{file}: {ended} runs ended by an exception and recorded with reward 0 are taken as not scored")
    for run in runs:
        item, asked = str(run["task_id"]), _info(run).get("task")
        value = math.nan if _ended(run) else _reward(run["reward"])
        row = Row(item, model, value, METRIC, domain, repeat=str(run["trial"]), source=str(file))
        yield row._replace(content=fingerprint(item, asked)) if isinstance(asked, dict) else row


def _ended(run: Mapping[str, Any]) -> bool:
    """Whether an exception ended a run: the tool then writes the error and no conversation."""
    return "error" in _info(run) and not run.get("traj")


def _info(run: Mapping[str, Any]) -> dict[str, Any]:
    info = run.get("info")
    return info if isinstance(info, dict) else {}


def _domain(file: Path) -> str:
    """The domain that the file's name, else one of its two folders', has in it; "" when none does."""
    for text in (file.stem, file.parent.name, file.parent.parent.name):
        found = [name for name in DOMAINS if re.search(rf"(^|[-_. ]){name}([-_. ]|$)", text)]
        if len(found) == 1:
            return found[0]
    return ""


def _two(file: Path, intake: Intake) -> Iterator[Row]:
    results = read_json(file)
    info = results.get("info")
    try:
        domain = str(info["environment_info"]["domain_name"])
        model = str(info["agent_info"]["llm"] or info["agent_info"]["implementation"])
    except (TypeError, KeyError) as error:
        raise DataRefused(f"{file}: its info names no domain and no agent ({error!r}); not results of tau2.") from error
    if not intake.wants(domain):
        return
    intake.version("tau2 commit", info.get("git_commit", "unknown"))
    told = _checked(results.get("tasks", []), {"id"}, file)
    contents = {str(task["id"]): fingerprint(task["id"], {part: task.get(part) for part in _ASKED}) for task in told}
    for run in _simulations(results, file):
        row = _simulated(run, contents, file)._replace(model=model, task=domain)
        yield row
        cost = number_of(run.get("agent_cost"))
        if cost is not None:
            yield row._replace(metric=COST, value=cost, aside=True)


def _simulations(results: Mapping[str, Any], file: Path) -> Iterator[dict[str, Any]]:
    """Those of the file, else those in files of their own beside it."""
    folder = file.parent / SIMULATIONS
    found = results.get("simulations")
    if found or not folder.is_dir():
        yield from _checked(found, {"task_id"}, file)
        return
    for part in files_under(folder, "*.json"):
        yield from _checked([read_json(part)], {"task_id"}, part)


def _simulated(run: Mapping[str, Any], contents: Mapping[str, str], file: Path) -> Row:
    reward, item = run.get("reward_info"), str(run["task_id"])
    scored = isinstance(reward, dict) and run.get("termination_reason") != INFRASTRUCTURE
    seconds = number_of(run.get("duration"))
    return Row(
        item,
        "",
        _reward(reward.get("reward")) if scored and isinstance(reward, dict) else math.nan,
        METRIC,
        repeat=str(run.get("trial") or 0),
        content=contents.get(item, ""),
        cost_s=math.nan if seconds is None else seconds,
        source=str(file),
    )


def _reward(value: object) -> float:
    number = number_of(value)
    return math.nan if number is None else number


def _checked(runs: object, needed: set[str], file: Path) -> list[dict[str, Any]]:
    if not isinstance(runs, list) or not all(isinstance(run, dict) and needed <= set(run) for run in runs):
        raise DataRefused(f"{file}: an entry has no {', '.join(sorted(needed))}; the results are damaged.")
    return runs


def scale(metric: str) -> Scale | None:
    """Rewards lie in [0, 1]; less is better of costs."""
    if metric == METRIC:
        return Scale(0.0, 1.0)
    return Scale(higher_is_better=False) if metric == COST else None


READER = Reader("tau", recognises, read, scale)
