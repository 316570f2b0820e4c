"""Stratum labels as numbers."""

from __future__ import annotations

from bestrand_drive.compression.strata import stratum_codes


def test_labels_are_numbered_in_sorted_order() -> None:
    coded = stratum_codes(["b", "a", "b", "10", "9"])
    assert coded.names == ("10", "9", "a", "b")
    assert coded.codes.tolist() == [3, 2, 3, 0, 1]
    assert [coded.names[code] for code in coded.codes.tolist()] == ["b", "a", "b", "10", "9"]


def test_no_label_is_no_number() -> None:
    assert stratum_codes([]).codes.shape == (0,)
