"""A report as one HTML file that needs nothing else and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from bestrand_drive.reports.blocks import blocks
from bestrand_drive.reports.data import ReportData
from bestrand_drive.reports.text import one_line, plain_text

TEMPLATES = Path(__file__).parent / "templates"
IN_TABLE = ("log", "again")
"""Fields of a cell that the page's JSON leaves to the table of routes, from which its script takes them."""
_UNSAFE = {letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
"""What could end a script element, or a line of one."""


def page(data: ReportData) -> bytes:
    """The file's bytes; equal data give equal bytes."""
    style, script = ((TEMPLATES / name).read_text("utf-8") for name in ("report.css", "report.js"))
    html = (
        _environment()
        .get_template("report.html")
        .render(
            blocks=blocks(data),
            policy=_policy(style, script),
            style=Markup(style),  # noqa: S704  a file of ours
            script=Markup(script),  # noqa: S704  a file of ours
            json=Markup(_json(data)),  # noqa: S704  escaped for a script element
        )
    )
    return html.encode("utf-8", "replace")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    made.filters |= {"log": _lines, "breakable": _breakable, "capital": _capital}
    return made


def _finalized(value: Any) -> Any:  # noqa: ANN401  whatever a template prints
    """Foreign text as one line without control characters; None never gets onto the page as a word."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    return one_line(value)


def _capital(text: str) -> str:
    """With a capital letter at its beginning, and otherwise as it is."""
    return text[:1].upper() + text[1:]


def _lines(text: str) -> Markup:
    """A text that keeps its lines."""
    return escape(plain_text(text))


def _breakable(name: str) -> Markup:
    """A name that may be broken between its words, which it writes as one."""
    parts = (escape(part) for part in re.split(r"(?<=[a-z])(?=[A-Z])", one_line(name)))
    return Markup("<wbr>").join(parts)


def _policy(style: str, script: str) -> str:
    """What the browser may do: use the style and the script that are in the file, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(data: ReportData) -> str:
    told = data.as_json()
    told["cells"] = [{name: value for name, value in cell.items() if name not in IN_TABLE} for cell in told["cells"]]
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return "".join(_UNSAFE.get(letter, letter) for letter in text) if any(map(text.__contains__, _UNSAFE)) else text
