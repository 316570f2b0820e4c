"""Text that every reader of a verdict can hold."""

from __future__ import annotations

import re

_LONGEST = 2000
"""Characters: CI systems refuse files of megabytes, and a message may quote a log."""
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)
"""Control characters and halves of surrogate pairs, most of which XML 1.0 cannot hold, escaped or not; and what turns
the direction of the text around it."""


def fitting(value: object) -> str:
    """The text without control characters; a long one keeps its head and tail."""
    text = str(value)
    if len(text) > _LONGEST:
        half = _LONGEST // 2
        text = f"{text[:half]} ... {len(text) - _LONGEST} characters left out ... {text[-half:]}"
    return _FORBIDDEN.sub("\ufffd", text)
