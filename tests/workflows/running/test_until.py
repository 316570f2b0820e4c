"""``run --until``: ends when whole blocks are sure enough, by the rule alone, whatever is quick and whatever happens.

What the rule says is found by brute force: from the results of the first so many blocks and no others.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import pytest

from bestrand_drive import estimate
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.crews import far_slot, mailbox
from bestrand_drive.simulation.engines import dispatch
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.estimating.stopping import order_of
from bestrand_drive.workflows.running import crews, run, worker
from bestrand_drive.workflows.running.run_request import RunRequest
from bestrand_drive.workflows.running.until import goal_of, until_of
from tests.conftest import Builders, call
from tests.faults.conftest import base, make_runs
from tests.simulation.attempts.made import key
from tests.simulation.processes.trees import ROOT
from tests.workflows.running.toy_driving import Drives, ToyWorkplace, crew_of, far_worker
from tests.workflows.toys import LEVELS

__all__ = ["base", "make_runs"]
METRIC = "driving_score"
GOAL = f"{METRIC}="


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(dispatch, "_PAUSE_S", 0.002)


@pytest.fixture(scope="module")
def suite(bench, tmp_path_factory):
    """All 60 routes: six blocks of ten, looks from the third on."""
    out = tmp_path_factory.mktemp("until") / "suite"
    assert call("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 60, "--out", out).code == 0
    return out


@pytest.fixture
def driven(make_runs, suite, monkeypatch):
    """Runs on the suite; ``drives`` says what comes of them."""
    monkeypatch.setattr(run, "check_python", lambda prepared, _: prepared)  # which starts one
    monkeypatch.setattr(os, "fsync", lambda _: None)
    runs = make_runs("bench2drive", "--routes", suite, "--servers", 8)

    def drive(drives, *more, code=0):
        monkeypatch.setattr(crews, "LocalCrew", crew_of(drives))
        drives.began.clear()
        drives.ended.clear()
        return runs.run(*more, code=code)

    runs.drive = drive
    return runs


def records(bench, level=LEVELS["Dan"], repeats=1):
    """Of a policy on all routes."""
    return {
        f"{one['route_id'].split('_')[1]}.{repeat}": one
        for repeat in range(repeats)
        for one in bench.records("Dan", level, run=repeat)
    }


def blocks_of(suite):
    return order_of(read_suite(suite)).blocks


def alone(folder, found, items, without=()):
    """A result folder that holds these items and nothing else."""
    for name, record in found.items():
        route, repeat = name.split(".")
        if route in items and route not in without:
            Builders.write(folder / repeat / f"RouteScenario_{route}.json", [record])
    return folder


def brute(suite, tmp_path, found, interval="policy", without=()):
    """By number of blocks: the estimate from these blocks alone."""
    blocks = blocks_of(suite)
    made = {}
    for count in range(3, 7):
        items = {item for block in blocks[:count] for item in block}
        folder = alone(tmp_path / f"alone{count}", found, items, without)
        made[count] = estimate(suite, folder)[METRIC].estimate
    return made, {count: getattr(line, interval).half_width for count, line in made.items()}


@pytest.fixture(scope="module")
def dan(bench, suite, tmp_path_factory):
    """An ordinary policy: its records, and what the rule makes of so many blocks of them."""
    found = records(bench)
    return found, *brute(suite, tmp_path_factory.mktemp("dan"), found)


def beyond(suite, count):
    """Routes after so many blocks, which would take a minute: who does not stop before them drives them."""
    return {item: 60.0 for block in blocks_of(suite)[count:] for item in block}


def a_goal(widths, count):
    """One that is reached with so many blocks and not before."""
    before = min(width for blocks, width in widths.items() if blocks < count)
    assert widths[count] < before
    return (widths[count] + before) / 2


def same_numbers(until, line, blocks):
    assert (until["verdict"], until["blocks"], until["items"]) == ("stop", blocks, 10 * blocks)
    told = until["metrics"][METRIC]
    assert told["estimate"] == pytest.approx(line.value)
    assert told["policy"] == pytest.approx({"low": line.policy.low, "high": line.policy.high})
    assert told["run"] == pytest.approx({"low": line.run.low, "high": line.run.high})


def judged_whole_blocks_only(said, suite, repeats=1):
    """No line tells of blocks before each of their routes has ended for good, which is said in a line of its own."""
    over = set()
    for line in said.splitlines():
        if ended := re.match(r"route (\d+), repeat (\d+): ", line):
            name = (ended[1], int(ended[2]))
            (over.discard if line.endswith(" follows") else over.add)(name)
        if told := re.match(r"blocks 1-(\d) of ", line):
            items = [item for block in blocks_of(suite)[: int(told[1])] for item in block]
            assert {(item, repeat) for item in items for repeat in range(repeats)} <= over, line
    assert over


def by_estimate(bestrand, suite, runs, *more):
    """What ``estimate --until`` says of the run folder."""
    return bestrand("estimate", suite, "--results", runs.path, *more, "--json").json["until"]


def quick_and_good(bench):
    """A policy that takes long where it fails: on a third of the routes, some in every block."""
    made, seconds = records(bench), {}
    for number, (name, record) in enumerate(sorted(made.items())):
        hits = 1 + number % 4 if number % 3 == 1 else 0
        collisions = ["Agent collided against object with type=vehicle.x and id=7"] * hits
        made[name] = Builders.record(
            record["route_id"], "Completed", 100.0, round(0.6**hits, 6), {"collisions_vehicle": collisions}
        )
        seconds[name] = 0.05 if hits else 0.0
    return made, seconds


def test_quick_good_routes_do_not_stop_a_policy_whose_slow_ones_are_bad(driven, bench, suite, bestrand, tmp_path):
    found, seconds = quick_and_good(bench)
    lines, widths = brute(suite, tmp_path, found, "run")
    goal = a_goal(widths, 5)
    quick = {name.split(".")[0] for name in found if not seconds[name]}
    of_quick = estimate(suite, alone(tmp_path / "quick", found, quick))[METRIC].estimate
    assert of_quick.run.half_width < goal, "whoever counts what has finished would stop on these"
    first = {f"{item}.0" for block in blocks_of(suite)[:5] for item in block}
    slow = {name for name in first if seconds[name]}
    drives = Drives(found, beyond(suite, 5), after={name: sorted(first - slow) for name in slow})
    until = ("--until", f"{METRIC}={goal}", "--until-interval", "run")
    ran = driven.drive(drives, *until, "--json", "--servers", len(slow) + 4)
    said = ran.json
    judged_whole_blocks_only(ran.err, suite)
    same_numbers(said["until"], lines[5], 5)
    told = by_estimate(bestrand, suite, driven, *until)
    assert told == {name: said["until"][name] for name in told}
    number = {item: count for count, block in enumerate(blocks_of(suite)) for item in block}
    began = [number[name.split(".")[0]] for name in drives.began]
    assert began == sorted(began), "a block begins when nothing of those before it waits"
    assert (said["exhausted"], said["run"]) == (0, 0)
    assert (said["done"], said["not_needed"]) == (50, 10)
    assert set(drives.began) - set(drives.ended) <= {f"{item}.0" for item in blocks_of(suite)[5]}


def test_the_same_command_again_says_it_at_once_and_without_until_the_rest_is_run(driven, dan, suite):
    found, lines, widths = dan
    drives, until = Drives(found, beyond(suite, 4)), ("--until", GOAL + repr(a_goal(widths, 4)))
    three = [item for block in blocks_of(suite)[:3] for item in block]
    driven.drive(drives, "--only", ",".join(three))
    first = driven.drive(drives, *until)
    narrowing = next(line for line in first.out.splitlines() if line.startswith("blocks "))
    ends = [f"{one.low:.4g} to {one.high:.4g} (+-{one.half_width:.3g})" for one in (lines[3].policy, lines[3].run)]
    assert narrowing.startswith(
        f"blocks 1-3 of 6: {METRIC} {lines[3].value:.4g}, policy {ends[0]}, this run {ends[1]}, wanted +-"
    )
    assert "; 30 of 60 routes and repeats of the suite; " in narrowing
    assert " h driven, a stop now spares about " in narrowing
    assert "blocks 1-4 of 6: enough: driving_score" in first.out
    last = first.out.splitlines()[-4:]
    value, half = lines[4].value, widths[4]
    assert "reached with the first 40 of 60 items of the order (blocks 1-4): " in last[0]
    assert last[0].endswith(f"{METRIC} {value:.4g} +-{half:.3g}")
    assert "h driven, spared about" in last[1]
    assert "without --until the same command runs them" in last[2]
    assert call(*last[3].split("alone: bestrand ")[1].split()).out.splitlines()[-1] == last[0]
    stored = driven.attempts()
    assert len(stored) == 40
    again = driven.drive(drives, *until)
    assert drives.began == []
    assert again.out.splitlines()[-4] == last[0]
    assert driven.attempts() == stored
    shown = driven.run("--explain", *until, "--json").json
    assert (shown["run"], shown["not_needed"]) == (0, 20)
    assert driven.run("--dry-run", *until, "--json").json["commands"] == []
    rest = driven.drive(Drives(found), "--json").json
    assert (rest["done"], rest["until"], len(driven.attempts())) == (60, None, 60)
    assert Counter(one.key.route_id for one in driven.attempts()).most_common(1)[0][1] == 1


def test_what_is_given_up_holds_no_block_up_and_is_told(driven, bench, suite, bestrand, tmp_path):
    """One route crashes every simulator, one hangs the policy; a crash that does not last is tried again first."""
    blocks = blocks_of(suite)
    crashes, hangs, late = blocks[0][3], blocks[2][1], blocks[1][0]
    found = records(bench)
    lines, widths = brute(suite, tmp_path, found, without={crashes, hangs})
    drives = Drives(found, fails={crashes: "9", hangs: "hung", late: "1"})
    until = ("--until", GOAL + repr(a_goal(widths, 4)))
    ran = driven.drive(drives, *until, "--max-attempts", 2, "--json", code=6)
    same_numbers(ran.json["until"], lines[4], 4)
    judged_whole_blocks_only(ran.err, suite)
    assert ran.json["until"]["measured"] == 38
    assert {one["route"]: one["action"] for one in ran.json["cells"] if one["action"] == "exhausted"} == {
        crashes: "exhausted", hangs: "exhausted"}  # fmt: skip
    told = by_estimate(bestrand, suite, driven, *until)
    assert told == {name: ran.json["until"][name] for name in told}
    assert driven.endings(int(late)) == ["simulation_crash", next(iter(driven.endings(int(late))[1:]))]
    assert driven.drive(drives, *until, "--max-attempts", 2, code=6).out.count("missing: ") == 2
    assert drives.began == []


def test_what_is_given_up_beyond_the_blocks_that_are_enough_costs_no_exit_code(driven, dan, suite):
    """They end before the last route of the fourth block does."""
    found, _, widths = dan
    blocks = blocks_of(suite)
    two = list(blocks[4][:2])
    last = {f"{blocks[3][0]}.0": [f"{item}.0" for item in two]}
    drives = Drives(found, beyond(suite, 5), dict.fromkeys(two, "hung"), last)
    ran = driven.drive(drives, "--until", GOAL + repr(a_goal(widths, 4)))
    assert ran.out.count("; beyond the blocks that were enough") == 2
    assert "blocks 1-4" in ran.out


def test_a_goal_out_of_reach_runs_everything(driven, dan):
    drives = Drives(dan[0])
    ran = driven.drive(drives, "--until", f"{GOAL}0.01")
    assert len(drives.began) == 60
    assert "not reached with all 60 items" in ran.out
    assert "enough" not in ran.out


def test_every_route_of_a_block_can_be_given_up(driven, dan, bench, suite):
    """Then nothing is measured, and there is no look."""
    drives = Drives(dan[0], fails={item: "hung" for block in blocks_of(suite)[:3] for item in block})
    said = driven.drive(drives, "--until", f"{GOAL}0.01", "--json", code=6).json
    assert (said["until"]["verdict"], said["until"]["measured"], said["exhausted"]) == ("exhausted", 30, 30)
    other = Drives({}, fails=dict.fromkeys(bench.ids, "hung"))
    driven.out = "other"
    said = driven.drive(other, "--until", f"{GOAL}0.01", "--json", code=6).json
    assert (said["until"]["verdict"], said["until"]["items"], said["exhausted"]) == ("exhausted", 60, 60)
    assert (said["until"]["measured"], said["until"]["metrics"][METRIC]["estimate"]) == (0, None)


def test_a_block_is_whole_when_all_repeats_are_there(driven, bench, suite, bestrand, tmp_path):
    """Repeat 1 of a route of the first block is the last to end of three blocks: nothing is judged before it."""
    found = records(bench, repeats=2)
    lines, widths = brute(suite, tmp_path, found)
    blocks = blocks_of(suite)
    late = f"{blocks[0][0]}.1"
    until = ("--until", GOAL + repr(a_goal(widths, 4)), "--repeats", 2)
    others = [f"{item}.{repeat}" for block in blocks[:3] for item in block for repeat in range(2)]
    drives = Drives(found, beyond(suite, 4), after={late: [name for name in others if name != late]})
    ran = driven.drive(drives, *until, "--json")
    same_numbers(ran.json["until"], lines[4], 4)
    assert ran.json["until"]["metrics"][METRIC]["policy"] is not None
    told = by_estimate(bestrand, suite, driven, *until[:2])
    assert told == {name: ran.json["until"][name] for name in told}
    judged_whole_blocks_only(ran.err, suite, repeats=2)
    said = ran.err.splitlines()
    first = next(number for number, line in enumerate(said) if line.startswith("blocks "))
    assert said[first].startswith(("blocks 1-3 of 6: driving_score", "blocks 1-4 of 6: enough"))
    assert any(line.startswith(f"route {blocks[0][0]}, repeat 1: ") for line in said[:first])
    assert "give --repeats 2" in driven.run(*until[:2], code=2).err


def test_a_driver_that_is_killed_in_a_block_changes_nothing(driven, bench, suite, tmp_path):
    """The undisturbed run and the one that was killed end with the same numbers, each route driven once."""
    found, _ = quick_and_good(bench)
    lines, widths = brute(suite, tmp_path, found)
    until = ("--until", GOAL + repr(a_goal(widths, 4)))
    blocks = blocks_of(suite)
    slow = dict.fromkeys((blocks[1][2], blocks[1][7]), 600.0)
    told = Drives(found, slow).write(tmp_path / "drives.json")
    words = [sys.executable, "-m", "tests.workflows.running.toy_driving", str(told), *driven.arguments(*until)]
    log = tmp_path / "log"
    with log.open("w") as stream, subprocess.Popen(words, cwd=ROOT, stdout=stream, stderr=stream) as process:
        try:
            end_s = time.monotonic() + 120
            while len(list(driven.path.glob("attempts/*/1.json"))) < 58 and time.monotonic() < end_s:
                assert process.poll() is None, log.read_text()
                time.sleep(0.02)
        finally:
            os.kill(process.pid, signal.SIGKILL)
    assert len(driven.attempts()) == 58, "all but the two slow ones of the second block"
    drives = Drives(found)
    said = driven.drive(drives, *until, "--json").json
    same_numbers(said["until"], lines[4], 4)
    assert sorted(drives.began) == sorted(f"{item}.0" for item in slow)
    assert [one.number for one in driven.attempts()] == [1] * 60


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--until", "driving_score"), "NAME=VALUE"),
        (("--until", "driving_score=x"), "NUMBER"),
        (("--until", "driving_score=-1"), "above 0"),
        (("--until", "speed=3"), "known are driving_score"),
        (("--until", "driving_score=3", "--level", 2), "--level 2"),
        (("--until", "driving_score=3", "--only", "2000"), "leave out --only"),
        (("--until", "driving_score=3", "--repeat", 0), "leave out --only and --repeat"),
        (("--level", 0.9), "which is not given"),
        (("--until-interval", "run"), "which is not given"),
    ],
)
def test_mistakes_are_told_before_anything_is_driven(driven, options, word):
    ran = driven.run(*options, code=2)
    assert word in ran.err
    assert not driven.path.exists()


def test_a_suite_and_what_is_run_of_it_must_be_one(bench_suite, tmp_path):
    """Else a block would never be whole, or another benchmark's order would judge."""
    request = RunRequest("fail2drive", None, bench_suite, "a.py", tmp_path / "run", until={METRIC: 3.0})
    with pytest.raises(UsageError, match="is a suite of bench2drive, not of fail2drive"):
        goal_of(request)
    request = replace(request, benchmark="bench2drive")
    keys = [key(route) for route in read_suite(bench_suite).chosen]
    assert set(until_of(request, keys).block_of) == {one.cell for one in keys}
    with pytest.raises(UsageError, match=f"lacks route {keys[0].route_id} of its own suite"):
        until_of(request, keys[1:])
    with pytest.raises(UsageError, match=r"route 9 of .* is none of its suite\.json"):
        until_of(request, [*keys, key(9)])


def test_only_a_suite_has_an_order(driven, bench):
    ran = driven.run("--routes", bench.routes, "--until", f"{GOAL}3", code=2)
    assert "is no suite folder" in ran.err
    assert not driven.path.exists()


def test_without_known_noise_it_is_refused_before_anything_is_driven(driven, bench, suite, tmp_path):
    """But not where repeats will tell it, and not for the interval of this run."""
    known = read_suite(suite)
    metrics = [metric.model_copy(update={"noise": None}) for metric in known.metrics]
    other = tmp_path / "other"
    other.mkdir()
    (other / "routes.xml").write_bytes((suite / "routes.xml").read_bytes())
    (other / "suite.json").write_bytes(known.model_copy(update={"metrics": metrics}).sealed().to_json())
    common = ("--routes", other, "--until", f"{GOAL}30")
    for name in ("driving_score", "ability_merging"):
        ran = driven.run(*common[:2], "--until", f"{name}=30", code=2)
        assert "run noise is not known" in ran.err
        assert "--until-interval run" in ran.err
    assert not driven.path.exists()
    assert "run noise is not known" in call("doctor", *driven.arguments(*common)[1:]).err
    drives = Drives(records(bench, repeats=2))
    said = driven.drive(drives, *common, "--repeats", 2, "--json").json["until"]
    assert (said["verdict"], said["items"]) == ("stop", 30)
    driven.out = "other_run"
    assert driven.drive(drives, *common, "--until-interval", "run", "--json").json["until"]["verdict"] == "stop"


def test_the_blocks_are_shown(driven, suite, bench):
    until = ("--until", f"{GOAL}5")
    blocks = blocks_of(suite)
    number = {item: str(count) for count, block in enumerate(blocks, 1) for item in block}
    said = driven.run("--explain", *until).out.splitlines()
    rows = [line.split() for line in said[1:61]]
    assert [row[2] for row in rows] == [number[row[0]] for row in rows] == sorted(number.values())
    lines = driven.run("--dry-run", *until, "--servers", 1).out
    shown = [line for line in lines.splitlines() if line.startswith("# route ")]
    assert [line.split(", block ")[1].split()[0].rstrip(";") for line in shown] == sorted(number.values())


def test_a_terminal_keeps_it_below_the_table(driven, dan, suite, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "300")
    found, _, widths = dan
    ran = driven.drive(Drives(found, beyond(suite, 4)), "--until", GOAL + repr(a_goal(widths, 4)))
    assert ran.out.count("blocks 1-4 of 6: enough: driving_score") >= 1
    assert "40 of 60 routes and repeats of the suite" in ran.out


@pytest.mark.parametrize("killed", [False, True])
def test_workers_elsewhere_change_nothing(driven, bench, suite, tmp_path, monkeypatch, killed):
    """Far attempts are ended in peace when it is enough. What a worker that dies had is driven again before a block is
    judged; meanwhile others begin the next block."""  # fmt: skip
    found = records(bench)
    lines, widths = brute(suite, tmp_path, found, "run")
    drives = Drives(found, dict.fromkeys(beyond(suite, 4), 0.5 if killed else 60.0))
    for module, name, value in (
        (mailbox, "BEAT_S", 0.01), (mailbox, "LOOK_S", 0.01), (mailbox, "SILENT_S", 0.5 if killed else 20.0),
        (far_slot, "_LOOK_S", 0.01), (worker, "check_python", lambda prepared, _: prepared),
        (worker, "Workplace", lambda *given: ToyWorkplace(drives, given[3], dies=killed and given[3] == 2)),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    until = ("--until", GOAL + repr(a_goal(widths, 4)), "--until-interval", "run")
    with far_worker(driven.path, tmp_path, 3), far_worker(driven.path, tmp_path, 2):
        ran = driven.run("--engine", "workers", *until, "--json")
    same_numbers(ran.json["until"], lines[4], 4)
    judged_whole_blocks_only(ran.err, suite)
    assert {one.reason for one in driven.attempts() if not one.counts} == ({Reason.WORKER_LOST} if killed else set())
    counted = Counter(one.key.route_id for one in driven.attempts() if one.counts)
    assert set(counted.values()) == {1}
    assert {item for block in blocks_of(suite)[:4] for item in block} <= counted.keys()
    assert killed or len(counted) == 40


def test_both_routes_of_a_pair_and_all_repeats_are_in_one_block(make_runs, fail_suite):
    runs = make_runs("fail2drive", "--routes", fail_suite, "--repeats", 2)
    known = read_suite(fail_suite)
    cells = runs.run("--explain", "--until", "base_driving_score=9", "--json").json["cells"]
    members = {item.id: item.members for item in known.items}
    for number, block in enumerate(order_of(known).blocks, 1):
        routes = {int(member.rsplit("_", 1)[1]) for item in block for member in members[item]}
        assert {(int(one["route"]), one["repeat"]) for one in cells if one["block"] == number} == {
            (route, repeat) for route in routes for repeat in range(2)
        }
    assert len(cells) == 2 * 2 * known.k


def test_evaluators_that_run_are_ended_in_peace_when_it_is_enough(driven, dan, suite, bestrand, monkeypatch):
    """Real processes: the last route of the fourth block is driven while two of the fifth are; 39 are there."""
    found, _, widths = dan
    blocks = blocks_of(suite)
    *there, last = [item for block in blocks[:4] for item in block]
    driven.drive(Drives(found), "--only", ",".join(there))
    monkeypatch.undo()
    driven.monkeypatch.setenv("XDG_RUNTIME_DIR", str(driven.folder / "runtime"))
    driven.order(f"{last}:ok,slow=300")
    until = ("--until", GOAL + repr(a_goal(widths, 4)))
    ran = driven.run(*until, "--servers", 3)
    assert {one.key.route_id for one in driven.attempts()} == {*there, last}
    assert driven.left() == []
    assert "stopped before it had a result, which leaves nothing" in ran.out
    assert "blocks 1-4 of 6: enough" in ran.out
    told = bestrand("estimate", suite, "--results", driven.path, *until).out.splitlines()[-1]
    assert told in ran.out.splitlines()
