"""Run folders: made, met again, refused."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.simulation.attempts.identity import PolicyIdentity
from bestrand_drive.simulation.attempts.run_folder import EvaluatorRef, RoutesRef, RunInfo, driving, read_run
from tests.simulation.attempts.made import tree

INFO = RunInfo(
    benchmark="bench2drive",
    simulator="carla",
    policy=PolicyIdentity(name="mine", sha256="d" * 64),
    evaluator=EvaluatorRef(adapter="bench2drive/1", root="/b2d", commit="7ec25d1"),
    routes=RoutesRef(path="suite", sha256="e" * 64, ids=("1", "2")),
    repeats=1,
    created="2027-01-15T08:00:00+00:00",
)


def drive(folder, info=INFO, **options):
    with driving(folder, info, **options) as layout:
        return layout


def test_a_new_folder_is_made_whole(tmp_path):
    with driving(tmp_path / "run", INFO) as layout:
        assert all(place.is_dir() for place in layout.folders)
        raw = json.loads(layout.run_file.read_text())
    assert (raw["schema"], raw["simulator"], raw["routes"]["ids"]) == ("bestrand-run/1", "carla", ["1", "2"])
    assert read_run(tmp_path / "run") == INFO


def test_the_same_run_is_met_again_and_its_scratch_is_swept(tmp_path):
    layout = drive(tmp_path / "run")
    (layout.work / "slot0").mkdir()
    (layout.work / "slot0" / "half").write_bytes(b"1")
    (layout.work / "x").write_bytes(b"1")
    (layout.logs / "a.log").write_bytes(b"1")
    before = layout.run_file.read_bytes()
    drive(tmp_path / "run", INFO.model_copy(update={"created": "2028-01-15T08:00:00+00:00"}))
    assert layout.run_file.read_bytes() == before
    assert (list(layout.work.iterdir()), list(tree(layout.logs))) == ([], ["a.log"])


def test_routes_and_repeats_add_up(tmp_path):
    drive(tmp_path / "run")
    more = RoutesRef(path="suite44", sha256="f" * 64, ids=("2", "3"))
    drive(tmp_path / "run", INFO.model_copy(update={"routes": more, "repeats": 3}))
    found = read_run(tmp_path / "run")
    assert (found.routes.ids, found.routes.path, found.repeats) == (("1", "2", "3"), "suite44", 3)
    drive(tmp_path / "run")
    assert (read_run(tmp_path / "run").repeats, read_run(tmp_path / "run").routes.ids) == (3, ("1", "2", "3"))


OTHERS = {
    "benchmark": ("fail2drive", "a run of bench2drive, not of fail2drive"),
    "policy": (PolicyIdentity(name="mine", sha256="0" * 64), "agent, configuration or checkpoint is another"),
    "evaluator": (EvaluatorRef(adapter="fail2drive-local/1", root="/f2d", commit="1"), "run with bench2drive/1"),
    "simulator": ("headless", "--pool-builds"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_run_is_refused_and_nothing_changes(tmp_path, name):
    """Above all changed content under the name of the same policy."""
    drive(tmp_path / "run")
    before = tree(tmp_path)
    value, said = OTHERS[name]
    with pytest.raises(UsageError, match=said):
        drive(tmp_path / "run", INFO.model_copy(update={name: value}))
    assert tree(tmp_path) == before


def test_simulators_are_mixed_by_a_flag_only_and_it_is_written_down(tmp_path):
    drive(tmp_path / "run")
    headless = INFO.model_copy(update={"simulator": "headless"})
    drive(tmp_path / "run", headless, pool_builds=True)
    assert read_run(tmp_path / "run").simulator == "mixed"
    with pytest.raises(UsageError, match="simulated in mixed"):
        drive(tmp_path / "run")


def test_another_name_of_the_same_policy_is_the_same_policy(tmp_path):
    drive(tmp_path / "run")
    drive(tmp_path / "run", INFO.model_copy(update={"policy": PolicyIdentity(name="better name", sha256="d" * 64)}))
    assert read_run(tmp_path / "run").policy.name == "mine"


def test_an_adopted_run_takes_on_the_first_evaluator_that_runs(tmp_path):
    adopted = EvaluatorRef(adapter=None, root=None, commit="7ec25d1")
    drive(tmp_path / "run", INFO.model_copy(update={"evaluator": adopted}))
    drive(tmp_path / "run")
    assert read_run(tmp_path / "run").evaluator == INFO.evaluator


def test_places_that_cannot_be_run_folders(tmp_path):
    with pytest.raises(UsageError, match="make it first"):
        drive(tmp_path / "absent" / "run")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="a file of that name"):
        drive(tmp_path / "file")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_bytes(b"")
    with pytest.raises(UsageError, match=r"other files \(thesis\.tex\)"):
        drive(tmp_path / "mine")
    assert list(tree(tmp_path)) == ["file", "mine/thesis.tex"]


def test_attempts_whose_description_is_gone_are_not_claimed(tmp_path):
    layout = drive(tmp_path / "run")
    (layout.attempts / "1.r0.x").mkdir()
    layout.run_file.unlink()
    with pytest.raises(DataRefused, match=r"run\.json is gone"):
        drive(tmp_path / "run")


def test_a_start_that_was_killed_before_it_wrote_anything_is_met_again(tmp_path):
    layout = drive(tmp_path / "run")
    layout.run_file.unlink()
    (layout.root / ".run.json.x.partial").write_bytes(b"{")
    assert drive(tmp_path / "run").run_file.is_file()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b'{"schema": "bestrand-run/1"', "truncated"),
        (b'{"schema": "bestrand-run/1"}', "edited or damaged"),
        (b'{"schema": "bestrand-run/2", "news": 1}', "Upgrade with"),
        (b"{}", "Upgrade with"),
    ],
)
def test_a_damaged_or_later_description_is_refused(tmp_path, content, said):
    """F18."""
    layout = drive(tmp_path / "run")
    layout.run_file.write_bytes(content)
    with pytest.raises(DataRefused, match=said):
        drive(tmp_path / "run")
    assert layout.run_file.read_bytes() == content


def test_a_second_driver_is_refused_before_it_changes_anything(tmp_path):
    """F20: also one that would be welcome, and one that would not, are told who drives."""
    with driving(tmp_path / "run", INFO) as layout:
        (layout.work / "slot0").mkdir()
        (layout.work / "slot0" / "half").write_bytes(b"1")
        before = tree(tmp_path)
        for info in (INFO.model_copy(update={"repeats": 9}), INFO.model_copy(update={"benchmark": "fail2drive"})):
            with pytest.raises(UsageError, match="driven by process"):
                drive(tmp_path / "run", info)
        assert tree(tmp_path) == before
    drive(tmp_path / "run")
