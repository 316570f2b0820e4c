"""``run``, ``doctor`` and ``demo`` with what the package brings: routes, towns, probes, evaluator, headless server."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bestrand_drive.benchmarks import builtin_routes
from bestrand_drive.benchmarks.routes import subset_xml
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.run_folder import driving
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.examine import examine
from bestrand_drive.simulation.doctor.finding import Level
from bestrand_drive.simulation.engines.dispatch import Engine
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.running.preparing import prepare
from bestrand_drive.workflows.running.run_request import RunRequest
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
    ("more", "code", "said"),
    [
        (("--root", "/tmp"), 2, "needs no checkout"),
        (("--part", "none"), 2, "no such part"),
        (("--routes", "absent.xml"), 4, "absent.xml: cannot be read"),
        (("--carla-root", "/tmp"), 2, "holds no CarlaUE4.sh"),
        (("--towns", "absent"), 2, "--towns absent: no *.xodr file there"),
    ],
)
def test_a_wrong_option_is_said_and_nothing_is_written(tmp_path, more, code, said):
    ran = call("run", "builtin", "--agent", "probe:expert", "--out", tmp_path / "run", *more)
    assert ran.code == code, ran.err
    assert said in ran.err
    assert not (tmp_path / "run").exists()


def routes_with(folder: Path, kind: str = "DynamicObjectCrossing", town: str = "BestrandCity", x: float = 36.0) -> Path:
    """A copy of the first two shipped routes, the first one's scenario, town and trigger as given."""
    file = builtin_routes.read_routes(builtin_routes.routes_path())
    first, second = (file.content[one.start : one.end].decode() for one in file.routes[:2])
    for name, value in (("type", kind), ("town", town)):
        first = re.sub(rf'(?<= {name}=")[^"]*', value, first, count=1)
    first = re.sub(r'(?<=<trigger_point x=")[^"]*', str(x), first, count=1)
    (folder / "routes.xml").write_text(f"<routes>{first}{second}</routes>")
    return folder / "routes.xml"


@NEEDS
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kind": "FlyingSaucer"}, "no scenario of type 'FlyingSaucer' (route 1). Leave"),
        ({"town": "Atlantis"}, "there is no town 'Atlantis' (route 1): "),
        ({"town": "../towns/BestrandCity"}, "there is no town '../towns/BestrandCity' (route 1): "),
    ],
)
def test_what_the_evaluator_cannot_drive_is_refused_before(tmp_path, changed, said):
    given = ("run", "builtin", "--agent", "probe:expert", "--routes", routes_with(tmp_path, **changed), "--out",
             tmp_path / "run")  # fmt: skip
    for more in ((), ("--dry-run",)):
        ran = call(*given, *more)
        assert (ran.code, said in ran.err) == (4, True), ran.err
    assert not (tmp_path / "run").exists()
    assert call(*given, "--only", "2", "--dry-run").code == 0, "the other route can be driven"


@NEEDS
@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("import carla\n", "get_entry_point"),
        ("def get_entry_point(): return 'Wrong'\n", "Wrong"),
        ("import a_model_that_is_absent\n", "a_model_that_is_absent"),
    ],
    ids=["no entry point", "no class", "no import"],
)
def test_an_agent_that_cannot_be_imported_is_said_once_and_can_be_mended(tmp_path, monkeypatch, agent, said):
    """Nothing is left: a run folder would be of this agent, and refuse the mended one."""
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("an attempt is made"))
    (tmp_path / "mine.py").write_text(agent)
    ran = call("run", "builtin", "--agent", tmp_path / "mine.py", "--part", "demo", "--out", tmp_path / "run")
    assert (ran.code, said in ran.err) == (7, True), ran.err
    assert f"--agent {tmp_path / 'mine.py'}: no route can be driven with it" in ran.err
    assert not (tmp_path / "run").exists()


@NEEDS
@pytest.mark.client
def test_a_scenario_that_did_not_take_place_is_said_and_counted(tmp_path, base):
    """Its trigger lies off the route; the result counts, and who reads the run is told, a later start too."""
    given = ("run", "builtin", "--agent", "probe:expert", "--routes", routes_with(tmp_path, x=-4000.0), "--out",
             tmp_path / "run", "--port-base", base)  # fmt: skip
    first, again = call(*given), call(*given, "--json")
    assert first.code == 0, first.out + first.err
    said = "note: 1 scenario did not take place, on 1 of the routes and repeats"
    assert said in first.out
    assert "  route 1, repeat 0: DynamicObjectCrossing_1: its trigger does not lie on the route" in first.out
    assert again.json["skipped_scenarios"] == 1
    assert [len(cell["skipped_scenarios"]) for cell in again.json["cells"]] == [1, 0]
    assert said in again.err


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
def test_the_doctor_looks_at_the_part_and_at_the_simulator_that_the_run_has(tmp_path):
    request = RunRequest("builtin", None, builtin_routes.routes_path(), "probe:expert", tmp_path / "run", part="demo")
    with driving(request.out, prepare(request).info):
        pass
    case = Case(benchmark="builtin", routes=request.routes, agent=request.agent, out=request.out, part="demo")
    said = {one.check: one for one in examine(case, ("towns", "same run"))}
    assert said["routes"].said.startswith("40 routes")
    assert (said["towns"].level, said["same run"].level) == (Level.OK, Level.OK), said
    *_, more = examine(replace(case, server_extra=("--maps", "mine")), ("towns",))
    assert (more.check, more.level) == ("towns", Level.SKIPPED), "a run leaves them to the server, too"
    (other,) = examine(replace(case, part="none"), ("towns",))
    assert (other.level, "no such part" in other.said) == (Level.FAIL, True)


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
