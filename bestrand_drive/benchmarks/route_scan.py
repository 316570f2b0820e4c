"""One pass over the bytes of a route file: where each ``<route>`` lies, and what is wrong with the file.

The scan uses expat on the raw bytes, so that every element is known by its byte extent and its line, and so
that a DOCTYPE is refused at its declaration, before any entity of it could be expanded or fetched.

Source of the rules: the evaluators' own route parsers, which need the attributes ``id`` (an integer) and
``town`` and the children ``waypoints`` and ``scenarios``.
"""

from __future__ import annotations

import codecs
import hashlib
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from bestrand_drive.errors import DataRefused

MAX_DEPTH = 64
_ROUTE_DEPTH = 2
_ENCODINGS = {"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252"}
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ROUTE_ID = re.compile(r"0|[1-9][0-9]{0,17}")
_PLACES = {"position", "trigger_point"}


@dataclass(frozen=True)
class RouteElement:
    """One ``<route>`` of a route file.

    Attributes:
        id: The attribute as written (digits).
        town: Name of the CARLA town.
        scenario_types: The ``type`` of each scenario, in file order.
        line: Line of the opening ``<``, from 1.
        start: Byte offset of the opening ``<``.
        end: Byte offset just past the closing ``>``.
        sha256: Hash of the content, the same for any whitespace, comments and order of attributes.
        length_m: Length of the polyline through the waypoints.
        waypoints: Number of waypoints.
    """

    id: str
    town: str
    scenario_types: tuple[str, ...]
    line: int
    start: int
    end: int
    sha256: str
    length_m: float
    waypoints: int


@dataclass
class _OpenRoute:
    """A route whose closing tag has not been met yet."""

    id: str
    town: str
    line: int
    start: int
    children: set[str] = field(default_factory=set)
    types: list[str] = field(default_factory=list)
    points: list[tuple[float, float, float]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


class RouteScan:
    """Expat handlers that collect the routes of one file; ``routes`` holds them in file order."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.routes: list[RouteElement] = []
        self._path = path
        self._content = content
        self._tags: list[str] = []
        self._route: _OpenRoute | None = None
        self._lines: dict[str, int] = {}
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.XmlDeclHandler = self._on_declaration
        self._parser.StartDoctypeDeclHandler = self._on_doctype
        self._parser.StartElementHandler = self._on_start
        self._parser.EndElementHandler = self._on_end
        self._parser.CharacterDataHandler = self._on_text

    def run(self) -> None:
        """Scan the whole file.

        Raises:
            DataRefused: Naming the file, the line and the fault.
        """
        if b"\0" in self._content or self._content.startswith(_WIDE_MARKS):
            raise DataRefused(f"{self._path}, line 1: UTF-16, UTF-32 or binary content. Save the file as UTF-8.")
        try:
            self._parser.Parse(self._content, True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise DataRefused(
                f"{self._path}, line {error.lineno}, column {error.offset}: not well-formed XML ({what}). "
                "Take a fresh copy of the file."
            ) from error
        except (LookupError, ValueError) as error:
            raise self._refusal("its encoding cannot be read. Save the file as UTF-8", 1) from error
        if not self.routes:
            raise self._refusal("the file holds no <route>. Give the benchmark's route file", 1)

    def _refusal(self, fault: str, line: int | None = None) -> DataRefused:
        return DataRefused(f"{self._path}, line {line or self._parser.CurrentLineNumber}: {fault}.")

    def _on_declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        try:
            known = encoding is None or codecs.lookup(encoding).name in _ENCODINGS
        except (LookupError, ValueError):
            known = False
        if not known:
            raise self._refusal(f"encoding {encoding!r} is not read. Save the file as UTF-8")

    def _on_doctype(self, *_: object) -> None:
        raise self._refusal("a DOCTYPE is not accepted, because it can include other files. Remove it")

    def _on_start(self, tag: str, attributes: dict[str, str]) -> None:
        self._tags.append(tag)
        if len(self._tags) > MAX_DEPTH:
            raise self._refusal(f"elements are nested deeper than {MAX_DEPTH}")
        if tag == "route":
            self._open(attributes)
        elif self._route is not None:
            self._flush_text(self._route)
            self._inside(self._route, tag, attributes)
        if self._route is not None:
            self._route.tokens.append(_start_token(tag, attributes))

    def _open(self, attributes: dict[str, str]) -> None:
        if len(self._tags) != _ROUTE_DEPTH:
            raise self._refusal("a <route> must lie directly under the root element")
        for name in ("id", "town"):
            if not attributes.get(name, "").strip():
                raise self._refusal(f"this <route> has no {name}. Every route needs id and town")
        identifier, line = attributes["id"], self._parser.CurrentLineNumber
        if not ROUTE_ID.fullmatch(identifier):
            raise self._refusal(f"route id {identifier[:40]!r} is not a whole number (digits, no leading zero)")
        if identifier in self._lines:
            first = self._lines[identifier]
            raise self._refusal(f"route id {identifier} stands on line {first} and again on line {line}. Keep one")
        self._lines[identifier] = line
        self._check_finite("route", attributes)
        self._route = _OpenRoute(identifier, attributes["town"], line, self._parser.CurrentByteIndex)

    def _inside(self, route: _OpenRoute, tag: str, attributes: dict[str, str]) -> None:
        self._check_finite(tag, attributes)
        inner = self._tags[_ROUTE_DEPTH:]
        if len(inner) == 1:
            route.children.add(tag)
        if tag in _PLACES:
            point = self._point(tag, attributes)
            if inner == ["waypoints", "position"]:
                route.points.append(point)
        if inner == ["scenarios", "scenario"]:
            route.types.append(attributes.get("type", ""))

    def _check_finite(self, tag: str, attributes: dict[str, str]) -> None:
        for name, value in attributes.items():
            if not math.isfinite(_number(value, 0.0)):
                raise self._refusal(f"<{tag}> has {name}={value[:40]!r}, which is not a finite number")

    def _point(self, tag: str, attributes: dict[str, str]) -> tuple[float, float, float]:
        x, y, z = (_number(attributes.get(axis, ""), math.nan) for axis in "xyz")
        if not math.isfinite(x + y + z):
            raise self._refusal(f"<{tag}> needs numbers for x, y and z")
        return x, y, z

    def _on_text(self, text: str) -> None:
        if self._route is not None:
            self._route.text.append(text)

    def _flush_text(self, route: _OpenRoute) -> None:
        words = "".join(route.text).split()
        route.text.clear()
        if words:
            route.tokens.append("\x02" + " ".join(words))

    def _on_end(self, tag: str) -> None:
        self._tags.pop()
        route = self._route
        if route is None:
            return
        self._flush_text(route)
        route.tokens.append("\x03")
        if tag == "route":
            self.routes.append(self._close(route))
            self._route = None

    def _close(self, route: _OpenRoute) -> RouteElement:
        for child in ("waypoints", "scenarios"):
            if child not in route.children:
                raise self._refusal(f"route {route.id} has no <{child}>", route.line)
        if not route.points:
            raise self._refusal(f"route {route.id} has no waypoint", route.line)
        # With children present the element cannot be self-closing, so expat stands at "</route".
        end = self._content.index(b">", self._parser.CurrentByteIndex) + 1
        digest = hashlib.sha256("\x1e".join(route.tokens).encode("utf-8", "surrogatepass")).hexdigest()
        length = sum(math.dist(a, b) for a, b in zip(route.points, route.points[1:], strict=False))
        return RouteElement(
            route.id, route.town, tuple(route.types), route.line, route.start, end, digest, length, len(route.points)
        )


def _start_token(tag: str, attributes: dict[str, str]) -> str:
    """One token for an opening tag; control characters cannot occur in XML, so they separate without ambiguity."""
    return "\x1f".join(["\x01" + tag, *(f"{name}\x1d{value}" for name, value in sorted(attributes.items()))])


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise
