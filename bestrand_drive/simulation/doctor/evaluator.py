"""The benchmark's checkout: which one, and whether its code is what its commit says."""

from __future__ import annotations

from collections.abc import Iterator

from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, ok, warning

_CHECK = "commit"
_SHOWN = 12


def check_root(case: Case) -> Iterator[Finding]:
    """Whose checkout it is, and whether it is whole."""
    adapter, checkout = case.find_evaluator()
    yield ok("checkout", f"{adapter.title} ({adapter.name}) at {checkout.root}")


def check_commit(case: Case) -> Iterator[Finding]:
    """Whether results can name the evaluator's code by its commit."""
    adapter, checkout = case.evaluator
    name, plus, code = checkout.commit.partition("+")
    if adapter.module:
        yield ok(_CHECK, f"{name}, over its own sources and the towns")
        return
    if plus:
        said = f"the evaluator's code differs from its commit {name[:_SHOWN]} (code {code})"
        advice = "scores may not be comparable: git diff -- leaderboard/leaderboard scenario_runner/srunner"
        yield warning(_CHECK, said, advice)
    elif name.startswith("code-"):
        said = f"git does not know this code; its hash stands for it: {name}"
        yield warning(_CHECK, said, f"clone {adapter.title} with git, so that results name a commit others can get")
    else:
        yield ok(_CHECK, name[:_SHOWN])
