"""``bestrand probe`` on clusters: every probe's run goes where ``run`` would, with drives whose results are given."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.simulation.crews import far_slot, mailbox
from bestrand_drive.simulation.engines import dispatch
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.running import crews, run, worker
from bestrand_drive.workflows.running.preparing import Prepared
from bestrand_drive.workflows.running.run_request import RunRequest
from tests.cli.running.test_probe import Probing
from tests.conftest import Builders
from tests.faults.conftest import base, make_runs
from tests.faults.runs import Runs
from tests.workflows.running.toy_driving import Drives, ToyCrew, ToyWorkplace, far_worker

__all__ = ["base", "make_runs"]


@pytest.fixture
def drives(monkeypatch: pytest.MonkeyPatch) -> Drives:
    """Of all twelve routes, here and by workers elsewhere."""
    found = Drives({f"{1711 + one}.0": Builders.record(f"RouteScenario_{1711 + one}_rep0") for one in range(12)})
    for module, name, value in (
        (dispatch, "_PAUSE_S", 0.002), (os, "fsync", lambda _: None),
        (mailbox, "BEAT_S", 0.01), (mailbox, "LOOK_S", 0.01), (far_slot, "_LOOK_S", 0.01),
        (run, "check_python", lambda prepared, _: prepared), (worker, "check_python", lambda prepared, _: prepared),
        (worker, "Workplace", lambda *given: ToyWorkplace(found, given[3])),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    return found


@pytest.fixture
def probing(make_runs: Callable[..., Runs], drives: Drives) -> Probing:
    return Probing(make_runs())


@pytest.fixture
def on_ray(drives: Drives, monkeypatch: pytest.MonkeyPatch) -> list[RunRequest]:
    """What Ray is asked for."""
    asked: list[RunRequest] = []

    @contextmanager
    def crew(prepared: Prepared, _offer: object, halt: Any, _tell: object) -> Iterator[ToyCrew]:
        asked.append(prepared.request)
        yield ToyCrew(drives, halt, lambda: prepared.request.servers)

    monkeypatch.setattr(crews, "ray_crew", crew)
    return asked


RAY = ("--engine", "ray", "--ray-address", "head:6379", "--ray-resource", "carla", "--servers", 3)


def test_every_probe_s_run_goes_to_ray_as_it_is_asked_for(probing: Probing, on_ray: list[RunRequest]) -> None:
    more = (
        "--limit",
        "tick=300",
        "--stop-grace",
        2,
        "--keep-on-failure",
        "log",
        "--routes-per-server",
        4,
        "--no-hooks",
    )
    probing(*RAY, *more)
    assert [one.out for one in on_ray] == [probing.places / "Ann", probing.places / "Bob"]
    for one in on_ray:
        assert (one.engine, one.ray_address, one.ray_resource, one.servers) == ("ray", "head:6379", "carla", 3)
        assert (one.limits, one.stop_grace_s, one.routes_per_server, one.hooks) == ({"tick": 300.0}, 2.0, 4, False)
        assert [what.value for what in one.keep] == ["log"]
    assert len(read_suite(probing.out).chosen) == 3


def test_a_probe_s_track_goes_before_that_of_all(probing: Probing, on_ray: list[RunRequest]) -> None:
    file = probing.folder / "probes.yaml"
    file.write_text(file.read_text().replace("licence: MIT", "track: MAP"))
    probing(*RAY, "--track", "SENSORS")
    assert [one.track for one in on_ray] == ["SENSORS", "MAP"]


def test_the_line_that_runs_a_route_again_goes_there_too(
    probing: Probing, on_ray: list[RunRequest], drives: Drives
) -> None:
    lost = probing("--dry-run", "--json").json["pool"][0]
    drives.fails = {lost: "9"}
    ran = probing(*RAY, "--max-attempts", 1, "--limit", "tick=300", "--no-hooks", code=6)
    lines = [line for line in ran.out.splitlines() if line.startswith("  again: ")]
    assert len(set(lines)) == len(on_ray) == 2, "one a probe, said at once and at the end"
    for said in ("--ray-address head:6379 --ray-resource carla", "--engine ray", "--limit tick=300", "--no-hooks"):
        assert all(said in line for line in lines)


def test_jobs_of_slurm_drive_every_probe(probing: Probing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job is a worker of the probe's own run folder."""
    asked = []

    class Jobs:
        """See ``Jobs`` of the crew."""

        place = "logs/slurm"

        def __init__(self, prepared: Prepared, session: str, *_: object) -> None:
            asked.append((prepared.request.slurm, prepared.request.scratch))
            self._worker = far_worker(prepared.settings.layout.root, tmp_path, 1)
            self._worker.__enter__()

        def coming(self) -> bool:
            return True

        def end(self) -> None:
            self._worker.__exit__(None, None, None)

    monkeypatch.setattr(crews, "slurm_jobs", Jobs)
    monkeypatch.setattr(crews.slurm, "check_slurm", lambda _: None)
    probing("--engine", "slurm", "--slurm", "partition=gpu", "--scratch", "/local")
    assert asked == [({"partition": "gpu"}, "/local")] * 2
    assert probing.driven("Ann") == probing.driven("Bob")


def test_a_worker_is_told_which_folder_and_may_be_there_before_its_probe_runs(probing: Probing, tmp_path: Path) -> None:
    with far_worker(probing.places / "Ann", tmp_path, 2), far_worker(probing.places / "Bob", tmp_path, 2):
        ran = probing("--engine", "workers")
    said = [line for line in ran.out.splitlines() if line.startswith("waiting for workers: ")]
    assert ["suite-runs/Ann`" in said[0], "suite-runs/Bob`" in said[1]] == [True, True]
    assert probing.driven("Ann") == probing.driven("Bob")


def test_without_slurm_nothing_is_begun(probing: Probing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews.slurm.shutil, "which", lambda _: None)
    assert "--engine slurm: no sbatch here" in probing("--engine", "slurm", code=2).err
    assert not probing.places.exists()


def test_run_folders_stand_beside_a_suite_in_this_folder(probing: Probing, monkeypatch: pytest.MonkeyPatch) -> None:
    place = probing.folder / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    probing("--dry-run", "--out", ".")
    assert (probing.folder / "here-runs/Ann/dry-run").is_dir()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--metric", "speed"), "--metric speed: not measured here"),
        (("--family", "Ash=Eve"), "--family Ash: none of Eve is a probe"),
        (("--family", "Ash=Ann,Bob"), "Ann is already in another family"),
        (("--scratch", "/local"), "they are of --engine slurm"),
        (("--limit", "tock=3"), "--limit tock=3"),
        (("--hours", 3), "No such option"),
        (("--keep", 0.5), "exactly one of --keep (share of the items) and --k (number)."),
        (("--out", ".", "--runs", "./runs"), "are one in the other"),
        (("--out", "x/Ann", "--runs", "x"), "are one in the other"),
    ],
)
def test_what_nothing_could_be_chosen_by_is_said_before_anything_runs(
    probing: Probing, options: tuple[object, ...], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "empty/x").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty/x" if options[1] == "." else tmp_path / "empty")
    assert said in probing(*options, code=2).err
    assert not probing.places.exists()


def test_results_of_another_pool_in_the_run_folders_do_not_widen_it(probing: Probing, on_ray: list[RunRequest]) -> None:
    """Of a start with another seed: its routes have no score of a probe that was not run then."""
    probing(*RAY)
    shutil.rmtree(probing.places / "Bob")
    pool = probing("--dry-run", "--json", "--seed", 5).json["pool"]
    assert set(pool) != {item.id for item in read_suite(probing.out).items if item.in_pool}
    probing(*RAY, "--seed", 5, "--force")
    assert [item.id for item in read_suite(probing.out).items if item.in_pool] == pool
    assert on_ray
