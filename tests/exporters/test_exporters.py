"""What each tool would make of the file, told by the tool's own rules written out here."""

from __future__ import annotations

import json
from fnmatch import fnmatch

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Subset
from bestrand_drive.exporters.registry import EXPORTERS, OF_LOGS, default_format, find_exporter
from bestrand_drive.readers.registry import BUILT_IN


def subset(known=None, **tasks):
    """Tasks with their chosen items, and all items where they are more than these."""
    every = {task: tuple(ids) for task, ids in (known or tasks).items()}
    flat = tuple(own for ids in tasks.values() for own in ids)
    return Subset(flat, {task: tuple(ids) for task, ids in tasks.items()}, every)


def written(name, chosen):
    return EXPORTERS[name].write(chosen).decode()


def test_document_numbers_ascend_as_numbers():
    """The harness labels its logs by place in this list, but runs in the data's order."""
    assert written("lm-eval-samples", subset(gsm8k=["10", "9", "2"])) == '{"gsm8k":[2,9,10]}\n'


def test_several_tasks_are_one_mapping_without_empty_lists():
    """An empty list, as an absent task, would run all of it."""
    told = json.loads(written("lm-eval-samples", subset(known={"a": "01", "b": "01", "c": "0"}, b=["1", "0"], a=["1"])))
    assert told == {"b": [0, 1], "a": [1]}
    assert EXPORTERS["lm-eval-samples"].usage(subset(b=["1"], a=["1"]), "s.json").startswith("lm_eval run --tasks b,a ")


@pytest.mark.parametrize("odd", ["x", "-1", "1.0", "007", "٣", "", "1\n"])
def test_what_is_no_document_number(odd):
    with pytest.raises(UsageError, match="no document number"):
        written("lm-eval-samples", subset(gsm8k=[odd]))


def test_documents_of_an_unnamed_task():
    with pytest.raises(UsageError, match="names none"):
        EXPORTERS["lm-eval-samples"].write(Subset(("1",), {"": ("1",)}, {"": ("1",)}))


def inspected(text, datasets):
    """What inspect_ai 0.3.285 runs: split, strip, task selectors, shell patterns."""
    names = {task.lower() for task in datasets}
    found = {}
    for task, ids in datasets.items():
        patterns = []
        for part in (one.strip() for one in text.removesuffix("\n").split(",")):
            scope, sign, rest = part.partition(":")
            if sign and scope.lower() in names:
                patterns += [rest] if scope.lower() == task.lower() else []
            else:
                patterns.append(part)
        found[task] = [own for own in ids if any(fnmatch(own, pattern) for pattern in patterns)]
    return found


@pytest.mark.parametrize(
    "datasets",
    [
        {"sums": ["a", "b*", "bc", "d[1]", "d1", "e?", "ef", "[!x]", "z"]},
        {"sums": ["sums:1", "1", "other:2", "SUMS:3", "x y"]},
        {"sums": ["1", "2", "products:1"], "products": ["1", "2", "sums:2"]},
    ],
)
def test_inspect_runs_exactly_the_chosen(datasets):
    """Whatever is chosen, no pattern and no colon brings in another sample."""
    pairs = [(task, own) for task, ids in datasets.items() for own in ids]
    for one in pairs:
        for chosen in ([one], [other for other in pairs if other != one]):
            tasks = {task: [own for home, own in chosen if home == task] for task in datasets}
            left = {task: ids for task, ids in tasks.items() if ids}
            told = written("inspect-sample-ids", subset(known=datasets, **left))
            assert inspected(told, datasets) == tasks, told


def test_no_id_begins_like_a_task_without_a_name():
    """The tool's own task has a name, which a table need not know: before an id it would be another id."""
    assert written("inspect-sample-ids", subset(**{"": [":1", "b:2"]})) == ":1,b:2\n"


def test_ids_of_digits_are_numbers_to_inspect():
    """It would run 007 with 7; both together, or 7 alone, are what they seem."""
    known = {"sums": ["7", "007", "8", "x7"]}
    with pytest.raises(UsageError, match="'7' and '007' are one number"):
        written("inspect-sample-ids", subset(known=known, sums=["7", "8"]))
    assert written("inspect-sample-ids", subset(known=known, sums=["7", "007", "x7"])) == "7,007,x7\n"
    assert written("inspect-sample-ids", subset(known=known, sums=["8"])) == "8\n"


@pytest.mark.parametrize("odd", ["a,b", " a", "a ", "", "a\nb"])
def test_ids_that_inspect_cannot_name(odd):
    with pytest.raises(UsageError, match=r"cannot be named in inspect's --sample-id"):
        written("inspect-sample-ids", subset(sums=["a", odd]))


def test_tasks_that_inspect_cannot_name():
    with pytest.raises(UsageError, match="'a,b' cannot stand before"):
        EXPORTERS["inspect-sample-ids"].write(subset(**{"a,b": ["1"], "c": ["1"]}))


def test_bfcl_categories_are_those_the_tool_reads_in_ids():
    ids = ["simple_python_3", "live_multiple_1-0-1", "simple_python_12", "memory_kv_0-customer-0"]
    told = json.loads(written("bfcl", subset(bfcl=ids)))
    assert told == {
        "simple_python": ["simple_python_3", "simple_python_12"],
        "live_multiple": ["live_multiple_1-0-1"],
        "memory_kv": ["memory_kv_0-customer-0"],
    }
    for category, own in ((category, own) for category, ids in told.items() for own in ids):
        assert own.rsplit("_", 1)[0] == category  # as bfcl_eval does it
    assert EXPORTERS["bfcl"].usage(subset(bfcl=ids), "test_case_ids_to_generate.json").startswith("bfcl generate")
    assert EXPORTERS["bfcl"].usage(subset(bfcl=ids), "my ids.json").startswith("cp 'my ids.json' ")


@pytest.mark.parametrize("odd", ["12", "simple", "simple_python_", "_3"])
def test_what_is_no_test_case_of_bfcl(odd):
    with pytest.raises(UsageError, match="no test case of BFCL"):
        written("bfcl", subset(bfcl=[odd]))


@pytest.mark.parametrize("odd", ["two words", "django__*", "", "a\tb"])
def test_what_is_no_instance_of_swebench(odd):
    assert written("swebench", subset(swebench=["django__django-11099"])) == "django__django-11099\n"
    with pytest.raises(UsageError, match="no instance id"):
        written("swebench", subset(swebench=[odd]))


@pytest.mark.parametrize("name", ["swebench", "pytest-ids"])
def test_tools_that_run_one_benchmark_at_a_time(name):
    with pytest.raises(UsageError, match="this suite has a, b"):
        written(name, subset(a=["x"], b=["y"]))


@pytest.mark.parametrize("odd", ["--help", "@other", "a\x0cb", "a\u2028b", "", "a\r"])
def test_lines_that_pytest_would_read_otherwise(odd):
    """Lines end where ``str.splitlines`` says so, which is how pytest's parser reads the file."""
    with pytest.raises(UsageError, match="Item"):
        written("pytest-ids", subset(pytest=["tests/test_a.py::test_b[x y]", odd]))


def test_formats_are_found_by_suite_and_logs():
    assert find_exporter("ids", driving=True) is find_exporter("ids", driving=False)
    for name, driving in (("leaderboard", False), ("bfcl", True), ("nothing", False)):
        with pytest.raises(UsageError, match=f"--format {name}.*known are .*ids"):
            find_exporter(name, driving=driving)
    assert (default_format(None, driving=True), default_format(None, driving=False)) == ("leaderboard", "ids")
    assert all(name in EXPORTERS for name in OF_LOGS.values())
    assert default_format("lm-eval", driving=False) == "lm-eval-samples"
    assert set(BUILT_IN) >= {"lm-eval", "inspect"}
