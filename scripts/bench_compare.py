"""Measure how often the 95 % interval of a difference holds the true one, on worlds made of real repeats:

    scripts/bench_compare --data DATA [--draws 1000] [--quick] [--docs docs/comparing.md]

DATA holds bench2drive/{routes,results} and fail2drive/{routes,results}. Fail2Drive: three policies with three runs
each, all pairs and each against itself. Bench2Drive, on the routes that all have, with six other policies as probes:
SimLingo's two runs, swapped by coins, on the routes on which neither crashed; and single runs of different policies,
whose true difference is that of these runs. And rare regressions, made up: a 0/1 metric, k routes drawn from many, some
of which got worse and none better.
--docs writes the tables between the marks of a document; --quick takes 60 draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from compare_worlds import Case, Outcomes, drawn_runs, judged, recorded, stratified, without_crashes
from data_folder import add_data_option
from documents import markdown, put_into
from public_policies import FAIL2DRIVE_POLICIES as POLICIES
from scipy import stats

from bestrand_drive.benchmarks.records import PolicyResults
from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.score_interval import score_interval
from bestrand_drive.compression.comparison.simultaneous import joint_level
from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import ProbeKnowledge
from bestrand_drive.compression.profiles import family_columns, fill

Array = np.ndarray
LEVEL = 0.95
PROBES = ("PDM-Lite", "TransFuser++", "ORION", "MindDrive-0.5B", "VAD", "TCP-traj")
RIVALS = (("PDM-Lite", "VAD"), ("TransFuser++", "ORION"), ("SimLingo", "TCP-traj"))
HEADS = (
    *("benchmark", "metric", "k", "runs", "A against A (worst)", "different policies (worst)"),
    *("half width", "without pairing", "t alone", "Tango alone"),
)
RARE = ("k", "got worse", "interval", "t alone", "Tango alone")


class Held:
    """How often intervals hold, and how wide they are."""

    def __init__(self) -> None:
        self.both: list[bool] = []
        self.student: list[bool] = []
        self.tango: list[bool] = []
        self.half: list[float] = []
        self.unpaired: list[float] = []

    def take(self, found: PairedDifference, truth: float, unpaired: float = np.nan) -> None:
        """One more comparison."""
        around = found.interval(LEVEL)
        assert around is not None
        off = float(stats.t.ppf(0.5 + LEVEL / 2, found.df)) * found.standard_error
        self.both.append(around.low - 1e-9 <= truth <= around.high + 1e-9)
        self.student.append(abs(found.value - truth) <= off + 1e-9)
        size = found.size or 1.0
        low, high = score_interval(*found.proportions, LEVEL)
        self.tango.append(size * low - 1e-9 <= truth <= size * high + 1e-9)
        self.half.append(around.half_width)
        self.unpaired.append(unpaired)


def held(case: Case, k: int, repeats: int, draws: int, seed: int) -> Held:
    """One case at one size."""
    out = Held()
    for found, unpaired in judged(case, k, repeats, draws, seed):
        out.take(found, case.truth, unpaired)
    return out


def fail2drive_rows(seen: Outcomes, draws: int) -> Iterator[list[str]]:
    """Rows of the table."""
    names = [name for name in seen.metrics if name.startswith("base")]
    for metric in names:
        number = seen.metrics.index(metric)
        for k in (12, 20, 50):
            for repeats in (1, 3):
                own: list[Held] = []
                other: list[Held] = []
                for first, second in [*((one, one) for one in POLICIES), *combinations(POLICIES, 2)]:
                    runs = [seen.runs[name][:, :, number] for name in (first, second)]
                    case = Case(seen.strata, runs[0], runs[1], seen.ranges[number])
                    (own if first == second else other).append(held(case, k, repeats, draws, k))
                yield row("Fail2Drive", metric, k, repeats, own, other)


def bench2drive_rows(seen: Outcomes, twice: Outcomes, draws: int) -> Iterator[list[str]]:
    """Rows of the table: SimLingo's runs swapped, and single runs of different policies, which are no probes then.

    Args:
        seen: Single runs.
        twice: SimLingo's two runs, without the routes on which one crashed, and the probes.
        draws: Suites a case.
    """
    for metric in ("driving_score", "success"):
        number = seen.metrics.index(metric)
        again = twice.runs["SimLingo"][:, :, number]
        for k in (22, 44, 77):
            known = difficulty(twice, number, PROBES)
            own = held(Case(twice.strata, again, again, twice.ranges[number], True, known), k, 1, draws, k)
            other = []
            for pair in RIVALS:
                sides = [seen.runs[name][:, :1, number] for name in pair]
                known = difficulty(seen, number, [name for name in PROBES if name not in pair])
                case = Case(seen.strata, sides[0], sides[1], seen.ranges[number], known=known)
                other.append(held(case, k, 1, draws, k))
            yield row("Bench2Drive", metric, k, 1, [own], other)


def whole_simlingo(results: PolicyResults) -> PolicyResults:
    """Crashes of the agent are no run noise; they are of the other policies' scores, which only guide."""
    return without_crashes(results) if results.name == "SimLingo" else results


def difficulty(seen: Outcomes, number: int, probes: Sequence[str]) -> ProbeKnowledge:
    """What a suite knows of a metric from some policies."""
    scores = np.stack([seen.runs[name][:, 0, number] for name in probes], axis=1)
    columns = fill(family_columns(scores, [(place,) for place in range(len(probes))]))
    return ProbeKnowledge(model=fit_difficulty(columns, seen.strata, np.arange(len(seen.strata))))


def row(benchmark: str, metric: str, k: int, repeats: int, own: Sequence[Held], other: Sequence[Held]) -> list[str]:
    """One row: cases with and without a difference."""
    every = [*own, *other]

    def share(cases: Sequence[Held]) -> str:
        means = [float(np.mean(case.both)) for case in cases]
        return f"{np.mean(means):.3f} ({min(means):.3f})" if cases else "-"

    def mean(name: str) -> float:
        return float(np.mean([np.mean(getattr(case, name)) for case in every]))

    widths = [f"{mean('half'):.1f}", f"{mean('unpaired'):.1f}"]
    return [
        *(benchmark, metric, str(k), str(repeats), share(own), share(other)),
        *widths,
        *(f"{mean(name):.3f}" for name in ("student", "tango")),
    ]


def rare_rows(draws: int) -> Iterator[list[str]]:
    """A 0/1 metric on routes of which a few got worse."""
    many = 10_000
    for k in (22, 77, 220):
        for share in (0.01, 0.03, 0.05, 0.1):
            worse = np.zeros((many, 1))
            worse[: round(share * many)] = -100.0
            case = Case(np.zeros(many, dtype=np.int64), np.zeros((many, 1)), worse, 100.0)
            found = held(case, k, 1, draws, k)
            cells = [np.mean(found.both), np.mean(found.student), np.mean(found.tango)]
            yield [str(k), f"{100 * share:g} %", *(f"{cell:.3f}" for cell in cells)]


def together(seen: Outcomes, metric: str, k: int, draws: int) -> float:
    """How often all intervals of three policies against each other hold at once."""
    rng, number = np.random.default_rng(k), seen.metrics.index(metric)
    runs = [seen.runs[name][:, :, number] for name in POLICIES]
    inside = []
    for _ in range(draws):
        chosen = stratified(seen.strata, k, rng)
        sides = [drawn_runs(one[chosen], 1, rng) for one in runs]
        found = {}
        for first, second in combinations(range(3), 2):
            case = Case(seen.strata, runs[first], runs[second], seen.ranges[number])
            found[first, second] = case.on(chosen, (sides[first], sides[second])), case.truth
        values = np.concatenate(sides, axis=1)
        least = min(one.df for one, _ in found.values())
        each = joint_level(values, seen.strata[chosen], least, LEVEL, 0)
        ends = [(one.interval(each), truth) for one, truth in found.values()]
        inside.append(all(end is not None and end.low <= truth <= end.high for end, truth in ends))
    return float(np.mean(inside))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "bench2drive", "fail2drive")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--docs", type=Path)
    arguments = parser.parse_args()
    draws = 60 if arguments.quick else arguments.draws
    seen = recorded(arguments.data, "fail2drive", {name: [name] for name in POLICIES})
    folders = {"SimLingo": ["SimLingo", "SimLingo-repeat"]} | {name: [name] for name in PROBES}
    once = recorded(arguments.data, "bench2drive", folders | {"SimLingo": ["SimLingo"]})
    twice = recorded(arguments.data, "bench2drive", folders, kept=whole_simlingo)
    rows = [*fail2drive_rows(seen, draws), *bench2drive_rows(once, twice, draws)]
    text = markdown(HEADS, rows)
    print(text, flush=True)
    rare = markdown(RARE, rare_rows(draws))
    print(f"\n{rare}", flush=True)
    names = ("base_driving_score", "base_success")
    joint = ", ".join(f"{name} {together(seen, name, 50, draws):.3f}" for name in names)
    said = f"All three policies against each other, k = 50, one run: all intervals hold at once in {joint}."
    print(f"\n{said}")
    if arguments.docs:
        put_into(arguments.docs, "bench_compare", text)
        put_into(arguments.docs, "bench_compare rare", rare)
        put_into(arguments.docs, "bench_compare together", said)


if __name__ == "__main__":
    main()
