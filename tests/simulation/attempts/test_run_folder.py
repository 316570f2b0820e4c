"""Run folders: made, met again, refused."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path

import pytest

from bestrand_drive.errors import DataRefused, EnvironmentFault, UsageError
from bestrand_drive.simulation.attempts.identity import PolicyIdentity
from bestrand_drive.simulation.attempts.plan import Action, plan
from bestrand_drive.simulation.attempts.run_folder import EvaluatorRef, RoutesRef, RunInfo, driving, read_run
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts import made
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
    with driving(folder, info, **options) as (layout, _):
        return layout


def test_a_new_folder_is_made_whole(tmp_path):
    with driving(tmp_path / "run", INFO) as (layout, _):
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


def test_the_number_of_a_killed_drivers_servers_is_not_the_next_ones(tmp_path):
    """The next one may have no servers of its own, and would be asked for some in vain."""
    layout = drive(tmp_path / "run")
    layout.servers.write_text('{"servers": 2, "most": 4}')
    with driving(layout.root, INFO):
        assert not layout.servers.exists()


def test_what_a_killed_driver_had_half_written_is_swept(tmp_path):
    layout = drive(tmp_path / "run")
    for name in (".request.json.a1.partial", ".run.json.b2.partial", ".nfs0001", ".mine.partial"):
        (layout.root / name).write_bytes(b"{")
    drive(layout.root)
    assert {path.name for path in layout.root.glob(".*")} == {".nfs0001", ".mine.partial"}


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


def attempted(folder, *attempts):
    """Drive, and store attempts of Bench2Drive by the folder's policy."""
    with driving(folder, INFO) as (layout, _):
        store = AttemptStore(layout, repair=True)
        for attempt in attempts:
            store.put(attempt, made.result() if attempt.counts else None)
    return layout


OF_MINE = made.key(policy=INFO.policy.digest)
MENDED = PolicyIdentity(name="mine", sha256="0" * 64)


@pytest.mark.parametrize("name", OTHERS)
def test_another_run_is_refused_and_nothing_changes(tmp_path, name):
    """Above all changed content under the name of the same policy."""
    attempted(tmp_path / "run", made.failed(1, OF_MINE), made.scored(2, OF_MINE))
    before = tree(tmp_path)
    value, said = OTHERS[name]
    with pytest.raises(UsageError, match=said):
        drive(tmp_path / "run", INFO.model_copy(update={name: value}))
    assert tree(tmp_path) == before


def test_a_policy_without_a_result_may_be_mended(tmp_path):
    """F3: an agent that cannot be imported is mended where it is; what was attempted keeps its identity."""
    layout = attempted(tmp_path / "run", made.failed(1, OF_MINE))
    before = tree(layout.attempts)
    drive(tmp_path / "run", INFO.model_copy(update={"policy": MENDED}))
    assert read_run(tmp_path / "run") == INFO.model_copy(update={"policy": MENDED})
    assert tree(layout.attempts) == before
    (cell,) = plan([made.key(policy=MENDED.digest)], AttemptStore(layout, repair=False).attempts, max_attempts=1)
    assert (cell.action, cell.number) == (Action.RUN, 2)
    assert "the policy was sha256:" in cell.why


def test_another_name_with_other_content_is_another_policy_even_without_a_result(tmp_path):
    attempted(tmp_path / "run", made.failed(1, OF_MINE))
    other = PolicyIdentity(name="yours", sha256="0" * 64)
    with pytest.raises(UsageError, match="a run of policy mine"):
        drive(tmp_path / "run", INFO.model_copy(update={"policy": other}))


def test_a_damaged_record_may_have_been_a_result(tmp_path):
    """F9: nobody knows any more, so the policy may not change."""
    layout = attempted(tmp_path / "run", made.scored(1, OF_MINE))
    next(layout.attempts.glob("*/1.json")).write_text("{")
    with pytest.raises(UsageError, match="choose another --out"):
        drive(tmp_path / "run", INFO.model_copy(update={"policy": MENDED}))


def for_everybody() -> str:
    """A folder for temporary files that any user can reach: the superuser's own may lie behind a closed door."""
    for place in map(Path, (tempfile.gettempdir(), "/tmp", "/var/tmp")):
        if place.is_dir() and all(folder.stat().st_mode & 0o001 for folder in (place, *place.resolve().parents)):
            return str(place)
    raise AssertionError("no folder for temporary files can be reached by every user")


@pytest.fixture
def unprivileged():
    """A folder of the superuser's, or this user's own without the right to write, seen by a user without rights."""
    with tempfile.TemporaryDirectory(dir=for_everybody() if os.geteuid() == 0 else None) as place:
        folder = Path(place) / "run"
        drive(folder)
        os.chmod(place, 0o755)
        os.chmod(folder, 0o555)
        os.chmod(folder / "driver.lock", 0o444)
        superuser = os.geteuid() == 0
        if superuser:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if superuser:
                os.seteuid(0)
            os.chmod(folder, 0o755)


def test_a_folder_that_may_not_be_written_is_named_and_not_some_file_in_it(unprivileged):
    """F10."""
    with pytest.raises(EnvironmentFault, match=rf"--out {unprivileged}: cannot be written \(Permission denied\)"):
        drive(unprivileged)
    assert read_run(unprivileged) == INFO


def test_a_read_only_file_system_is_said_like_that(tmp_path, monkeypatch):
    """F10: a mount that was made read-only under a run."""
    drive(tmp_path / "run")

    def read_only(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "driver.lock")

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(EnvironmentFault, match=r"cannot be written \(Read-only file system\)"):
        drive(tmp_path / "run")


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
        drive(tmp_path / "absent" / "deeper" / "run")
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
        (b"{}", "Take run.json back from a copy, or use another --out"),
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
    with driving(tmp_path / "run", INFO) as (layout, _):
        (layout.work / "slot0").mkdir()
        (layout.work / "slot0" / "half").write_bytes(b"1")
        before = tree(tmp_path)
        for info in (INFO.model_copy(update={"repeats": 9}), INFO.model_copy(update={"benchmark": "fail2drive"})):
            with pytest.raises(UsageError, match="driven by process"):
                drive(tmp_path / "run", info)
        assert tree(tmp_path) == before
    drive(tmp_path / "run")
