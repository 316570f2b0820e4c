"""How faults are written, and what is said of those that are written wrongly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.errors import UsageError
from bestrand_drive.headless.faults.order import SLOW_START, STDERR_FLOOD, TIMED, WRONG_VERSION, Fault, parse_faults

CHANCES = st.tuples(
    st.none() | st.floats(0.0, 1.0).map(lambda p: round(p, 6)), st.none() | st.integers(0, 2**63)
)  # fmt: skip
BODIES = st.one_of(
    st.tuples(st.sampled_from(TIMED), st.integers(1, 10**9)).map(
        lambda t: (f"{t[0]}@tick={t[1]}", Fault("", t[0], tick=t[1]))
    ),
    st.tuples(st.sampled_from(TIMED), st.sampled_from(["Town02", "OpenDriveMap"])).map(
        lambda t: (f"{t[0]}@load={t[1]}", Fault("", t[0], town=t[1]))
    ),
    st.floats(0.0, 1e6).map(lambda s: (f"{SLOW_START}={s!r}", Fault("", SLOW_START, seconds=s))),
    st.just((STDERR_FLOOD, Fault("", STDERR_FLOOD))),
    st.just((WRONG_VERSION, Fault("", WRONG_VERSION))),
    st.just((f"{WRONG_VERSION}=0.9.1", Fault("", WRONG_VERSION, version="0.9.1"))),
)


@st.composite
def written(draw):
    """A fault and its text."""
    from dataclasses import replace

    text, fault = draw(BODIES)
    probability, seed = draw(CHANCES)
    if probability is not None:
        text, fault = f"{text}:p={probability!r}", replace(fault, probability=probability)
    if seed is not None:
        text, fault = f"{text}:seed={seed}", replace(fault, seed=seed)
    return text, replace(fault, text=text)


@given(st.lists(written(), min_size=1, max_size=4), st.booleans())
def test_what_is_written_is_read(pairs, with_commas):
    texts = [text for text, _ in pairs]
    assert parse_faults([" , ".join(texts)] if with_commas else texts) == tuple(fault for _, fault in pairs)


def test_none_is_none():
    assert parse_faults([]) == ()


@pytest.mark.parametrize("name", ["Town02", "/Game/Carla/Maps/Town02", "Carla/Maps/Town02_Opt", "Town02/"])
def test_a_town_is_known_by_its_last_name(name):
    assert parse_faults([f"hang@load={name}"])[0].town == "Town02"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("crush@tick=5", "there is no crush"),
        ("crash", "crash needs @tick=N or @load=TOWN"),
        ("crash@tick=0", "'0' is not a tick"),
        ("crash@tick=-1", "'-1' is not a tick"),
        ("crash@tick=1.5", "'1.5' is not a tick"),
        ("crash@tock=5", "cannot be read"),
        ("crash@tick", "cannot be read"),
        ("crash@tick=5=6", "crash takes no =6"),
        ("hang@load=/", "'/' is no town"),
        ("stderr-flood@tick=5", "stderr-flood takes no @tick"),
        ("stderr-flood=5", "stderr-flood takes no =5"),
        ("slow-start", "'' is not seconds"),
        ("slow-start=soon", "'soon' is not seconds"),
        ("slow-start=nan", "'nan' is not seconds"),
        ("slow-start=inf", "'inf' is not seconds"),
        ("slow-start=-1", "'-1' is not seconds"),
        ("crash@tick=5:p=1.1", "'1.1' is not a probability"),
        ("crash@tick=5:p=", "'' is not a probability"),
        ("crash@tick=5:seed=x", "'x' is not a seed"),
        ("crash@tick=5:q=1", "'q=1' is neither p=0.3 nor seed=7"),
        ("crash@tick=5:", "'' is neither"),
        ("", "cannot be read"),
        ("crash@tick=5,", "--fault '': it cannot be read"),
        ("crash@tick=٥", "is not a tick"),
    ],
)
def test_a_wrong_one_is_explained_with_all_that_there_are(text, why):
    with pytest.raises(UsageError) as caught:
        parse_faults([text])
    said = str(caught.value)
    assert why in said
    assert "\n" not in said
    assert all(kind in said for kind in (*TIMED, SLOW_START, STDERR_FLOOD, WRONG_VERSION))


@given(st.text(max_size=30))
def test_any_text_is_a_fault_or_a_usage_error(text):
    try:
        faults = parse_faults([text])
    except UsageError:
        return
    assert all(fault.text in text for fault in faults)
