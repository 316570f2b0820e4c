"""Elements one by one: all of them, forgotten afterwards, in a time that grows with the text alone."""

from __future__ import annotations

import time
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.elements import take_elements
from tests.headless.world.mini import MINI_XODR


def children(text: str) -> list[Element]:
    """What is taken, in order."""
    found: list[Element] = []
    take_elements(text, found.append)
    return found


def shape(element: Element) -> tuple[object, ...]:
    """An element without its text."""
    return element.tag, dict(element.attrib), [shape(child) for child in element]


def test_the_children_are_those_of_the_whole_tree() -> None:
    whole = ElementTree.fromstring(MINI_XODR)
    assert [shape(one) for one in children(MINI_XODR)] == [shape(one) for one in whole]


@pytest.mark.parametrize(
    "text", ["", "<a>", "<a></b>", "<a><b></a></b>", "\0", "<a/><b/>", "<a b='1' b='2'/>", "\udcff"]
)
def test_what_is_not_well_formed_is_refused(text: str) -> None:
    with pytest.raises(DataRefused, match="cannot be read"):
        children(text)


def test_a_fault_of_whoever_takes_them_is_told() -> None:
    with pytest.raises(DataRefused, match="width"):
        take_elements("<a><b/></a>", lambda element: element.attrib["width"])  # type: ignore[arg-type, return-value]


def seconds(work: object) -> float:
    """Processor time that a call takes, at best of three: that of a busy machine's clock says nothing of it."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        work()  # type: ignore[operator]
        best = min(best, time.process_time() - begin)
    return best


def test_a_long_token_costs_no_more_than_many_short_ones() -> None:
    """Fed in pieces of 64 KiB, a comment of 8 MB was read 128 times over."""
    comment = "x" * (8 << 20)
    long, short = f"<a><!--{comment}--></a>", f"<a><!--{'--><!--'.join(['x' * 1017] * (8 << 10))}--></a>"
    assert seconds(lambda: children(long)) < 10 * seconds(lambda: children(short))
