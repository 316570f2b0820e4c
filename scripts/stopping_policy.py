"""Coverage of the policy interval at the stop, on the policies that were really run several times.

Its claim is the policy's mean over runs. Of that there is one independent witness: the mean of the policy's *other*
runs over all items, which has run noise of its own. So beside the share of intervals that hold it stands the share that
right intervals of these widths would, ``2 Phi(h / sqrt((h / z)^2 + s^2 / (N r))) - 1`` for r other runs and the
policy's own noise s. Fail2Drive: three policies with three runs each, every policy left out in turn, the noise that of
the two others, as a suite of theirs keeps it. Bench2Drive: SimLingo's two runs, on the routes where the agent crashed
in neither, the noise the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from scipy import stats

from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import ProbeKnowledge
from bestrand_drive.compression.noise import Noise, pooled_noise
from bestrand_drive.compression.policy_estimates import Population, policy_estimates
from bestrand_drive.compression.stopping.order import Order, suite_order
from bestrand_drive.compression.stopping.rule import FIRST_LOOK
from bestrand_drive.study.choosing import family_profiles
from bestrand_drive.study.problem import Problem, Roles
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence
from bestrand_drive.workflows.studying.driving import driving_problem

Array = np.ndarray
LEVEL = 0.95
SIMLINGO = ("SimLingo", "SimLingo-repeat")
GOALS = {
    "fail2drive": {
        **dict.fromkeys(("base_driving_score", "generalization_driving_score"), (5.0, 7.0)),
        **dict.fromkeys(("base_success", "generalization_success"), (8.0, 11.0)),
    },
    "bench2drive": {"driving_score": (4.0, 5.0), "success": (6.0, 8.0)},
}
HEADS = (
    *("benchmark", "metric", "half width", "stops before the end", "mean items", "noise used (own)"),
    *("holds the other runs (by policy)", "right ones would", "the same of all items"),
)


@dataclass(frozen=True)
class Run:
    """One run of a policy as target.

    Attributes:
        policy: Whose.
        column: Its number in the problem.
        others: Numbers of the policy's other runs.
        population: What a suite of the others knows.
        noise: The policy's own, by metric, from its runs.
    """

    policy: str
    column: int
    others: tuple[int, ...]
    population: Population
    noise: Mapping[str, float]


def runs_of(problem: Problem, runs: Mapping[str, Sequence[str]], reference: Mapping[str, Noise]) -> Iterator[Run]:
    """Every run of some policies.

    Args:
        problem: Leaves each policy out in turn.
        runs: Policy -> columns that are runs of it.
        reference: Noise by metric where the probes have no repeats.
    """
    place = problem.scores.policies.index
    for policy, names in runs.items():
        columns = [place(name) for name in names]
        roles = next(one for one in problem.split(0) if columns[0] in one.targets)
        population = _population(problem, roles, reference)
        own = {name: _own_noise(problem.values[:, columns, m]) for m, name in enumerate(problem.scores.metric_names)}
        for column in columns:
            yield Run(policy, column, tuple(one for one in columns if one != column), population, own)


def _population(problem: Problem, roles: Roles, reference: Mapping[str, Noise]) -> Population:
    knowledge, noise, every = {}, dict(reference), np.arange(len(problem.scores.items))
    for number, name in enumerate(problem.scores.metric_names):
        columns = family_profiles(problem.values[:, list(roles.probes), number], roles)
        knowledge[name] = ProbeKnowledge(model=fit_difficulty(columns, problem.codes, every))
        variance, repeats = (
            part[:, list(roles.probes), number].numpy()
            for part in (problem.scores.repeat_variance, problem.scores.repeats)
        )
        found = pooled_noise(variance.astype(float), repeats)
        if found is not None:
            noise[name] = Noise(found, "borrowed: the probes' repeats")
    return Population(problem.codes, np.ones(len(every)), knowledge, noise)


def _own_noise(values: Array) -> float:
    """Of one run on one item; values: [item, run]."""
    return float(np.sqrt(np.nanmean(np.nanvar(values, axis=1, ddof=1))))


def intervals(problem: Problem, run: Run, order: Order, sizes: Sequence[int]) -> Array:
    """Policy intervals at each look, float64 [look, metric, 2]; NaN where there is none."""
    scores = problem.scores.with_policies([problem.scores.policies[run.column]])
    place = {item: number for number, item in enumerate(problem.scores.items)}
    numbers = [place[item] for item in order.items]
    out = np.full((len(sizes), len(scores.metrics), 2), np.nan)
    for look, size in enumerate(sizes):
        lines = policy_estimates(scores.hidden_outside(torch.tensor(sorted(numbers[:size]))), run.population, LEVEL)
        for metric, name in enumerate(scores.metric_names):
            policy = lines[name].policy
            if policy is not None:
                out[look, metric] = policy.low, policy.high
    return out


def sizes_of(problem: Problem) -> tuple[int, list[int]]:
    """Items of a block and at each look, as the rule has them."""
    items = problem.scores.items
    block = suite_order(items, problem.scores.strata, 0).block
    return block, sorted({*(size for size in range(block, len(items), block) if size >= FIRST_LOOK), len(items)})


def policy_rows(name: str, problem: Problem, runs: Sequence[Run], seeds: Sequence[int]) -> Iterator[list[str]]:
    """Rows of the table."""
    block, sizes = sizes_of(problem)
    orders = [suite_order(problem.scores.items, problem.scores.strata, seed, block) for seed in seeds]
    ends = np.stack([[intervals(problem, run, order, sizes) for order in orders] for run in runs])
    for metric, goals in GOALS[name].items():
        number = problem.scores.metric_names.index(metric)
        for goal in goals:
            yield [name, metric, f"{goal:g}", *_cells(problem, runs, sizes, ends[:, :, :, number], number, goal)]


def _cells(
    problem: Problem, runs: Sequence[Run], sizes: Sequence[int], ends: Array, number: int, goal: float
) -> list[str]:
    """One metric and goal; ends: [run, seed, look, 2]."""
    half = (ends[..., 1] - ends[..., 0]) / 2
    narrow = half <= goal
    stop = np.where(narrow.any(axis=2), narrow.argmax(axis=2), len(sizes) - 1)
    before = float((stop < len(sizes) - 1).mean())
    held, right = _coverage(problem, runs, number, np.take_along_axis(ends, stop[:, :, None, None], axis=2)[:, :, 0])
    whole, _ = _coverage(problem, runs, number, ends[:, :1, -1])
    metric = problem.scores.metric_names[number]
    used = np.sqrt(np.mean([run.population.noise[metric].sd ** 2 for run in runs]))
    own = np.sqrt(np.mean([run.noise[metric] ** 2 for run in runs]))
    policies = list(dict.fromkeys(run.policy for run in runs))
    each = [float(held[[run.policy == one for run in runs]].mean()) for one in policies]
    return [
        f"{100 * before:.0f} %",
        f"{float(np.array(sizes)[stop].mean()):.0f} of {sizes[-1]}",
        f"{used:.1f} ({own:.1f})",
        f"{float(held.mean()):.3f} ({', '.join(f'{one:.2f}' for one in each)})",
        f"{float(right.mean()):.3f}",
        f"{int(whole.sum())} of {whole.size}",
    ]


def _coverage(problem: Problem, runs: Sequence[Run], number: int, ends: Array) -> tuple[Array, Array]:
    """Whether each interval holds the mean of the other runs, and how probable that is of right ones: [run, seed]."""
    items, z, metric = len(problem.scores.items), stats.norm.ppf(0.5 + LEVEL / 2), problem.scores.metric_names[number]
    witness = np.array([problem.truth[list(run.others), number].mean() for run in runs])[:, None]
    moved = np.array([run.noise[metric] ** 2 / (items * len(run.others)) for run in runs])[:, None]
    half = (ends[..., 1] - ends[..., 0]) / 2
    held = (ends[..., 0] <= witness) & (witness <= ends[..., 1])
    return held.astype(float), 2 * stats.norm.cdf(half / np.sqrt((half / z) ** 2 + moved)) - 1


def fail2drive(data: Path) -> tuple[Problem, list[Run]]:
    """The pairs, and all runs of all policies."""
    folder = data / "fail2drive"
    policies = {path.name: path for path in sorted((folder / "results").iterdir()) if path.is_dir()}
    problem = driving_problem("fail2drive", folder / "routes", policies, {})
    runs = {name: [one for one in problem.scores.policies if one.startswith(f"{name} ")] for name in policies}
    return problem, list(runs_of(problem, runs, {}))


def simlingo(data: Path, whole: Problem) -> tuple[Problem, list[Run]]:
    """Both runs of SimLingo on the routes that neither lacks and on which the agent crashed in neither.

    In the second run it crashed on 35 routes and never in the first, which is no noise between runs of a policy.

    Args:
        data: Holds bench2drive.
        whole: Of all policies and routes, families left out.
    """
    folder = data / "bench2drive"
    columns = [whole.scores.policies.index(name) for name in SIMLINGO]
    known = ~np.isnan(whole.values[:, columns]).any(axis=(1, 2))
    crashed = set().union(*(_crashed(folder / "results" / name) for name in SIMLINGO))
    problem = _part(whole, known & ~np.isin(whole.scores.items, sorted(crashed)))
    benchmark = definition("bench2drive").load(folder / "routes" / "bench2drive220.xml")
    evidence = driving_evidence(benchmark, [ResultSource("VAD", folder / "results" / "VAD")])
    reference = {name: Noise(noise.sd, noise.source) for name, noise in evidence.noise.items()}
    return problem, list(runs_of(problem, {"SimLingo": SIMLINGO}, reference))


def _crashed(folder: Path) -> set[str]:
    """Ids of the routes on which the agent crashed."""
    records = read_results(folder, name=folder.name, benchmark="bench2drive").records
    return {one.route_id for one in records if one.outcome is Outcome.AGENT_CRASHED}


def _part(problem: Problem, kept: Array) -> Problem:
    """Some of the items; kept: bool [item]."""
    scores, rows = problem.scores, np.flatnonzero(kept)
    strata = None if scores.strata is None else tuple(scores.strata[row] for row in rows)
    arrays = {name: getattr(scores, name)[rows] for name in ("values", "valid", "repeats", "repeat_variance")}
    items = tuple(scores.items[row] for row in rows)
    return replace(problem, scores=replace(scores, items=items, strata=strata, **arrays))
