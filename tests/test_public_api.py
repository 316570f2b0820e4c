"""The Python API as documented, what an import costs, and the arrows between the rooms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bestrand_drive
from bestrand_drive import BestrandError, MetricSpec, ScoreMatrix, Suite, compress, estimate, read_suite
from bestrand_drive.errors import DataRefused, UsageError

PACKAGE = Path(bestrand_drive.__file__).resolve().parent
ROOT = PACKAGE.parent


@pytest.mark.parametrize("name", bestrand_drive.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(bestrand_drive, name).__name__.rpartition(".")[2] == name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="compres"):
        bestrand_drive.compres  # noqa: B018


def test_importing_the_package_is_cheap():
    """Neither torch nor carla, nor pandas, until something is used; the command line too must not need carla."""
    script = (
        "import sys, bestrand_drive;"
        "print([name for name in ('torch', 'carla', 'ray', 'pandas', 'scipy') if name in sys.modules]);"
        "import bestrand_drive.cli.app;"
        "print([name for name in ('carla', 'ray', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]


def test_driving_from_python(bench, tmp_path):
    probes = {name: str(bench.results(name)) for name in ("Ann", "Bob")}
    suite = compress("bench2drive", routes=str(bench.routes), probes=probes, keep=0.4, out=str(tmp_path / "suite"))
    assert isinstance(suite, Suite)
    assert read_suite(str(tmp_path / "suite")) == suite
    found = estimate(tmp_path / "suite", bench.results("Dan"))
    line = found["driving_score"].estimate
    assert line.run.low < line.value < line.run.high
    assert estimate(suite, str(bench.results("Dan"))) == found


def test_planning_from_python(bestrand, bench, bench_suite):
    """The numbers of the command, by results and by a suite alone; goals as one number or by metric."""
    probes = {name: bench.results(name) for name in ("Ann", "Bob", "Cid")}
    options = [part for name, path in probes.items() for part in ("--probe", f"{name}={path}")]
    goal = ("--error", "driving_score=4", "--metric", "driving_score")
    told = bestrand("plan", "bench2drive", "--routes", bench.routes, *options, *goal, "--json").json
    found = bestrand_drive.plan("bench2drive", routes=bench.routes, probes=probes, error={"driving_score": 4})
    (line,) = found.metrics
    assert line.k == told["k"]
    assert line.at.expected == pytest.approx(told["metrics"]["driving_score"]["expected"])
    alone = bestrand_drive.plan(bench_suite)
    assert alone.k == read_suite(bench_suite).k
    assert [one.at.p95 for one in alone.metrics] == [
        one.at.p95 for one in bestrand_drive.plan(read_suite(bench_suite)).metrics
    ]
    for wrong in ({"p95": 3, "error": 2}, {}):
        with pytest.raises(UsageError, match="exactly one"):
            bestrand_drive.plan("bench2drive", routes=bench.routes, probes=probes, **wrong)
    with pytest.raises(UsageError, match="alone"):
        bestrand_drive.plan(bench_suite, n_probes=3)
    with pytest.raises(UsageError, match="scores="):
        bestrand_drive.plan("scores", p95=0.1)


def test_stopping_from_python(bench, bench_suite):
    """As ``estimate(until=...)``, and for a runner: what is terminal is for it to say."""
    order = bestrand_drive.order(bench_suite)
    assert sorted(order.items) == sorted(read_suite(bench_suite).chosen)
    goal = {"driving_score": 60.0}
    found = bestrand_drive.enough(bench_suite, bench.results("Dan"), goal, interval="run")
    assert found == estimate(bench_suite, bench.results("Dan"), until=goal, until_interval="run").until
    assert found.verdict == "stop"


def test_python_and_command_choose_alike(bestrand, bench, bench_suite):
    probes = {name: bench.results(name) for name in ("Ann", "Bob", "Cid")}
    suite = compress("bench2drive", routes=bench.routes, probes=probes, k=24)
    assert suite.to_json() == (bench_suite / "suite.json").read_bytes()


def test_pairs_from_python(fail):
    suite = compress("fail2drive", routes=fail.routes, probes={"Ann": fail.results("Ann")}, k=6, seed=3)
    assert len(suite.chosen) == 6
    assert "base_harmonic_mean" in [rule.name for rule in suite.harmonic]


def frame(rows: int = 40) -> pd.DataFrame:
    items = [f"q{number}" for number in range(rows)]
    columns = {f"m{model}": [float((number * (model + 3)) % 7 > 2) for number in range(rows)] for model in range(4)}
    return pd.DataFrame({"item_id": items, **columns})


def test_scores_from_a_data_frame(tmp_path):
    matrix = ScoreMatrix.from_frame(frame())
    assert matrix.policies == ("m0", "m1", "m2", "m3")
    suite = compress("scores", scores=matrix, probes=["m0", "m1", "m2"], k=10, out=tmp_path / "suite")
    assert [probe.name for probe in suite.probes] == ["m0", "m1", "m2"]
    frame()[["item_id", "m3"]].to_csv(tmp_path / "target.csv", index=False)
    found = estimate(suite, tmp_path / "target.csv")
    assert found.policy == "m3"
    assert found["score"].full == pytest.approx(frame()["m3"].mean())


def test_a_long_frame_with_metrics():
    long = frame(20).melt("item_id", var_name="model", value_name="value").assign(metric="accuracy")
    matrix = ScoreMatrix.from_frame(long, specs={"accuracy": MetricSpec("accuracy", 0, 1, unit="share")})
    suite = compress("scores", scores=matrix, n_probes=2, keep=0.25, metric_weights={"accuracy": 2.0})
    assert suite.k == 5
    assert suite.metrics[0].unit == "share"


def test_python_takes_every_option_of_the_command(bestrand, bench, bench_suite, tmp_path):
    suite = compress(
        "bench2drive",
        routes=bench.routes,
        probes={name: bench.results(name) for name in ("Ann", "Bob", "Cid")},
        k=12,
        seed=4,
        selector="bestrand",
        candidates=32,
        pool_factor=3.0,
        metric_weights={"success": 2.0},
        families={"Oak": ["Bob", "Cid"]},
        exclude=[bench.ids[0]],
        disjoint_from=[bench_suite],
        guard=False,
        probe_data=False,
        licences={"Ann": "MIT"},
    )
    ran = bestrand(
        *("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 12, "--seed", 4),
        *("--selector", "bestrand", "--candidates", 32, "--pool-factor", 3, "--metric", "success=2"),
        *("--family", "Oak=Bob,Cid", "--exclude", bench.ids[0], "--disjoint-from", bench_suite),
        *("--no-ability-guard", "--no-probe-data", "--licence", "Ann=MIT", "--out", tmp_path / "suite"),
    )
    assert ran.code == 0, ran.err
    assert suite.to_json() == (tmp_path / "suite" / "suite.json").read_bytes()


def test_bounds_and_direction_of_a_table(bestrand, tmp_path):
    table = tmp_path / "s.csv"
    (100 * frame().set_index("item_id")).to_csv(table)
    options = {"bounds": {"score": (-10, 200)}, "lower_is_better": ["score"], "k": 10}
    suite = compress("scores", scores=table, **options)
    metric = suite.metric("score")
    assert (metric.low, metric.high, metric.higher_is_better, metric.binary) == (-10, 200, False, False)
    common = ("compress", "scores", "--scores", table, "--k", 10, "--out", tmp_path / "suite")
    assert bestrand(*common, "--bounds", "score=-10:200", "--lower-is-better", "score").code == 0
    assert suite.to_json() == (tmp_path / "suite" / "suite.json").read_bytes()
    exact = compress("scores", scores=table, bounds={"score": (0, 100)}, k=10).metric("score")
    assert (exact.higher_is_better, exact.binary) == (True, True)
    with pytest.raises(DataRefused, match="goes from 0 to 100"):
        compress("scores", scores=table, bounds={"score": (0, 1)}, k=10)


@pytest.mark.parametrize(
    ("benchmark", "options", "word"),
    [
        ("bench2drive", {}, "routes="),
        ("scores", {}, "scores="),
        ("scores", {"scores": "x.csv", "probes": {"a": "b"}}, "list of model names"),
        ("nuplan", {"routes": "x"}, "nuplan"),
    ],
)
def test_wrong_calls_are_usage_errors(benchmark, options, word):
    with pytest.raises(UsageError, match=word):
        compress(benchmark, k=3, **options)


@pytest.mark.parametrize(
    "idle", [{"items": "i.csv"}, {"n_probes": 2}, {"probe_choice": "low"}, {"bounds": {"a": (0, 1)}}]
)
def test_what_would_be_passed_over_of_driving_is_refused(idle):
    with pytest.raises(UsageError, match=f"knows no {next(iter(idle))}="):
        compress("builtin", part="demo", k=3, **idle)


@pytest.mark.parametrize(
    ("idle", "said"),
    [
        ({"part": "demo"}, "knows no part="),
        ({"guard": False}, "knows no guard="),
        ({"metric_info": {"m0": "x"}}, "knows no metric_info="),
        ({"allow_evaluator_mismatch": True}, "knows no allow_evaluator_mismatch="),
        ({"licences": {"m0": "MIT"}}, "one licence"),
    ],
)
def test_what_would_be_passed_over_of_a_table_is_refused(idle, said):
    with pytest.raises(UsageError, match=said):
        compress("scores", scores=ScoreMatrix.from_frame(frame()), k=3, **idle)


@pytest.mark.parametrize("idle", [{"guard": False}, {"metric_info": {"TFv6": "x"}}])
def test_what_would_be_passed_over_of_pairs_is_refused(idle):
    with pytest.raises(UsageError, match=f"knows no {next(iter(idle))}="):
        compress("fail2drive", routes="x", k=3, **idle)


@pytest.mark.parametrize("fraction", [{"k": 3.5}, {"k": 3, "seed": 1.5}, {"k": 3, "candidates": 12.5}])
def test_numbers_of_things_are_whole(fraction):
    """The command line reads them so; from Python a fraction went into the suite, or ended in torch."""
    scores = ScoreMatrix.from_frame(frame())
    with pytest.raises(UsageError, match=f"--{list(fraction)[-1]} [0-9.]*: give a whole number"):
        compress("scores", scores=scores, **fraction)
    if "candidates" not in fraction:
        with pytest.raises(UsageError, match="give a whole number"):
            bestrand_drive.plan("scores", scores=scores, probes=["m0"], **fraction)
    assert compress("scores", scores=scores, k=np.int64(3)).k == 3


def test_families_without_a_picked_probe_count_for_nothing_in_a_plan():
    """As in compress, and as on the command line."""
    table, sole = ScoreMatrix.from_frame(frame()), {name: [name] for name in frame().columns if name != "item_id"}
    assert bestrand_drive.plan("scores", scores=table, n_probes=2, k=3, families=sole).k == 3


def test_a_licence_of_a_table_is_its_probes():
    suite = compress("scores", scores=ScoreMatrix.from_frame(frame()), k=3, licences={"": "MIT"})
    assert {probe.licence for probe in suite.probes} == {"MIT"}


def test_a_plan_names_what_it_cannot_plan(table_suite):
    with pytest.raises(UsageError, match="qa_siute is no suite folder"):
        bestrand_drive.plan("qa_siute")
    with pytest.raises(UsageError, match="knows no n_probes="):
        bestrand_drive.plan("builtin", probes={}, n_probes=2, k=3)
    with pytest.raises(UsageError, match="knows no scores="):
        bestrand_drive.plan("builtin", probes={}, scores="m.csv", k=3)
    with pytest.raises(UsageError, match="knows no items="):
        bestrand_drive.plan(table_suite, items="items.csv")
    assert bestrand_drive.plan(table_suite / "suite.json").k == read_suite(table_suite).k


def test_words_that_are_not_known_are_never_taken_for_others(table_suite):
    """A misspelt rule would turn a verdict."""
    table = table_suite / "suite.json"  # which is not read
    for call, said in (
        (lambda: estimate(table_suite, table, missing="nought"), "--missing nought: known are zero, exclude"),
        (lambda: bestrand_drive.compare(table_suite, "a", "b", scores=table, missing="no"), "--missing no: known"),
        (lambda: bestrand_drive.gate(table_suite, "a", "b", scores=table, undecided="Fail"), "Did you mean fail"),
        (lambda: bestrand_drive.gate(table_suite, "a", "b", scores=table, rule="inferior"), "--rule inferior: known"),
        (lambda: bestrand_drive.plan(table_suite, claim="runs"), "--claim runs: known are run, policy"),
        (lambda: bestrand_drive.enough(table_suite, table, {"score": 1}, interval="runs"), "--until-interval runs"),
    ):
        with pytest.raises(UsageError, match=said):
            call()


def test_one_place_under_two_names_is_no_comparison(bench, bench_suite, tmp_path):
    (tmp_path / "latest").symlink_to(bench.results("Dan"))
    for other in (str(bench.results("Dan")) + "/", tmp_path / "latest"):
        with pytest.raises(UsageError, match="given twice"):
            bestrand_drive.compare(bench_suite, bench.results("Dan"), other)


def test_terminal_items_are_chosen_ones(fail, fail_suite):
    """Fail2Drive's items are pairs: of a route's number nothing would ever be finished."""
    with pytest.raises(UsageError, match="terminal: 75: no chosen items"):
        bestrand_drive.enough(fail_suite, fail.results("Eve"), {"base_success": 9}, terminal=["75"])


def test_probes_as_a_list_need_paths(bench):
    with pytest.raises(UsageError, match="mapping"):
        compress("bench2drive", routes=bench.routes, probes=["Ann"], k=3)


def test_every_error_has_the_one_root(tmp_path):
    with pytest.raises(BestrandError, match=r"suite\.json"):
        read_suite(tmp_path)
    with pytest.raises(DataRefused, match=r"absent\.csv"):
        compress("scores", scores=tmp_path / "absent.csv", k=3)


LOWEST = {"errors", "files"}
ARROWS = {
    "errors": set(),
    "files": {"errors"},
    "suite": LOWEST | {"scores", "readers", "benchmarks"},
    "scores": LOWEST,
    "readers": LOWEST | {"scores"},
    "exporters": LOWEST,
    "benchmarks": LOWEST,
    "compression": LOWEST | {"scores"},
    "headless": LOWEST,
    "evaluator": LOWEST | {"benchmarks"},
    "study": LOWEST | {"scores", "compression"},
    "reports": LOWEST | {"study"},
    "simulation": LOWEST | {"benchmarks"},
    "workflows": LOWEST
    | {"benchmarks", "scores", "compression", "study", "reports", "simulation", "suite", "readers", "exporters"},
    "cli": LOWEST | {"workflows", "benchmarks", "compression", "simulation", "suite", "headless"},
}
"""Room -> what it may import beside itself."""
SERVER_DOORS = {
    *("options", "lifetime", "serving", "installation"),
    *("faults.order", "roads.needs", "roads.request", "roads.towns"),
}
"""Modules of headless that cli may import."""
HEAVY = {
    "scores": {"carla"},
    "readers": {"torch", "carla"},
    "exporters": {"torch", "pandas", "carla"},
    "benchmarks": {"torch", "carla"},
    "compression": {"carla"},
    "evaluator": {"torch", "pandas", "scipy"},
    "simulation": {"torch", "pandas", "carla"},
}


@cache
def tree_of(path: Path) -> ast.Module:
    """A source file, parsed once for all tests."""
    return ast.parse(path.read_text())


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All of a module, wherever they stand; what expressions are made of, which is most of a tree, is left out."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            one for name in ("body", "orelse", "finalbody", "handlers", "cases") for one in getattr(node, name, ())
        ]


@cache
def modules() -> tuple[tuple[str, Path, ast.Module], ...]:
    """Room, path and tree of each module."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return tuple((path.relative_to(PACKAGE).with_suffix("").parts[0], path, tree_of(path)) for path in paths)


@cache
def imported(tree: ast.Module) -> frozenset[str]:
    """Full names of all imported modules, wherever the statement stands."""
    names: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def test_no_modules_import_each_other_in_a_circle():
    """Wherever the statement stands, also where it is for types alone."""
    trees = {".".join(path.relative_to(ROOT).with_suffix("").parts): tree for _, path, tree in modules()}
    arrows = {name: imported(tree) & trees.keys() - {name} for name, tree in trees.items()}
    TopologicalSorter(arrows).prepare()  # raises where there is one


def inner_arrows(room: str) -> dict[str, set[str]]:
    """Of a room: each of its own rooms, or modules that lie in none -> what else of the room it imports."""
    prefix, arrows = f"bestrand_drive.{room}.", dict[str, set[str]]()
    for _, path, tree in modules():
        if path.is_relative_to(PACKAGE / room):
            own = path.relative_to(PACKAGE / room).with_suffix("").parts[0]
            names = (name.removeprefix(prefix) for name in imported(tree) if name.startswith(prefix))
            arrows.setdefault(own, set()).update({name.split(".")[0] for name in names} - {own})
    return arrows


@pytest.mark.parametrize("room", ["workflows", "cli"])
def test_no_inner_rooms_import_each_other_in_a_circle(room):
    TopologicalSorter(inner_arrows(room)).prepare()


def test_the_arrows_between_rooms():
    wrong = []
    for room, path, tree in modules():
        if room in ("__init__", "__main__"):
            continue
        assert room in ARROWS, f"a new room: {room}; say what it may import"
        rooms = {name.split(".")[1] for name in imported(tree) if name.startswith("bestrand_drive.")}
        beyond = rooms - ARROWS[room] - {room}
        wrong += [f"{path.relative_to(ROOT)} imports {other}" for other in sorted(beyond)]
    assert wrong == []


def test_the_command_reaches_the_server_by_its_doors():
    prefix = "bestrand_drive.headless."
    names = {name.removeprefix(prefix) for room, _, tree in modules() if room == "cli" for name in imported(tree)}
    inside = {path.relative_to(PACKAGE / "headless") for room, path, _ in modules() if room == "headless"}
    assert names & {".".join(path.with_suffix("").parts) for path in inside} == SERVER_DOORS


def test_the_rooms_of_the_command_are_those_of_the_workflows():
    """And a command lies in one: only what all commands share lies beside the rooms."""
    rooms = {folder: {one.parent.name for one in (PACKAGE / folder).glob("*/*.py")} for folder in ("cli", "workflows")}
    assert rooms["cli"] - {"headless"} == rooms["workflows"]
    shared = {path.stem for path in (PACKAGE / "cli").glob("*.py")}
    own = {"app", "command", "commands", "declared", "entry", "examples", "lazy", "options", "tables"}
    assert shared == {"__init__", *own}


@pytest.mark.parametrize("room", HEAVY)
def test_heavy_packages_stay_out(room):
    for own, path, tree in modules():
        if own == room:
            assert not {name.split(".")[0] for name in imported(tree)} & HEAVY[room], path


def test_attempts_are_stored_without_torch_and_pandas():
    """Neither directly nor through the benchmarks: a driver is small beside its simulators."""
    folder = PACKAGE / "simulation" / "attempts"
    names = [f"bestrand_drive.simulation.attempts.{path.stem}" for path in sorted(folder.glob("*.py"))]
    script = (
        f"import importlib, sys; [importlib.import_module(name) for name in {names!r}];"
        "print([name for name in ('torch', 'pandas', 'scipy', 'carla') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_the_evaluator_starts_without_heavy_packages():
    """One process a route: what is imported is paid for each time."""
    pytest.importorskip("carla")
    script = (
        "import sys, bestrand_drive.evaluator.options, bestrand_drive.evaluator.runner;"
        "print([name for name in ('torch', 'pandas', 'scipy', 'numpy', 'pydantic', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_nothing_but_server_and_evaluator_needs_carla_or_ray_to_be_imported():
    for room, path, tree in modules():
        if room in ("headless", "evaluator"):
            continue
        top = {name for node in tree.body if isinstance(node, ast.Import) for name in (a.name for a in node.names)}
        top |= {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
        assert not {name.split(".")[0] for name in top} & {"carla", "ray", "submitit"}, path


def test_sizes_and_names():
    """Files below 500 lines, functions below 60 beside signature and docstring, no module whose name says nothing."""
    for folder in ("bestrand_drive", "tests", "scripts", "probes"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            assert len(path.read_text().splitlines()) <= 500, path
            assert path.stem not in {"utils", "util", "helpers", "misc", "common"}, path
            for node in statements(tree_of(path)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    said = node.body[1:] if ast.get_docstring(node) else node.body
                    length = (node.end_lineno or 0) - said[0].lineno + 1 if said else 0
                    assert length <= 60, f"{path}: {node.name} has {length} lines of its own"


def test_no_global_random_state():
    for _, path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in {"manual_seed", "seed"}:
                owner = ast.unparse(node.value)
                assert owner not in {"torch", "np.random", "numpy.random", "random"}, path


def test_what_is_suppressed_says_why():
    """A ``noqa`` or a ``type: ignore`` that gives no reason hides a fault from the next reader."""
    bare = re.compile(r"#\s*(noqa\b:?[A-Z0-9, ]*|type:\s*ignore(\[[a-z, -]*\])?)\s*$")
    assert bare.search("x = y  # noqa: ANN401")
    assert bare.search("x = y  # type: ignore[assignment]")
    assert not bare.search("x = y  # noqa: S603, ANN401  an argument list")
    for _, path, _ in modules():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not bare.search(line), f"{path}:{number}"


def test_no_message_sends_to_an_index_for_a_package_that_is_not_there():
    """Anybody could take the name there."""
    package = Path(bestrand_drive.__file__).parent
    assert [path for path in package.rglob("*.py") if "bestrand-drive[" in path.read_text(encoding="utf-8")] == []
