"""Foreign text on a page."""

from __future__ import annotations

import pytest

from bestrand_drive.reports.text import labels, one_line, plain_text, short


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("a\x00b\x07", "a\ufffdb\ufffd"),
        ("\u202egnp.exe\u202c", "\ufffdgnp.exe\ufffd"),
        ("one\r\ntwo\rthree\tfour", "one\ntwo\nthree\tfour"),
        ("half \ud800", "half \ufffd"),
        ("שלום 🚗\u200d🔥", "שלום 🚗\u200d🔥"),
    ],
)
def test_what_a_page_has_no_place_for_is_seen(given, shown):
    assert plain_text(given) == shown


def test_a_name_is_one_line_and_keeps_both_ends():
    assert one_line(" a \n\t b ") == "a b"
    name = "x" * 60 + "-final"
    assert len(short(name)) == 44
    assert short(name).endswith("xxxxxx-final")
    assert short("x" * 44) == "x" * 44


def test_names_that_look_alike_are_told_apart():
    long = ["a" * 30 + middle + "b" * 30 for middle in "xyz"]
    found = labels([*long, "a\x1b[1m", "a", "", " ", *long])
    assert len(set(found.values())) == len(found) == 7
    assert found[""] == "(no name)"
