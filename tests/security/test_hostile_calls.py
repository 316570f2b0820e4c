"""Calls whose arguments are of any shape, on the real world: each is answered in its form, and the world goes on.

Arguments are those of a call that succeeds with one part replaced, or anything that MessagePack can carry.
"""

import copy
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("carla")

from bestrand_drive.headless.rpc.dispatch import HANDLERS
from bestrand_drive.headless.versions import Answer
from tests.headless.live import Live
from tests.headless.rpc.test_every_call import calls

SEARCH = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
LEAF = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 60),
    st.sampled_from([-(2**63), -(2**31) - 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1]),
    st.floats(),
    st.sampled_from([math.nan, math.inf, -math.inf, 1e-300, 3.4e38, 3.5e38, 1e308, -0.0]),
    st.text(max_size=8),
    st.sampled_from(["", "\udcff", "vehicle.tesla.model3", "sensor.camera.rgb", "../../etc/passwd", "x" * 300, "nan"]),
    st.binary(max_size=8),
)
ANY = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3) | st.integers(0, 5), inner, max_size=3)
    ),
    max_leaves=12,
)


def places(value, before=()):
    """Every place inside nested lists, as a path."""
    yield before
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from places(part, (*before, index))


def replaced(value, path, other):
    """A copy with the part at a path replaced, or taken away for the word ``gone``."""
    if not path:
        return other
    whole = copy.deepcopy(value)
    within = whole
    for index in path[:-1]:
        within = within[index]
    if other == "gone":
        del within[path[-1]]
    else:
        within[path[-1]] = other
    return whole


def plain(value):
    """Tuples as lists, as they come off the wire."""
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


@st.composite
def arguments(draw, good):
    """Arguments near those of a good call, or far from any."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.lists(ANY, max_size=8))
    path = draw(st.sampled_from([path for path in places(good) if path] or [()]))
    changed = replaced(good, path, draw(ANY | st.just("gone")))
    return changed if isinstance(changed, list) else [changed]


def check_form(shape, answer):
    """An answer has one of the two forms that its binding allows."""
    if shape is Answer.LIST:
        for one in answer:
            check_form(Answer.VALUE, one)
        return
    ((slot, *rest),) = answer
    if slot is True or (slot == 0 and slot is not False):
        ((message,),) = rest
        assert isinstance(message, str)
        assert message
        assert slot is (True if shape is Answer.VOID else 0)
    elif shape is Answer.VOID:
        assert (slot, rest) == (False, [])
    else:
        assert (slot, len(rest)) == (1, 1)


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_a_call_with_any_arguments_is_answered_in_its_form_and_the_world_goes_on(name, capfd):
    live = Live()
    good = plain(calls(live)[name][0])

    @SEARCH
    @given(given_arguments=arguments(good))
    def answered(given_arguments):
        check_form(live.version.calls[name], live.answer(name, *given_arguments))
        live.world.settings.synchronous_mode, live.world.settings.fixed_delta_seconds = True, 0.05
        frame = live.world.frame
        assert live.answer("tick_cue") == [[1, frame + 1]]
        live.world.snapshot_rows().tobytes()

    answered()
    said = capfd.readouterr().err
    assert "defect" not in said, said[:3000]


def test_the_search_would_notice_a_call_that_breaks(monkeypatch):
    live = Live()
    monkeypatch.setattr(live.world, "set_location", lambda *_: [].pop())
    answer = live.answer("set_actor_location", live.car, [0.0, 0.0, 0.0])
    check_form(Answer.VOID, answer)
    with pytest.raises(AssertionError):
        check_form(Answer.VOID, [[1, 5]])
    with pytest.raises(AssertionError):
        check_form(Answer.VALUE, [[True, ["no"]]])
    with pytest.raises((AssertionError, ValueError)):
        check_form(Answer.VALUE, [[0, [""]]])
    assert "internal error" in answer[0][1][0]


def test_the_changes_reach_every_part_of_a_call():
    good = [1, [0.0, [True]], "x"]
    assert list(places(good)) == [(), (0,), (1,), (1, 0), (1, 1), (1, 1, 0), (2,)]
    assert replaced(good, (1, 1, 0), "y") == [1, [0.0, ["y"]], "x"]
    assert replaced(good, (1,), "gone") == [1, "x"]
    assert good == [1, [0.0, [True]], "x"]
