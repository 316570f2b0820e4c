"""Slurm's commands as they are called, with stand-ins for them; what is submitted, and what is refused before."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.crews import job_crew, slurm
from bestrand_drive.simulation.crews.mailbox import put
from bestrand_drive.simulation.crews.slurm import SlurmJobs, Submitted, cancel_earlier, check_slurm, submit
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.workflows.running import slurm_job
from bestrand_drive.workflows.running.slurm_job import SlurmWorker, granted_gpus
from tests.conftest import call

ARRAY = Submitted(id="12", name="bestrand-ab")


class Programs:
    """Slurm's programs: each notes how it was called, and says what it is told to."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        for name in ("sbatch", "squeue", "scancel", "srun"):
            self.says(name, "")

    def says(self, name: str, text: str, code: int = 0) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\necho \"$@\" >> {self.folder}/{name}.calls\nprintf '{text}'\nexit {code}\n")
        path.chmod(0o755)

    def calls(self, name: str) -> list[str]:
        path = self.folder / f"{name}.calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def programs(tmp_path, monkeypatch):
    return Programs(tmp_path, monkeypatch)


def jobs(tmp_path: Path, *, hurry: bool = False) -> SlurmJobs:
    put(tmp_path / "jobs.json", ARRAY)
    return SlurmJobs(ARRAY, tmp_path / "jobs.json", tmp_path, lambda: hurry)


def test_they_are_awaited_as_long_as_one_is_known(programs, tmp_path):
    programs.says("squeue", "PENDING\\nRUNNING\\n")
    assert jobs(tmp_path).coming()
    programs.says("squeue", "")
    assert not jobs(tmp_path).coming()
    assert programs.calls("squeue") == ["--noheader --array --format=%T --jobs=12"] * 2


def test_a_controller_that_is_away_tells_nothing(programs, tmp_path):
    programs.says("squeue", "", code=1)
    assert jobs(tmp_path).coming()


def test_slurm_is_not_asked_at_every_step(programs, tmp_path):
    asked = jobs(tmp_path)
    assert not any(asked.coming() for _ in range(5))
    assert len(programs.calls("squeue")) == 1


def test_at_the_end_who_waits_is_cancelled_and_who_works_may_leave(programs, tmp_path):
    """By the id together with the name, since ids are used again one day."""
    jobs(tmp_path).end()
    assert programs.calls("scancel") == ["--quiet --name=bestrand-ab --state=PENDING 12"]
    assert not (tmp_path / "jobs.json").exists()


@pytest.mark.parametrize("hurry", [True, False])
def test_who_does_not_leave_is_cancelled_at_last_or_at_a_second_signal_at_once(programs, tmp_path, monkeypatch, hurry):
    monkeypatch.setattr(slurm, "LEAVE_S", 0.05)
    programs.says("squeue", "RUNNING\\n")
    jobs(tmp_path, hurry=hurry).end()
    assert programs.calls("scancel")[-1] == "--quiet --name=bestrand-ab 12"


def test_what_a_killed_driver_left_in_the_queue_is_cancelled(programs, tmp_path):
    assert cancel_earlier(tmp_path / "jobs.json") is None
    jobs(tmp_path)
    assert cancel_earlier(tmp_path / "jobs.json") == "12"
    assert programs.calls("scancel") == ["--quiet --name=bestrand-ab 12"]


def test_a_note_that_is_no_job_cancels_nothing(programs, tmp_path):
    (tmp_path / "jobs.json").write_text('{"id": "--user=root", "name": "x"}')
    assert cancel_earlier(tmp_path / "jobs.json") is None
    assert programs.calls("scancel") == []


def test_what_is_submitted(programs, tmp_path, monkeypatch):
    """An array of plain words; the user's options stand as given, and Slurm's of this job are not inherited."""
    pytest.importorskip("submitit")
    monkeypatch.setenv("SLURM_CONF", "/etc/one.conf")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    programs.says("sbatch", "Submitted batch job 12")
    text = (
        (programs.folder / "sbatch")
        .read_text()
        .replace("printf", f"env > {tmp_path}/env; cp $1 {tmp_path}/script; printf")
    )
    (programs.folder / "sbatch").write_text(text)
    worker = SlurmWorker(str(tmp_path / "a run"), "0" * 32, "/local/$SLURM_JOB_ID")
    assert (
        submit(
            [worker] * 3, {"partition": "gpu", "gres": "gpu:1", "cpus_per_task": "4"}, "bestrand-ab", tmp_path / "logs"
        )
        == "12"
    )
    script, environment = (tmp_path / "script").read_text(), (tmp_path / "env").read_text()
    for line in ("--array=0-2%3", "--partition=gpu", "--gres=gpu:1", "--cpus-per-task=4", "--requeue", "--time=240",
                 "--job-name=bestrand-ab", "--signal=USR2@90"):  # fmt: skip
        assert f"#SBATCH {line}\n" in script
    assert "SLURM_CONF=/etc/one.conf" in environment
    assert "SLURM_JOB_ID" not in environment
    pickled = (tmp_path / "logs/12_2_submitted.pkl").read_bytes()
    assert b"bestrand_drive.workflows.running.slurm_job" in pickled
    assert len(pickled) < 2000


def test_a_refusal_of_sbatch_is_told_in_its_words(programs, tmp_path):
    pytest.importorskip("submitit")
    programs.says("sbatch", "", code=1)
    (programs.folder / "sbatch").write_text("#!/bin/sh\necho 'invalid partition specified: gpux' >&2; exit 1\n")
    with pytest.raises(EnvironmentFault, match=r"invalid partition specified: gpux.*--slurm KEY=VALUE"):
        submit([SlurmWorker("/run", "0", "")] * 2, {"partition": "gpux"}, "n", tmp_path / "logs")


def test_nothing_keeps_running_when_nothing_could_be_submitted(tmp_path):
    closed = []
    crew = SimpleNamespace(close=lambda: closed.append(True))

    def refused():
        raise EnvironmentFault("no")

    with pytest.raises(EnvironmentFault):
        job_crew.JobCrew(crew, refused)
    assert closed


@pytest.mark.parametrize("option", ["array", "job_name", "nodes", "ntasks-per-node", "output"])
def test_options_that_are_ours_are_refused(programs, option):
    with pytest.raises(UsageError, match="set by the run itself"):
        check_slurm({option: "2"})


def test_a_machine_without_slurm_is_told_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"no sbatch here.*login node"):
        check_slurm({})


def test_a_python_without_submitit_is_told_what_to_install(programs, monkeypatch):
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[slurm\]'"):
        check_slurm({})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--slurm", "partition=gpu"), "they are of --engine slurm"),
        (("--scratch", "/local"), "they are of --engine slurm"),
        (("--engine", "slurm", "--gpus", "0"), "Say --slurm gres=gpu:1"),
        (("--engine", "slurm", "--slurm", "partition"), "write NAME=VALUE"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, words, said):
    ran = call("run", "builtin", "--agent", "probe:expert", "--out", tmp_path / "run", *words)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
    assert not (tmp_path / "run").exists()


def test_the_gpu_that_a_job_was_given(programs, monkeypatch):
    """Told apart by its UUID: two jobs of one node that see but theirs both call it 0."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert granted_gpus() == ()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    programs.says("nvidia-smi", "No devices were found", code=6)
    assert granted_gpus() == (Gpu("3", 3),)
    programs.says("nvidia-smi", "GPU-5f\\n")
    (gpu,) = granted_gpus()
    assert (gpu.environment["CUDA_VISIBLE_DEVICES"], gpu.adapter, gpu.name) == ("3", 3, "GPU-5f")
    assert programs.calls("nvidia-smi")[-1].endswith("--id=3")


@pytest.mark.parametrize(("state", "wanted"), [("RUNNING", True), ("COMPLETING", False), ("", False)])
def test_only_a_job_that_nobody_cancelled_comes_back(programs, monkeypatch, state, wanted):
    """Slurm signals one that it preempts and one that was cancelled alike, and would requeue both."""
    monkeypatch.setenv("SLURM_JOB_ID", "12")
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", "12")
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "4")
    programs.says("squeue", state)
    assert slurm_job._wanted() is wanted
    assert programs.calls("squeue")[-1].endswith("--jobs=12_4")
