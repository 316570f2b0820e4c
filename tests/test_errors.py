"""The exception tree and its exit codes."""

from __future__ import annotations

import pytest

from bestrand_drive import errors
from bestrand_drive.errors import BestrandError, ExitCode, each_once

CODES = {
    "BestrandError": 3,
    "UsageError": 2,
    "DataRefused": 4,
    "NothingSelected": 5,
    "Incomplete": 6,
    "EnvironmentFault": 7,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_every_branch_has_its_exit_code(name: str, code: int) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, BestrandError)
    assert kind.exit_code == code
    assert str(kind("what is wrong")) == "what is wrong"


def test_no_other_error_and_no_code_twice() -> None:
    found = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, BestrandError)}
    assert found == set(CODES)
    assert len(set(CODES.values())) == len(CODES)
    assert [code.value for code in ExitCode] == [0, 1, 2, 3, 4, 5, 6, 7, 130]


def test_a_reason_is_said_once_for_all_that_it_holds_for():
    said = each_once([("a", "no data"), ("b", "no runs"), ("c", "no data")])
    assert said == ["a, c: no data", "b: no runs"]
