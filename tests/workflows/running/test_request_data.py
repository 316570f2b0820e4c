"""What workers elsewhere are told of a run: they are refused nothing that its driver was allowed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.workflows.running.request_data import request_data, request_of
from bestrand_drive.workflows.running.run_checks import check_numbers
from bestrand_drive.workflows.running.run_request import RunRequest

PLAIN = RunRequest("bench2drive", Path("b2d"), Path("suite"), "a.py", Path("out"), servers=2, variables={"A": "b"})
ASKED = {
    "ray on this machine": replace(PLAIN, engine="ray", ray_address="local"),
    "ray with a resource": replace(PLAIN, engine="ray", ray_address="head:6379", ray_resource="carla"),
    "slurm": replace(PLAIN, engine="slurm", slurm={"partition": "gpu"}, scratch="/local"),
    "workers, until": replace(
        PLAIN, engine="workers", until={"driving_score": 3.0}, until_interval="run", level=0.9, durations=(Path("old"),)
    ),
    "workers with GPUs": replace(PLAIN, engine="workers", gpus=(Gpu("0", 0),), servers_per_gpu=2),
}


@pytest.mark.parametrize("name", ASKED)
def test_workers_may_do_what_the_driver_may(name):
    check_numbers(ASKED[name])
    told = request_of(request_data(ASKED[name]), os.getcwd())
    check_numbers(told)
    kept = {"gpus": ASKED[name].gpus, "servers_per_gpu": ASKED[name].servers_per_gpu}
    assert told == replace(PLAIN, engine="workers", **kept)
