"""JUnit XML of a gate's evidence: what GitHub's and GitLab's readers show.

A route is a test case of the infrastructure: an error where it gave no result, never a failure, since one route's
score says nothing without statistics. The gate is one case a metric and reference; these fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from bestrand_drive.workflows.gating.fitting import fitting

Evidence = Mapping[str, Any]


def junit(found: Evidence) -> bytes:
    """The file.

    Args:
        found: As ``evidence`` makes it.
    """
    suites = [
        _suite("routes", found["benchmark"], [_route(found, route) for route in found["routes"]]),
        _suite("gate", found["benchmark"], list(_gate_cases(found))),
    ]
    root = Xml.Element("testsuites", {"name": "bestrand gate"} | _counts(suites))
    for suite in suites:
        suite.insert(0, _properties(found))
        root.append(suite)
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suite(name: str, benchmark: str, cases: Sequence[Xml.Element]) -> Xml.Element:
    suite = Xml.Element("testsuite", {"name": fitting(f"{benchmark} {name}")})
    suite.extend(cases)
    kinds = (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    for attribute, tag in kinds:
        suite.set(attribute, str(sum(1 for _ in suite.iter(tag))))
    return suite


def _counts(suites: Sequence[Xml.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in names}


def _properties(found: Evidence) -> Xml.Element:
    properties = Xml.Element("properties")
    for name in ("status", "rule", "confidence", "undecided", "gates", "simulator", "suite"):
        Xml.SubElement(properties, "property", {"name": name, "value": fitting(found[name])})
    for caution in found["cautions"]:
        Xml.SubElement(properties, "property", {"name": "caution", "value": fitting(caution)})
    return properties


def _route(found: Evidence, route: Evidence) -> Xml.Element:
    case = Xml.Element("testcase", {"classname": fitting(f"{found['benchmark']}.routes"), "name": fitting(route["id"])})
    left_out = [one["left_out"] for one in route["references"]]
    if route["no_result"] is not None:
        Xml.SubElement(case, "error", {"type": "no result", "message": fitting(route["no_result"])})
    elif all(left_out):
        Xml.SubElement(case, "skipped", {"message": fitting(left_out[0])})
    Xml.SubElement(case, "system-out").text = fitting("\n".join(_scores(found, route)))
    return case


def _scores(found: Evidence, route: Evidence) -> Iterator[str]:
    yield f"{found['candidate']}: {_listed(route['scores'])}"
    for one in route["references"]:
        why = f" ({one['left_out']})" if one["left_out"] else ""
        yield f"{one['policy']}: {_listed(one['scores'])}{why}"
        if one["flipped"]:
            yield f"flipped against {one['policy']}: {', '.join(one['flipped'])}"


def _listed(scores: Mapping[str, float] | None) -> str:
    return "no scores" if scores is None else ", ".join(f"{name} {value:g}" for name, value in scores.items())


def _gate_cases(found: Evidence) -> Iterator[Xml.Element]:
    for reference in found["references"]:
        for line in reference["metrics"]:
            name = f"{line['name']} against {reference['role']} {reference['policy']}"
            case = Xml.Element("testcase", {"classname": fitting(f"{found['benchmark']}.gate"), "name": fitting(name)})
            said = " ".join(part for part in (line["said"], line["would_decide"]) if part)
            if line["status"] == "failed":
                Xml.SubElement(case, "failure", {"type": "failed", "message": fitting(said)})
            elif line["status"] == "undecided":
                tag = "skipped" if line["passes"] else "failure"
                Xml.SubElement(case, tag, {"type": "undecided", "message": fitting(said)})
            Xml.SubElement(case, "system-out").text = fitting("\n".join([found["said"], said, *found["cautions"]]))
            yield case
