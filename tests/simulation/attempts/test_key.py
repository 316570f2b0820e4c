"""Keys of attempts: stable digests, and what makes two of them differ."""

from __future__ import annotations

import hashlib
import re

import pytest
from pydantic import ValidationError

from bestrand_drive.simulation.attempts.key import WORDS, AttemptKey, described, differences, only_build
from tests.simulation.attempts.made import KEY, key

SPELLED = (
    '{"adapter":"bench2drive/1","benchmark":"bench2drive","carla_version":"0.9.15","evaluator_commit":"7ec25d1",'
    '"policy":"id:mine","repeat":0,"route_id":"1711","route_sha256":"' + "a" * 64 + '","seed":0,"simulator":"carla",'
    '"town":"Town12"}'
)


def test_the_digest_is_of_one_spelling():
    """Written out by hand, so that no library can change it unnoticed, nor the seed of hashes, which each run draws."""
    assert KEY.digest == hashlib.sha256(SPELLED.encode()).hexdigest()
    assert KEY.folder == f"1711.r0.{KEY.digest[:8]}"


CHANGES = {
    "benchmark": "fail2drive",
    "route_id": "1712",
    "town": "Town13",
    "route_sha256": "b" * 64,
    "policy": "id:yours",
    "seed": 1,
    "repeat": 1,
    "simulator": "headless",
    "carla_version": "0.9.16",
    "evaluator_commit": "0000000",
    "adapter": "bench2drive/2",
}


def test_every_field_is_tested():
    assert set(CHANGES) == set(AttemptKey.model_fields)


@pytest.mark.parametrize("name", CHANGES)
def test_every_field_makes_another_key(name):
    other = AttemptKey.model_validate(KEY.model_dump() | {name: CHANGES[name]})
    assert other.digest != KEY.digest
    assert differences(other, KEY) == (name,)
    assert only_build((name,)) == (name in {"simulator", "carla_version", "evaluator_commit", "adapter"})
    was, now = (str(getattr(one, name))[:16] for one in (other, KEY))
    assert described(other, KEY) == f"{WORDS[name]} was {was}, now {now}"


def test_values_that_begin_alike_are_shown_whole():
    """Else a line would say that a policy was one thing and is the same now."""
    old, new = (key(policy=f"sha256:{'d' * 20}{end}", evaluator_commit=f"{end}{'e' * 20}") for end in "ab")
    assert described(old, new) == (
        f"the policy was sha256:{'d' * 20}a, now sha256:{'d' * 20}b; "
        f"the evaluator's commit was a{'e' * 15}, now b{'e' * 15}"
    )


def test_what_was_not_declared_contradicts_nothing():
    undeclared = key(town=None, route_sha256=None, seed=None, adapter=None)
    assert differences(undeclared, KEY) == ()
    assert undeclared.digest != KEY.digest


@pytest.mark.parametrize("route", ["../1", "1/2", "", "-1", "01", "1.r0", "x", "1" * 19])
def test_a_route_id_cannot_leave_its_folder(route):
    with pytest.raises(ValidationError):
        key(route)


@pytest.mark.parametrize("change", [{"repeat": -1}, {"simulator": "ue5"}, {"route_sha256": "A" * 64}, {"more": 1}])
def test_wrong_values_are_refused(change):
    with pytest.raises(ValidationError):
        AttemptKey.model_validate(KEY.model_dump() | change)


def test_folder_names_are_safe():
    assert re.fullmatch(r"[0-9]+\.r[0-9]+\.[0-9a-f]{8}", key(26990, 12).folder)
