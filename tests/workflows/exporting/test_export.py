"""A suite's items as files of other tools, each with its receipt, by the command a user gives."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pandas as pd
import pytest

import bestrand_drive as bd
from tests.readers.logs import lm_eval_row, put_lm_eval, right_wrong


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """Suites of one and of two tasks of the harness."""
    folder = tmp_path_factory.mktemp("lm")
    for model in range(5):
        for task, items in (("gsm8k", 30), ("arc", 12)):
            rows = [
                lm_eval_row(n, {"acc": mark}, content=f"{task} {n}")
                for n, mark in enumerate(right_wrong(model, range(items)))
            ]
            put_lm_eval(folder / "out", f"m{model}", rows, task=task)
    for name, tasks in (("one", "gsm8k"), ("two", ("gsm8k", "arc"))):
        bd.import_logs("lm-eval", folder / "out", task=tasks, out=folder / f"{name}.parquet")
        bd.compress("scores", scores=folder / f"{name}.parquet", n_probes=4, keep=0.4, out=folder / name)
    return folder


def test_the_default_is_the_form_of_the_logs(bestrand, imported, tmp_path):
    ran = bestrand("export", imported / "one")
    suite = bd.read_suite(imported / "one")
    assert json.loads(ran.out) == {"gsm8k": sorted(int(item) for item in suite.chosen)}
    ran = bestrand("export", imported / "two", "--out", tmp_path / "two.json")
    assert ran.code == 0, ran.err
    assert "lm_eval run --tasks arc,gsm8k --samples two.json" in ran.out
    told = json.loads((tmp_path / "two.json").read_text())
    flat = {f"{task}/{number}" for task, numbers in told.items() for number in numbers}
    assert flat == set(bd.read_suite(imported / "two").chosen)


def test_the_receipt_proves_what_was_chosen_and_how(bestrand, imported, tmp_path):
    out = tmp_path / "gsm8k.json"
    assert bestrand("export", imported / "one", "--out", out).code == 0
    told, suite = json.loads((tmp_path / "gsm8k.json.receipt.json").read_text()), bd.read_suite(imported / "one")
    assert told["file"] == {"name": "gsm8k.json", "sha256": hashlib.sha256(out.read_bytes()).hexdigest()}
    assert told["ids"] == suite.chosen
    items = (imported / "one" / "items.txt").read_bytes()
    assert told["ids_sha256"] == hashlib.sha256(items).hexdigest()
    assert bestrand("export", imported / "one", "--format", "ids").out.encode() == items
    assert told["suite"]["digest"] == suite.choice_digest()
    assert (told["choice"]["seed"], told["choice"]["selector"]) == (0, "balanced")
    assert told["imported"]["tasks"] == ["gsm8k"]
    assert told["versions"]["bestrand-drive"]
    assert bestrand("export", imported / "one", "--json").json["ids_sha256"] == told["ids_sha256"]


def test_the_same_command_gives_the_same_bytes(bestrand, imported, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert bestrand("export", imported / "two", "--out", tmp_path / name / "samples.json").code == 0
    for name in ("samples.json", "samples.json.receipt.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_wrong_calls_write_nothing(bestrand, imported, tmp_path):
    out = tmp_path / "x.json"
    (tmp_path / "taken").write_text("")
    cases = [
        (("--format", "nothing"), 2, "--format nothing; known are lm-eval-samples"),
        (("--format", "leaderboard"), 2, "this suite is of a table"),
        (("--format", "swebench", "--out", out), 2, "one benchmark at a time"),
        (("--format", "bfcl", "--out", out), 2, "no test case of BFCL"),
        (("--out", imported / "two" / "x.json"), 2, "the suite's own folder"),
        (("--out", tmp_path / "absent" / "x.json"), 2, "does not exist"),
        (("--out", tmp_path / "taken"), 2, "add --force"),
    ]
    for arguments, code, word in cases:
        ran = bestrand("export", imported / "two", *arguments)
        assert (ran.code, word in ran.err) == (code, True), ran.err
    assert {path.name for path in tmp_path.iterdir()} == {"taken"}
    assert bestrand("export", imported / "two", "--out", tmp_path / "taken", "--force").code == 0


def test_routes(bestrand, bench_suite, fail_suite, tmp_path):
    assert bestrand("export", bench_suite, "--out", tmp_path / "r.xml").code == 0
    assert (tmp_path / "r.xml").read_bytes() == (bench_suite / "routes.xml").read_bytes()
    assert json.loads((tmp_path / "r.xml.receipt.json").read_text())["ids"] == bd.read_suite(bench_suite).chosen
    ran = bestrand("export", bench_suite, "--format", "ids")
    assert ran.out.split() == (bench_suite / "routes-subset.txt").read_text().strip().split(",")
    ran = bestrand("export", fail_suite)
    assert (ran.code, "give it the suite's routes/" in ran.err) == (2, True)
    assert len(bestrand("export", fail_suite, "--format", "ids").out.split()) == 24, "both routes of a pair"


def test_routes_that_are_not_the_suites(bestrand, bench_suite, tmp_path):
    (tmp_path / "suite").mkdir()
    for name in ("suite.json", "routes.xml"):
        (tmp_path / "suite" / name).write_bytes((bench_suite / name).read_bytes())
    text = (tmp_path / "suite" / "routes.xml").read_text()
    start, end = text.index("<route "), text.index("</route>") + len("</route>")
    (tmp_path / "suite" / "routes.xml").write_text(text[:start] + text[end:])
    ran = bestrand("export", tmp_path / "suite", "--out", tmp_path / "r.xml")
    assert (ran.code, "do not hold the suite's routes" in ran.err) == (4, True)


SOURCE = """
import pytest

@pytest.mark.parametrize("word", ["a b", "c::d", "[e]", "é", "f,g"])
@pytest.mark.parametrize("number", range(3))
def test_one(word, number):
    pass

class TestTwo:
    def test_three(self):
        pass
"""


def pytest_of(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_a_test_suite_is_a_benchmark_too(bestrand, tmp_path):
    """The real pytest collects the chosen tests and no other."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(SOURCE)
    words = ("a b", "c::d", "[e]", "\\xe9", "f,g")
    ids = [f"test_it.py::test_one[{number}-{word}]" for number in range(3) for word in words]
    ids.append("test_it.py::TestTwo::test_three")
    table = pd.DataFrame({"item_id": ids} | {f"m{m}": right_wrong(m, range(16)) for m in range(4)})
    table.to_csv(tmp_path / "runs.csv", index=False)
    suite = bd.compress("scores", scores=tmp_path / "runs.csv", k=7, out=tmp_path / "suite")
    ran = bestrand("export", tmp_path / "suite", "--format", "pytest-ids", "--out", tmp_path / "tests.txt")
    assert ran.code == 0, ran.err
    assert pytest_of(tmp_path, "@tests.txt") == suite.chosen
