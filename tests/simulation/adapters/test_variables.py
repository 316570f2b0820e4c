"""--env NAME=VALUE."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.variables import parse_variables


def test_values_are_kept_as_they_are():
    given = ["PLANNER_TYPE=only_traj", "A=b=c d", "EMPTY=", "A=later"]
    assert parse_variables(given) == {"PLANNER_TYPE": "only_traj", "A": "later", "EMPTY": ""}


@pytest.mark.parametrize("text", ["NAME", "=x", "1A=x", "A B=x", "A=\0", ""])
def test_what_is_no_variable(text):
    with pytest.raises(UsageError, match="give NAME=VALUE"):
        parse_variables([text])


@pytest.mark.parametrize(
    ("text", "message"),
    [("CARLA_ROOT=/x", "--carla-root"), ("CUDA_VISIBLE_DEVICES=1", "--gpus"), ("BESTRAND_RUN=1", "this command's own")],
)
def test_what_is_decided_elsewhere(text, message):
    with pytest.raises(UsageError, match=message):
        parse_variables([text])
