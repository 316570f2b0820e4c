"""Measure every method on every matrix and both driving benchmarks, and write the tables of docs/study.md.

    scripts/study_all --data DATA --parts FOLDER [--sections A,B] [--seeds 1000] [--workers 2] [--quick]

DATA holds matrices/*.csv.gz, bench2drive/{routes,results} and fail2drive/{routes,results}. FOLDER keeps one part file a
block of 100 seeds; the same command goes on where an interrupted one stopped. The tables are written from parts only,
between the markers of docs/study.md. --quick measures a few seeds of a few cells and prints instead of writing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from data_folder import add_data_option
from documents import put_into
from public_policies import BENCH2DRIVE_POLICIES, BENCH2DRIVE_RELATED, FAIL2DRIVE_POLICIES
from study_tables import sections

from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.files import write_atomic
from bestrand_drive.study.arms import FAST, Arm
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.study import Plan, Row, run_study
from bestrand_drive.workflows.studying.driving import driving_problem
from bestrand_drive.workflows.studying.study import KEEPS
from bestrand_drive.workflows.studying.sweeps import sweep_entries
from bestrand_drive.workflows.studying.table_splits import table_problem
from bestrand_drive.workflows.studying.tables import TableStudy, read_scores

Entry = tuple[Problem, Sequence[Arm]]
DOCS = Path(__file__).resolve().parent.parent / "docs" / "study.md"
TRAINED = ("tinybenchmarks", "sparseeval-linear", "sparseeval-mlp", "zipbench")
"""Selectors that train a model for every draw."""
SECTIONS = (
    *("matrices", "driving", "strata", "splits", "sweeps"),
    *("fitted", "fitted-splits", "trained", "trained-splits", "estimators"),
)
SEEDS = {"fitted": 20, "trained": 5, "fitted-splits": 20, "trained-splits": 5, "estimators": 20}
"""Seeds of the sections whose selectors or estimators have no fast way."""
OF_RANDOM = ("mean", "exchangeable", "expc", "blup", "ppi", "calibration", "poststratified")
"""Estimators that take any subset and need no trained model."""
MANY_ITEMS, FEW_SEEDS = 12_000, 2
"""On matrices with more items a draw of a trained method takes minutes, so there are fewer."""
SWEPT = ("helmlite_gsm8k", "bfcl_v2_20240811", "lcb_execution", "openllm1_arc_challenge")
SPLIT = (
    *("helmlite_gsm8k", "helmlite_math", "openllm1_arc_challenge", "openllm2_ifeval", "bfcl_v2_20240811"),
    *("nlu_hellaswag", "zeroeval_gsm8k", "lcb_execution", "glue_mrpc", "flasheval_diffusiondb_clip"),
)
FAMILIES = {
    "helmlite_gsm8k": "_",
    "helmlite_math": "_",
    "openllm1_arc_challenge": "/",
    "openllm2_ifeval": "/",
    "flasheval_diffusiondb_clip": "__",
    "nlu_hellaswag": "-1M",
}
"""What ends the family in a model's name (an organisation, a base network)."""
QUICK_MATRICES = ("code_humanevalplus_passk1", "helmlite_math", "lcb_codegen_20240226")


def matrices(data: Path, quick: bool) -> list[Path]:
    """The score tables, small ones first."""
    paths = sorted((data / "matrices").glob("*.csv.gz"), key=lambda path: path.stat().st_size)
    return [path for path in paths if not quick or path.name.split(".")[0] in QUICK_MATRICES]


def entries_of(name: str, data: Path, quick: bool) -> list[Entry]:
    """What one section measures."""
    strata = [Arm.of(selector) for selector in ("random", "stratified", "bestrand", "balanced")]
    if name == "driving":
        return [(problem, strata) for problem in driving(data)]
    if name in ("matrices", "strata"):
        cheap = [Arm.of(selector) for selector in ("random", "bestrand", "balanced")]
        wanted = [path for path in matrices(data, quick) if name == "matrices" or path.name.startswith("bfcl")]
        tables = [table_problem(TableStudy(path), *read_scores(TableStudy(path))) for path in wanted]
        if name == "matrices":
            return [(problem, cheap) for problem in tables]
        return [(_with_categories(problem), strata) for problem in tables]
    if name == "estimators":
        return [(problem, [Arm.of("random")]) for problem in every_problem(data, quick)]
    if name in SEEDS:
        return slow_entries(name, data, quick)
    return {"splits": split_entries, "sweeps": sweep_plans}[name](data, quick)


def _with_categories(problem: Problem) -> Problem:
    """The same table with the category in an item's name (``java_58``) as its stratum."""
    strata = tuple(item.rpartition("_")[0] for item in problem.scores.items)
    return replace(problem, name=f"{problem.name} by category", scores=replace(problem.scores, strata=strata))


def driving(data: Path) -> list[Problem]:
    """Both driving benchmarks, one family left out at a time."""
    folders = {name: data / name / "results" for name in ("bench2drive", "fail2drive")}
    routes = {"bench2drive": data / "bench2drive/routes/bench2drive220.xml", "fail2drive": data / "fail2drive/routes"}
    policies = {"bench2drive": BENCH2DRIVE_POLICIES, "fail2drive": FAIL2DRIVE_POLICIES}
    return [
        driving_problem(
            name,
            routes[name],
            {policy: folder / policy for policy in policies[name]},
            BENCH2DRIVE_RELATED if name == "bench2drive" else {},
        )
        for name, folder in folders.items()
    ]


def split_entries(data: Path, quick: bool) -> list[Entry]:
    """Targets from elsewhere than probes: stronger models, other families."""
    arms = [Arm.of(name) for name in ("random", "bestrand", "balanced")]
    return [(problem, arms) for path in split_tables(data, quick) for problem in split_problems(path)]


def split_tables(data: Path, quick: bool) -> list[Path]:
    """The matrices that are split."""
    return [path for path in matrices(data, quick) if path.name.split(".")[0] in SPLIT]


def split_problems(path: Path) -> list[Problem]:
    """One matrix by strength, and by family where names tell it."""
    name = path.name.split(".")[0]
    scores, notes = read_scores(TableStudy(path))
    studies = [TableStudy(path, split="score")]
    if name in FAMILIES:
        labels = {model: model.split(FAMILIES[name])[0] for model in scores.policies}
        families = {label: [m for m in scores.policies if labels[m] == label] for label in set(labels.values())}
        studies.append(TableStudy(path, split="family", families=dict(sorted(families.items()))))
    return [replace(table_problem(study, scores, notes), name=f"{name}, {study.split} split") for study in studies]


def sweep_plans(data: Path, quick: bool) -> list[Entry]:
    """The published method with one setting varied at a time."""
    entries: list[Entry] = []
    for path in matrices(data, quick):
        if path.name.split(".")[0] in SWEPT:
            study = TableStudy(path)
            entries += sweep_entries(
                study, *read_scores(study), ["p", "m", "n", "distance", "probe-choice"], ["bestrand"]
            )
    return entries


def slow_entries(name: str, data: Path, quick: bool) -> list[Entry]:
    """Selectors that have no fast way, beside random, bestrand and balanced on the same seeds."""
    kind, _, splits = name.partition("-")
    slow = [selector for selector in SELECTORS if selector not in FAST and (selector in TRAINED) == (kind == "trained")]
    arms = [Arm.of(selector) for selector in ("random", "bestrand", "balanced", *slow)]
    if splits:
        problems = [problem for path in split_tables(data, quick) for problem in split_problems(path)]
    else:
        problems = every_problem(data, quick)
    return [(problem, arms) for problem in problems]


def every_problem(data: Path, quick: bool) -> list[Problem]:
    """The matrices and both driving benchmarks."""
    studies = [TableStudy(path) for path in matrices(data, quick)]
    problems = [table_problem(study, *read_scores(study)) for study in studies]
    return problems if quick else problems + driving(data)


def run_all(name: str, entries: Sequence[Entry], seeds: int, arguments: argparse.Namespace) -> list[Row]:
    """One section, with fewer seeds of trained methods on the largest matrices."""
    rows: list[Row] = []
    for many, few in ((False, seeds), (True, min(seeds, FEW_SEEDS))):
        part = [entry for entry in entries if (name == "trained" and len(entry[0].scores.items) > MANY_ITEMS) == many]
        rows += run(name, part, few, arguments) if part else []
    return rows


def run(name: str, entries: Sequence[Entry], seeds: int, arguments: argparse.Namespace) -> list[Row]:
    """One section, with a line of progress every few seconds."""
    keeps: tuple[float, ...] = (0.05, 0.2) if "splits" in name or name == "sweeps" else KEEPS
    keeps = (0.1, 0.5) if arguments.quick else keeps
    plan = Plan(entries, OF_RANDOM if name == "estimators" else [None], keeps, seeds, arguments.parts)
    start, told = time.monotonic(), 0.0

    def progress(done: int, total: int, what: str) -> None:
        nonlocal told
        now = time.monotonic() - start
        if done == total or now - told > 10:
            told = now
            print(f"{name}: {done}/{total} blocks, {now:.0f} s, {what}", file=sys.stderr, flush=True)

    return run_study(plan, arguments.workers, progress)


def kept_rows(parts: Path) -> dict[str, list[Row]]:
    """Rows of every section that was measured before: a table over several sections must not lose those not run now."""
    return {name: json.loads(path.read_text()) for name in SECTIONS if (path := parts / f"{name}.json").exists()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "matrices", "bench2drive", "fail2drive")
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sections", default=",".join(SECTIONS), help="'' writes the tables of what is kept")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    unknown = [name for name in filter(None, arguments.sections.split(",")) if name not in SECTIONS]
    if unknown:
        parser.error(f"--sections {', '.join(unknown)}: known are {', '.join(SECTIONS)}")
    seeds = min(arguments.seeds, 20) if arguments.quick else arguments.seeds
    rows: dict[str, list[Row]] = {} if arguments.quick else kept_rows(arguments.parts)
    for name in filter(None, arguments.sections.split(",")):
        entries = entries_of(name, arguments.data, arguments.quick)
        if entries:
            rows[name] = run_all(name, entries, min(seeds, SEEDS.get(name, seeds)), arguments)
            if not arguments.quick:
                write_atomic(arguments.parts / f"{name}.json", (json.dumps(rows[name], indent=1) + "\n").encode())
    text = sections(rows)
    if arguments.quick:
        print("\n\n".join(f"## {name}\n\n{body}" for name, body in text.items()))
    else:
        for name, body in text.items():
            put_into(DOCS, name, body)


if __name__ == "__main__":
    main()
