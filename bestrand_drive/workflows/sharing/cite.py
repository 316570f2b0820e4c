"""What to cite of a suite: benchmark, whose results guided the choice, method and package, and the suite itself.

Names, sources and licences only, as the package and the suite's maker state them; no authors, titles of papers or years
are known here, and none is made up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

from bestrand_drive.benchmarks.catalog import load_rules
from bestrand_drive.benchmarks.definitions import DEFINITIONS
from bestrand_drive.suite.schema import Suite

PACKAGE = "bestrand-drive"
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


@dataclass(frozen=True)
class Reference:
    """One thing to cite.

    Attributes:
        key: Of BibTeX: letters, digits, "-" and ":".
        kind: ``benchmark``, ``probe``, ``method``, ``software`` or ``suite``.
        title: Its name.
        note: Where it is from, its licence, its digest; as sentences without a full stop, joined by "; ".
        url: Where it is found, "" when not known.
    """

    key: str
    kind: str
    title: str
    note: str
    url: str = ""


def references(suite: Suite) -> list[Reference]:
    """All of them, in the order of a text."""
    found = [_benchmark(suite), *_probes(suite), *_method(suite)]
    unique: list[Reference] = []
    for reference in found:
        key, number = reference.key, 1
        while any(other.key == key for other in unique):
            number += 1
            key = f"{reference.key}-{number}"
        unique.append(Reference(key, reference.kind, reference.title, reference.note, reference.url))
    return unique


def _benchmark(suite: Suite) -> Reference:
    known = suite.benchmark in DEFINITIONS
    rules = load_rules(suite.benchmark) if known else None
    note = f"{suite.n} items, set {suite.route_set}, SHA-256 {suite.source_sha256}"
    if rules and rules.source:
        note = f"{rules.source}; {note}"
    title = (rules.title if rules else "") or (suite.benchmark if known else suite.route_set)
    return Reference(_key("benchmark", title), "benchmark", title, note, rules.url if rules else "")


def _probes(suite: Suite) -> list[Reference]:
    return [
        Reference(
            _key("probe", probe.name),
            "probe",
            f"Results of {probe.name}",
            f"guided the choice of the suite; {probe.items} items; source: {probe.source}; licence: {probe.licence}",
        )
        for probe in suite.probes
    ]


def _method(suite: Suite) -> list[Reference]:
    try:
        version = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        version = "unknown"
    choice = suite.choice
    method = (
        "best of many random subsets by the means of probe policies (BestRand); selector "
        f"{choice.selector}, seed {choice.seed}, {suite.k} of {suite.n} items"
    )
    before = f"; refreshed from {suite.predecessor.digest}" if suite.predecessor else ""
    return [
        Reference("method:bestrand", "method", "BestRand", method),
        Reference("software:bestrand-drive", "software", PACKAGE, f"version {version}"),
        Reference(
            f"suite:{suite.choice_digest()[:12]}",
            "suite",
            f"Suite of {suite.k} of {suite.n} items of {suite.benchmark}",
            f"digest {suite.choice_digest()} (SHA-256 of benchmark, source and chosen ids){before}",
        ),
    ]


def _key(kind: str, name: str) -> str:
    return f"{kind}:{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or 'unnamed'}"


def bibtex(found: list[Reference]) -> str:
    """``@misc`` entries, special characters of LaTeX escaped."""
    entries = []
    for one in found:
        fields = [("title", f"{{{_latex(one.title)}}}"), ("note", _latex(one.note))]
        if one.url:
            fields.append(("howpublished", f"\\url{{{one.url}}}"))
        body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields)
        entries.append(f"@misc{{{one.key},\n{body}}}\n")
    return "\n".join(entries)


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def plain(found: list[Reference]) -> str:
    """One line a reference."""
    lines = [f"{one.kind}: {one.title}. {one.note}." + (f" {one.url}" if one.url else "") for one in found]
    return "\n".join(lines) + "\n"
