"""The same command gives the same bytes, whatever the hash seed, the threads and the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bestrand_drive

SCRIPT = """
import json, sys
import torch
torch.set_num_threads(int(sys.argv[1]))
from bestrand_drive.cli.app import run
sys.stdout = open("/dev/null", "w") if sys.platform != "win32" else sys.stdout
sys.exit(max(run(command) for command in json.loads(sys.argv[2])))
"""


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "provenance.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def commands(bench, fail, toy_table):
    """Command lines of all benchmarks and selectors, into a folder of their own each."""

    def make(root: Path, seed: int = 0) -> list[list[str]]:
        drives = ("bench2drive", "--routes", bench.routes, *bench.probes(), "--family", "F=Bob,Cid", "--keep", 0.3)
        sources = {
            "bench": drives,
            "bench pool": (*drives, "--selector", "bestrand"),
            "bench random": (*drives, "--selector", "random"),
            "fail": ("fail2drive", "--routes", fail.routes, *fail.probes(), "--keep", 0.5),
            "table": ("scores", "--scores", toy_table.scores, "--n-probes", 4, "--keep", 0.2),
            "groups": ("scores", "--scores", toy_table.scores, "--items", toy_table.items, "--keep", 0.4),
        }
        root.mkdir()
        return [
            ["compress", *map(str, source), "--seed", str(seed), "--out", str(root / name)]
            for name, source in sources.items()
        ]

    return make


@pytest.fixture(scope="module")
def here(bestrand, commands, tmp_path_factory) -> dict[str, bytes]:
    """What this process writes."""
    root = tmp_path_factory.mktemp("here") / "made"
    for command in commands(root):
        assert bestrand(*command).code == 0
    return content(root)


def test_the_same_command_writes_the_same_bytes(bestrand, commands, here, tmp_path):
    assert len(here) == 3 * 3 + 1 + 24 + 2 * 2
    for command in commands(tmp_path / "again"):
        assert bestrand(*command).code == 0
    assert content(tmp_path / "again") == here


def test_another_process_writes_the_same_bytes(commands, here, tmp_path):
    hash_seed, threads = ("4242" if os.environ.get("PYTHONHASHSEED") != "4242" else "1"), 3
    root = str(Path(bestrand_drive.__file__).resolve().parent.parent)
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "OMP_NUM_THREADS": str(threads),
        "PYTHONPATH": root,
        "LC_ALL": "C",
    }
    line = json.dumps(commands(tmp_path / "there"))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(threads), line], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "there") == here


def test_another_seed_gives_other_suites(bestrand, commands, here, tmp_path):
    for command in commands(tmp_path / "other", seed=1):
        assert bestrand(*command).code == 0
    other = content(tmp_path / "other")
    for name in ("bench", "bench pool", "bench random", "fail", "table", "groups"):
        assert json.loads(other[f"{name}/suite.json"])["chosen"] != json.loads(here[f"{name}/suite.json"])["chosen"]


def test_the_order_of_result_files_does_not_matter(bestrand, bench, tmp_path):
    """Shards are named otherwise, so that they are read in another order."""
    written = []
    for name in ("a", "b"):
        folder = tmp_path / "results"
        folder.mkdir()
        for number in (0, 1):
            shard = (bench.results("Ann") / f"shard_{number}.json").read_bytes()
            (folder / f"{number if name == 'a' else 1 - number}.json").write_bytes(shard)
        common = ("--routes", bench.routes, "--probe", f"Ann={folder}", *bench.probes(("Bob", "Cid")), "--k", 12)
        assert bestrand("compress", "bench2drive", *common, "--out", tmp_path / name).code == 0
        written.append(content(tmp_path / name))
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    assert written[0] == written[1]
