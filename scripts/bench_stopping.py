"""Measure what stopping early is worth: coverage at the stop, and routes saved against a fixed size.

Leave one family of policies out as targets, fit the difficulty model on all others, order all routes of Bench2Drive
anew a seed, and stop each target where its interval for this run is narrow enough:

    scripts/bench_stopping --data DATA [--seeds 1000] [--block 22] [--first 44] [--quick] [--json OUT.json]
        [--policy-seeds 200] [--docs docs/stopping.md]

Then the interval for the policy, at the stop, where a policy was really run several times (scripts/stopping_policy).

DATA holds bench2drive/{routes,results} and fail2drive/{routes,results}. The fixed size is the smallest of the looks at
which 95 % of all intervals are narrow enough. --quick takes 50 seeds (5 for policy intervals, which go estimate by
estimate); --docs puts the tables between the marks of a document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from data_folder import add_data_option
from documents import markdown, put_into
from public_policies import BENCH2DRIVE_POLICIES, BENCH2DRIVE_RELATED
from stopping_policy import HEADS as POLICY_HEADS
from stopping_policy import fail2drive, policy_rows, simlingo

from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.compression.stopping.order import suite_order
from bestrand_drive.study.arms import Chosen
from bestrand_drive.study.estimating import batch_estimates
from bestrand_drive.study.problem import Problem
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence
from bestrand_drive.workflows.studying.driving import driving_problem

Array = np.ndarray
GOALS = {"driving_score": (3.0, 4.0, 5.0), "success": (5.0, 7.0, 9.0)}
HEADS = (
    *("metric", "half width", "coverage at the stop (worst policy)", "mean routes", "fixed", "saved"),
    *("MAE at the stop", "MAE of a fixed size near the mean", "bias"),
)


@dataclass(frozen=True)
class Looks:
    """What every look sees; arrays are [look, seed, policy, reported metric], NaN where there is none.

    Attributes:
        sizes: Routes at each look.
        error: Estimate less truth.
        half: Half width of the 95 % interval for this run.
        held: 1 where the interval holds the truth, else 0.
    """

    sizes: Array
    error: Array
    half: Array
    held: Array


@dataclass(frozen=True)
class Row:
    """One metric and goal.

    Attributes:
        metric: Name.
        goal: Half width.
        coverage: At the stop: mean over seeds, members of a family, families.
        coverage_worst: Of the policy where it is least.
        routes: Mean at the stop.
        fixed: Smallest size at which 95 % of the intervals are that narrow.
        saved: 1 - routes / fixed.
        mae: Mean absolute error at the stop.
        mae_fixed: The same of every policy stopped at the size nearest to the mean one.
        bias: Mean error at the stop.
        reached: Share that reached the goal before all routes were driven.
    """

    metric: str
    goal: float
    coverage: float
    coverage_worst: float
    routes: float
    fixed: int
    saved: float
    mae: float
    mae_fixed: float
    bias: float
    reached: float


def bench2drive(data: Path) -> tuple[Problem, Array]:
    """The benchmark with each family left out in turn, and seconds [route, policy], NaN where not known."""
    routes, folder = data / "bench2drive/routes/bench2drive220.xml", data / "bench2drive/results"
    policies = {name: folder / name for name in BENCH2DRIVE_POLICIES}
    problem = driving_problem("bench2drive", routes, policies, BENCH2DRIVE_RELATED)
    sources = [ResultSource(name, path) for name, path in policies.items()]
    whole = driving_evidence(definition("bench2drive").load(routes), sources).scores.with_policies(
        problem.scores.policies
    )
    assert whole.items == problem.scores.items
    seconds = np.full((len(whole.items), len(whole.policies)), np.nan) if whole.cost_s is None else whole.cost_s.numpy()
    return problem, seconds


def orders(problem: Problem, seeds: Sequence[int], block: int) -> list[Array]:
    """Route numbers in the order of each seed."""
    place = {item: number for number, item in enumerate(problem.scores.items)}
    found = [suite_order(problem.scores.items, problem.scores.strata, seed, block).items for seed in seeds]
    return [np.array([place[item] for item in items]) for items in found]


def see(problem: Problem, begun: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Value and interval of every policy from the routes of each seed, [seed, policy, metric]; each family left out."""
    every = np.arange(len(problem.scores.items))
    whole: list[Array] = []
    for roles in problem.split(0):
        found = batch_estimates(problem, [Chosen(roles, np.sort(one), every) for one in begun], "default")
        parts = [found.value, found.low, found.high]
        whole = [np.where(np.isnan(a), b, a) for a, b in zip(whole, parts, strict=True)] if whole else parts
    return whole[0], whole[1], whole[2]


def looks(problem: Problem, ordered: Sequence[Array], block: int, first: int) -> Looks:
    """All looks of all seeds."""
    items = len(problem.scores.items)
    sizes = sorted({*range(first, items, block), items})
    errors, halves, holds = [], [], []
    for size in sizes:
        value, low, high = see(problem, [one[:size] for one in ordered])
        errors.append(value - problem.truth)
        halves.append((high - low) / 2)
        inside = (low - 1e-9 <= problem.truth) & (problem.truth <= high + 1e-9)
        holds.append(np.where(np.isnan(low), np.nan, inside.astype(float)))
    return Looks(np.array(sizes), np.stack(errors), np.stack(halves), np.stack(holds))


def family_weights(problem: Problem) -> Array:
    """What each policy counts, [policy]: families alike, and their members alike."""
    weights = np.zeros(len(problem.scores.policies))
    cases = problem.split(0)
    for roles in cases:
        weights[list(roles.targets)] = 1 / len(roles.targets) / len(cases)
    return weights


def stop_row(seen: Looks, weights: Array, name: str, metric: int, goal: float) -> Row:
    """Stop at the first look that is narrow enough (the last one where none is)."""
    error, half, held = (part[:, :, :, metric] for part in (seen.error, seen.half, seen.held))
    narrow = half <= goal
    stop = np.where(narrow.any(axis=0), narrow.argmax(axis=0), len(seen.sizes) - 1)
    at = np.take_along_axis(error, stop[None], axis=0)[0]
    coverage = np.take_along_axis(held, stop[None], axis=0)[0].mean(axis=0)
    routes = float(seen.sizes[stop].mean(axis=0) @ weights)
    enough = narrow.mean(axis=1) @ weights >= 0.95
    fixed = int(seen.sizes[enough.argmax() if enough.any() else -1])
    nearest = int(np.abs(seen.sizes - routes).argmin())
    return Row(
        metric=name,
        goal=goal,
        coverage=float(coverage @ weights),
        coverage_worst=float(coverage.min()),
        routes=routes,
        fixed=fixed,
        saved=1 - routes / fixed,
        mae=float(np.abs(at).mean(axis=0) @ weights),
        mae_fixed=float(np.abs(error[nearest]).mean(axis=0) @ weights),
        bias=float(at.mean(axis=0) @ weights),
        reached=float(narrow[:-1].any(axis=0).mean(axis=0) @ weights),
    )


def quick_routes(
    problem: Problem, seconds: Array, ordered: Sequence[Array], block: int, first: int
) -> dict[str, float]:
    """Mean error when the quickest ``first`` of the first ``first + block`` routes are taken for the first ones.

    Returns:
        By metric: the mean error over seeds and policies with durations.
    """
    biases: dict[str, list[float]] = {name: [] for name in GOALS}
    for policy in np.flatnonzero(~np.isnan(seconds).any(axis=0)):
        begun = [one[: first + block] for one in ordered]
        quick = [one[np.argsort(seconds[one, policy], kind="stable")[:first]] for one in begun]
        error = see(problem, quick)[0][:, policy] - problem.truth[policy]
        for name in GOALS:
            biases[name].append(float(error[:, problem.metric_names.index(name)].mean()))
    return {name: float(np.mean(values)) for name, values in biases.items() if values}


def cells(row: Row) -> list[str]:
    """A row as docs/stopping.md shows it."""
    numbers = [f"{row.coverage:.3f} ({row.coverage_worst:.3f})", f"{row.routes:.1f}", str(row.fixed)]
    errors = [f"{row.mae:.2f}", f"{row.mae_fixed:.2f}", f"{row.bias:+.2f}"]
    return [row.metric, f"{row.goal:g}", *numbers, f"{100 * row.saved:.0f} %", *errors]


def policy_table(data: Path, problem: Problem, seeds: Sequence[int]) -> str:
    """Both benchmarks' policies that were run several times."""
    pairs, runs = fail2drive(data)
    rows = [*policy_rows("fail2drive", pairs, runs, seeds)]
    routes, again = simlingo(data, problem)
    rows += policy_rows("bench2drive", routes, again, seeds)
    return markdown(POLICY_HEADS, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "bench2drive", "fail2drive")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--block", type=int, default=22)
    parser.add_argument("--first", type=int, default=44)
    parser.add_argument("--policy-seeds", type=int, default=200)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--docs", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    seeds = range(50 if arguments.quick else arguments.seeds)
    problem, seconds = bench2drive(arguments.data)
    ordered = orders(problem, seeds, arguments.block)
    seen = looks(problem, ordered, arguments.block, arguments.first)
    weights = family_weights(problem)
    place = problem.metric_names.index
    rows = [stop_row(seen, weights, name, place(name), goal) for name, goals in GOALS.items() for goal in goals]
    text = markdown(HEADS, map(cells, rows))
    print(text)
    quick = quick_routes(problem, seconds, ordered, arguments.block, arguments.first)
    said = ", ".join(f"{name} {bias:+.2f}" for name, bias in quick.items())
    print(f"\nmean error with the quickest {arguments.first} of {arguments.first + arguments.block} routes: {said}")
    again = policy_table(arguments.data, problem, seeds[: 5 if arguments.quick else arguments.policy_seeds])
    print(f"\n{again}")
    if arguments.docs:
        put_into(arguments.docs, "bench_stopping", text)
        put_into(arguments.docs, "bench_stopping policy", again)
    if arguments.json:
        found = {"seeds": len(seeds), "rows": [asdict(row) for row in rows], "quick_routes": quick}
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
