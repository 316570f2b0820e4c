"""The children of an XML document's root, one after the other: large towns fit in little memory."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element, ParseError, XMLParser

from bestrand_drive.errors import DataRefused


def take_elements(xodr: str, take: Callable[[Element], None]) -> None:
    """Hand every child of the root to ``take``; their text is left out, and each is forgotten afterwards.

    The text goes to the parser whole: fed in pieces, expat begins anew at every piece of a token that spans many.

    Raises:
        DataRefused: It is no well-formed XML, carries a DOCTYPE, or ``take`` raises ``ValueError`` or ``KeyError``.
    """
    if "<!DOCTYPE" in xodr:
        raise DataRefused("The OpenDRIVE text carries a DOCTYPE, which is refused.")
    parser = XMLParser(target=_Children(take))  # noqa: S314  a DOCTYPE, and with it every entity, was refused
    try:
        parser.feed(xodr.encode())
        parser.close()
    except (ParseError, ValueError, KeyError) as error:
        raise DataRefused(f"The OpenDRIVE text cannot be read: {error}.") from error


class _Children:
    """Builds one child of the root at a time."""

    def __init__(self, take: Callable[[Element], None]) -> None:
        self._take = take
        self._open: list[Element] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        element = Element(tag, attributes)
        if len(self._open) > 1:
            self._open[-1].append(element)
        self._open.append(element)

    def end(self, _tag: str) -> None:
        """An element ends."""
        element = self._open.pop()
        if len(self._open) == 1:
            self._take(element)

    def close(self) -> None:
        """The document ends."""
