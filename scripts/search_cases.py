"""One case of bench_search, in a process of its own so that its peak memory is its own.

    python scripts/search_cases.py '{"case": [14000, 5600, 1400], "kind": "binary", "m": [128, 10000]}'

Prints one JSON row a line. Times are CPU times of one thread, medians, and each is taken between two turns of the numpy
loop, so that ratios hold on a machine that does other things too.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.search import SearchSpace, search
from bestrand_drive.compression.search.partition import Unions
from bestrand_drive.compression.search.sums import item_sums
from bestrand_drive.compression.search.swaps import Exchange

Row = dict[str, Any]
PROBES, METRICS = 5, 4
LOOP_MOST, LOOP_S = 40, 0.3
"""Candidates and seconds of one turn of the numpy loop; there are at most five turns."""
WHOLE_S = 2.0
"""Above this a way is timed on fewer candidates and marked as extrapolated."""
REACH_S = 3.0
"""Time after which a way has not reached a goal."""


def features_of(kind: str, pool: int) -> Tensor:
    """Scores of probes that agree about as real ones do (correlation near .4): float64 Tensor[item, feature]."""
    rng = np.random.default_rng(0)
    metrics = 1 if kind == "binary" else METRICS
    scores = rng.standard_normal((pool, metrics * PROBES))
    level = rng.standard_normal(pool)
    for column in range(scores.shape[1]):
        scores[:, column] = 0.78 * scores[:, column] + 0.63 * level
        if kind == "binary":
            scores[:, column] = scores[:, column] > 0.3 * (column - 2)
        else:
            scores[:, column] /= scores[:, column].std()
    return torch.from_numpy(scores)


def numpy_loop(features: np.ndarray, k: int) -> float:
    """Seconds a candidate of the plain loop: choose, take the mean, compare with the best."""
    rng, target, best = np.random.default_rng(1), features.mean(axis=0), np.inf
    start, done = time.process_time(), 0
    while done < LOOP_MOST and (done < 2 or time.process_time() - start < LOOP_S):
        subset = rng.choice(len(features), k, replace=False)
        best = min(best, float(np.linalg.norm(features[subset].mean(axis=0) - target)))
        done += 1
    return (time.process_time() - start) / done


def beside_the_loop(features: np.ndarray, k: int, work: Callable[[], float], turns: int) -> tuple[float, float]:
    """Median seconds of ``work`` (it says its own) and median ratio of the loop's seconds a candidate to it.

    Work that is short is done several times a turn, since how soon a way reaches a goal is chance.
    """
    loops, own = [numpy_loop(features, k)], list[float]()
    for _ in range(turns):
        start, several = time.process_time(), list[float]()
        while not several or (len(several) < 7 and time.process_time() - start < 0.1):
            several.append(work())
        own.append(statistics.median(several))
        loops.append(numpy_loop(features, k))
    ratios = [(before + after) / 2 / each for before, after, each in zip(loops[:-1], loops[1:], own, strict=True)]
    return statistics.median(own), statistics.median(ratios)


def space_of(features: Tensor) -> SearchSpace:
    """Nothing missing, weighted or guarded."""
    return SearchSpace(features, None, None, torch.zeros((0, len(features)), dtype=torch.bool))


def throughput(features: Tensor, k: int, method: str, sizes: list[int]) -> Iterator[Row]:
    """Rows of one way by number of candidates; what would take long is timed on fewer."""
    space, generator = space_of(features), Generator().manual_seed(1)
    each = cost_of_few(space, k, method)
    for m in sizes:
        count = m if each * m < WHOLE_S else max(16, int(WHOLE_S / 3 / each))

        def work(count: int = count) -> float:
            start = time.process_time()
            search(None, k, space, count, generator, way=method)
            return (time.process_time() - start) / count

        if method == "numpy":
            each, ratio = numpy_loop(features.numpy(), k), 1.0
        else:
            each, ratio = beside_the_loop(features.numpy(), k, work, 3 if each * count < 0.5 else 1)
        extrapolated = count < m or method == "numpy"
        yield {"m": m, "us_per_candidate": each * 1e6, "ratio_to_numpy": ratio, "extrapolated": extrapolated}


def cost_of_few(space: SearchSpace, k: int, method: str) -> float:
    """Seconds a candidate, roughly: of a search of few."""
    if method == "numpy":
        return 0.0
    few = 4 if method == "subsets" else 4_096
    start = time.process_time()
    search(None, k, space, few, Generator().manual_seed(3), way=method)
    return (time.process_time() - start) / few


def goals(features: Tensor, k: int, sizes: list[int]) -> dict[int, float]:
    """The median imbalance of the best of m: of real searches for a small k, else by the normal law, which fits."""
    if k < 1_000:
        space, generator = space_of(features), Generator().manual_seed(2)
        return {
            m: statistics.median(search(None, k, space, m, generator, way="subsets").distance for _ in range(25))
            for m in sizes
        }
    items, width = features.shape
    covariance = np.cov(features.numpy(), rowvar=False) * (1 / k - 1 / items)
    root, rng = np.linalg.cholesky(covariance + 1e-15 * np.eye(width)), np.random.default_rng(2)
    return {
        m: float(np.median([np.linalg.norm(rng.standard_normal((m, width)) @ root.T, axis=1).min() for _ in range(99)]))
        for m in sizes
    }


def descent(features: Tensor, k: int, method: str, m: int, seed: int) -> Iterator[float]:
    """The least imbalance after each step of a way, from nothing: set-up counts to the first step."""
    generator, space = Generator().manual_seed(seed), space_of(features)
    if method == "swaps":
        exchange = Exchange(torch.randperm(len(features), generator=generator)[:k], space, generator)
        while True:
            yield exchange.distance()
            exchange.round()
    best = np.inf
    if method == "subsets":
        while True:
            best = min(best, search(None, k, space, 16, generator, way=method).distance)
            yield best
    sums = item_sums(space)
    unions = Unions(method, sums, k, m, generator)
    while True:
        best = min(best, float(sums.imbalance(unions.totals(unions.next(unions.each)), k).min()))
        yield best


def time_to_equal(features: Tensor, k: int, method: str, sizes: list[int]) -> Iterator[Row]:
    """Rows of the time that a way takes to the imbalance that the loop's m candidates reach, over the loop's time."""
    for m, goal in goals(features, k, sizes).items():
        seeds = iter(range(1_000))

        def work(m: int = m, goal: float = goal, seeds: Iterator[int] = seeds) -> float:
            start = time.process_time()
            for reached in descent(features, k, method, m, next(seeds)):
                if reached <= goal or time.process_time() - start > REACH_S:
                    return (time.process_time() - start) / m if reached <= goal else np.inf
            raise AssertionError("a descent has no end")

        each, ratio = beside_the_loop(features.numpy(), k, work, 3)
        left = at_equal_time(features, k, method, m, numpy_loop(features.numpy(), k) * m)
        yield {
            "goal": m,
            "us_per_candidate": each * 1e6 if np.isfinite(each) else None,
            "ratio_to_numpy": ratio,
            "imbalance_at_equal_time": left / goal,
            "extrapolated": False,
        }


def at_equal_time(features: Tensor, k: int, method: str, m: int, seconds: float) -> float:
    """What a way has reached when the loop would have judged m candidates (or after ``REACH_S``)."""
    start = time.process_time()
    for reached in descent(features, k, method, m, 7):
        if time.process_time() - start > min(seconds, REACH_S):
            return reached
    raise AssertionError("a descent has no end")


def bytes_moved(features: Tensor, k: int, method: str) -> float:
    """Least bytes a candidate (of swaps: a proposal) reads and writes."""
    items, width = features.shape
    row = 8 * width + 8
    if method in ("numpy", "subsets"):
        return k * row
    if method == "swaps":
        return 2 * row
    if method == "classes":
        return 2 * 4 * len(torch.unique(features @ 2.0 ** torch.arange(width, dtype=torch.float64)))
    unions = Unions(method, item_sums(space_of(features[:, :1])), k, 10**6, Generator().manual_seed(0))
    return items * row / unions.each + 8 * (1 + items // (items // 256 or 1))


def gigabytes_per_second() -> float:
    """Of a copy, read and written, best of five."""
    source = np.ones(2**22)
    target, best = np.empty_like(source), np.inf
    for _ in range(5):
        start = time.process_time()
        np.copyto(target, source)
        best = min(best, time.process_time() - start)
    return 2 * source.nbytes / best / 1e9


Measure = Callable[[Tensor, int, str, list[int]], Iterator[Row]]


def plan(kind: str, sizes: list[int]) -> Iterator[tuple[str, Measure, list[int]]]:
    """Ways to measure, how, and with how many candidates."""
    yield "numpy", throughput, sizes[-1:]
    yield "subsets", throughput, sizes[-1:]
    if kind == "binary":
        yield "classes", throughput, sizes
        return
    yield "windows", throughput, sizes[-1:]
    yield "blocks", throughput, sizes[-1:]
    for method in ("windows", "blocks", "swaps"):
        yield method, time_to_equal, [128, 1_024]


def main() -> int:
    """Measure one case and print its rows."""
    torch.set_num_threads(1)
    given = json.loads(sys.argv[1])
    n, pool, k = given["case"]
    features = features_of(given["kind"], pool)
    speed = gigabytes_per_second()
    known = {"n": n, "pool": pool, "k": k, "features": features.shape[1], "kind": given["kind"]}
    for method, measure, sizes in plan(given["kind"], given["m"]):
        bound = bytes_moved(features, k, method) / speed / 1e3
        for row in measure(features, k, method, sizes):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(json.dumps(known | {"method": method, "bound_us": bound, "peak_mib": peak} | row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
