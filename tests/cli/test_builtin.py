"""``run``, ``doctor`` and ``demo`` with what the package brings: routes, towns, probes, evaluator, headless server."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from bestrand_drive.benchmarks import builtin_routes
from bestrand_drive.benchmarks.routes import subset_xml
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.suite import read_suite
from tests.conftest import call
from tests.simulation.servers.conftest import base

__all__ = ["base"]

NEEDS = pytest.mark.skipif(importlib.util.find_spec("carla") is None, reason="needs carla")


@pytest.fixture(autouse=True)
def _own_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--root", "/tmp"), "needs no checkout"),
        (("--part", "none"), "no such part"),
        (("--routes", "absent.xml"), "absent.xml: cannot be read"),
        (("--carla-root", "/tmp"), "holds no CarlaUE4.sh"),
        (("--towns", "absent"), "--towns absent: no *.xodr file there"),
    ],
)
def test_a_wrong_option_is_said_and_nothing_is_written(tmp_path, more, said):
    ran = call("run", "builtin", "--agent", "probe:expert", "--out", tmp_path / "run", *more)
    assert ran.code in (2, 4)
    assert said in ran.err
    assert not (tmp_path / "run").exists()


def test_others_need_root_and_routes(tmp_path):
    assert "--routes is needed" in call("run", "bench2drive", "--agent", "a.py", "--out", tmp_path / "run").err
    given = ("run", "bench2drive", "--agent", "a.py", "--routes", "r.xml", "--out", tmp_path / "run")
    assert "--root is needed" in call(*given).err


@NEEDS
def test_a_dry_run_names_the_module_and_an_endless_server(tmp_path):
    given = ("run", "builtin", "--agent", "probe:expert", "--part", "demo", "--out", tmp_path / "run")
    ran = call(*given, "--dry-run", "--json")
    assert ran.json["simulator"] == "headless"
    assert ran.json["wanted"] == 40
    commands = ran.json["commands"]
    assert sum(" -m bestrand_drive.evaluator --" in line for line in commands) == 40
    assert sum(" -m bestrand_drive.headless --" in line for line in commands) == 1, "one server serves all"


@pytest.fixture
def atlantis(tmp_path: Path) -> tuple[object, ...]:
    """Options: the first shipped route in a town that is not shipped, and that town."""
    towns = tmp_path / "mine"
    towns.mkdir()
    shutil.copy(builtin_routes.towns_path() / "BestrandCity.xodr", towns / "Atlantis.xodr")
    file = builtin_routes.read_routes(builtin_routes.routes_path())
    one = subset_xml(file, [file.routes[0].id]).replace(b"BestrandCity", b"Atlantis")
    (tmp_path / "routes.xml").write_bytes(one)
    return ("--routes", tmp_path / "routes.xml", "--agent", "probe:expert", "--towns", towns)


@NEEDS
def test_own_towns_are_served_beside_the_shipped_ones_and_the_doctor_knows_them(tmp_path, atlantis):
    ran = call("run", "builtin", *atlantis, "--out", tmp_path / "run", "--dry-run", "--json")
    (server,) = (line for line in ran.json["commands"] if " -m bestrand_drive.headless --" in line)
    assert f"--maps={builtin_routes.towns_path()} --maps={tmp_path / 'mine'} --map=Atlantis" in server
    said = {name: call("doctor", "builtin", *given, "--json").json["checks"]
            for name, given in (("with", atlantis), ("without", atlantis[:-2]))}  # fmt: skip
    towns = {name: [one for one in checks if one["check"] == "towns"] for name, checks in said.items()}
    assert [(one["level"], one["said"]) for one in towns["with"]] == [("ok", "Atlantis")]
    assert [(one["level"], "--towns" in one["advice"]) for one in towns["without"]] == [("fail", True)]


@NEEDS
@pytest.mark.client
def test_a_route_in_an_own_town_is_driven(tmp_path, base, atlantis):
    ran = call("run", "builtin", *atlantis, "--port-base", base, "--out", tmp_path / "run")
    assert ran.code == 0, ran.out + ran.err
    (attempt,) = AttemptStore(Layout(tmp_path / "run"), repair=False).attempts
    assert (attempt.key.town, attempt.counts) == ("Atlantis", True)


def test_own_towns_are_for_our_evaluator_only(tmp_path, bench):
    given = ("--root", tmp_path, "--agent", "a.py", "--routes", bench.routes, "--out", tmp_path / "run")
    assert "only the built-in evaluator takes towns" in call("run", "bench2drive", *given, "--towns", tmp_path).err


@NEEDS
@pytest.mark.client
def test_a_run_needs_an_agent_and_no_more(tmp_path, base):
    """Two routes on one server; the same command again runs nothing, and the results can be compressed."""
    out = tmp_path / "run"
    given = ("run", "builtin", "--agent", "probe:expert", "--part", "demo", "--only", "1,2", "--port-base", base,
             "--out", out)  # fmt: skip
    ran = call(*given)
    assert ran.code == 0, ran.out + ran.err
    attempts = AttemptStore(Layout(out), repair=False).attempts
    assert [(one.key.route_id, one.counts, one.key.simulator) for one in attempts] == [
        ("1", True, "headless"),
        ("2", True, "headless"),
    ]
    assert attempts[0].ports == attempts[1].ports, "one server serves both"
    assert call(*given).code == 0
    assert len(AttemptStore(Layout(out), repair=False).attempts) == 2
    compress = ("compress", "builtin", "--part", "demo", "--probe", f"expert={out}", "--k", 1)
    chosen = call(*compress, "--no-ability-guard", "--out", tmp_path / "suite")
    assert chosen.code == 0, chosen.err
    assert read_suite(tmp_path / "suite").chosen[0] in ("1", "2")


@NEEDS
@pytest.mark.client
def test_the_doctor_finds_nothing_that_would_fail(tmp_path):
    ran = call("doctor", "builtin", "--agent", "probe:expert", "--out", tmp_path / "run", "--json")
    failed = [check for check in json.loads(ran.out)["checks"] if check["level"] == "fail"]
    assert (ran.code, failed) == (0, [])


@NEEDS
@pytest.mark.client
def test_the_demo_ends_with_estimate_and_truth(tmp_path, base, monkeypatch):
    """On five of its routes; the second start finds everything done and says the same numbers."""
    few = builtin_routes.part_ids("demo")[:5]
    monkeypatch.setattr(builtin_routes, "part_ids", lambda part: few)
    given = ("demo", "--out", tmp_path / "demo", "--servers", 2, "--port-base", base)
    first, again = call(*given), call(*given)
    assert first.code == 0, first.out + first.err
    assert "suite: 2 of 5 routes" in first.out
    assert "spared" in first.out

    def table(out: str) -> list[str]:
        return out[out.index("suite: 2 of 5") :].splitlines()

    assert table(again.out) == table(first.out)
    assert set(read_suite(tmp_path / "demo/suite").chosen) < set(few)
