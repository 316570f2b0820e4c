"""The page as a file: whole, the same for the same data, closed to the outside, and small."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from bestrand_drive.reports.data import Curve
from bestrand_drive.reports.page import IN_TABLE, page
from tests.reports.made import HOSTILE, report


class Reader(HTMLParser):
    """What a browser would make of it, roughly: elements with attributes, and text outside of scripts and styles."""

    def __init__(self, content: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.text = ""
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(content.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_data(self, data):
        if self.lasttag in self.raw and self.raw[self.lasttag] and not data.isspace() and self.cdata_elem:
            self.raw[self.lasttag][-1] += data
        else:
            self.text += data


def told(data) -> dict:
    """The page's JSON."""
    return json.loads(Reader(page(data)).raw["script"][0])


def test_equal_data_give_equal_bytes():
    assert page(report()) == page(report())


def test_the_page_asks_nobody_and_runs_only_what_is_its_own():
    read = Reader(page(report(HOSTILE, HOSTILE, strata=HOSTILE, log="\n".join(HOSTILE))))
    policy = next(
        found["content"] for tag, found in read.elements if found.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind, content in (("style-src", read.raw["style"][0]), ("script-src", read.raw["script"][1])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"
    assert len(read.raw["script"]) == 2
    links = [found[name] for _, found in read.elements for name in ("src", "href", "srcset", "action") if name in found]
    assert links == ["data:,"]
    assert not [name for _, found in read.elements for name in found if name.startswith("on") or name == "style"]
    assert "@import" not in read.raw["style"][0]
    assert "url(" not in read.raw["style"][0]


def test_hostile_names_are_text_in_every_place():
    """Each occurs as it is read by people, nothing of it becomes an element, and the data hold it to the letter."""
    data = report(HOSTILE, HOSTILE, strata=HOSTILE, log="\n".join(HOSTILE))
    read = Reader(page(data))
    tags = {tag for tag, _ in read.elements}
    assert not tags & {"img", "iframe", "object", "embed", "base", "form", "a"}
    assert "document.title='owned'" in read.text
    assert "{{ 7*7 }}" in read.text
    assert "49" not in read.text.split("{{ 7*7 }}")[0][-4:]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", read.text)
    found = told(data)
    assert [policy["name"] for policy in found["policies"]] == list(HOSTILE)
    assert {cell["item"] for cell in found["cells"]} == set(HOSTILE)


def test_the_data_of_the_page_are_those_of_the_command():
    data = report()
    whole = json.loads(json.dumps(data.as_json()))
    assert whole["schema"] == "bestrand-report/1"
    for cell in whole["cells"]:
        for name in IN_TABLE:
            del cell[name]
    assert told(data) == whole


def test_the_verdict_comes_first():
    read = Reader(page(report(("Low", "High"))))
    assert read.text.strip().startswith("High leads with driving score 57.0 %")
    assert read.text.index("Their 95 % intervals") < read.text.index("Estimates")
    alone = Reader(page(report(("Only",)))).text
    assert "Only: driving score 50.0 %" in alone
    assert "the policy lies in 45.0 – 55.0, this run in 47.0 – 53.0; estimated from 77 of 220 routes" in alone


def test_a_table_suite_has_no_driving_parts():
    text = Reader(page(report(driving=False))).text
    for word in ("Abilities", "Cost", "Attempts", "route files", "simulator", "headless"):
        assert word not in text
    assert "score table" in text
    assert "Simulated by the headless server" in Reader(page(report())).text


def test_what_is_not_known_is_not_called_nothing():
    """Hours of some policies, of none, and none spared; the page's own word for each."""
    data = report(("One", "Two"))
    one, two = data.policies
    unknown = replace(two, hours=replace(two.hours, suite=None, spared=None))
    assert "spared, predicted, 1 of 2 known3.0 h" in facts(replace(data, policies=(one, unknown)))
    assert "driven on the suite, 1 of 2 known1.5 h" in facts(replace(data, policies=(one, unknown)))
    without = [replace(each, hours=replace(each.hours, spared=None)) for each in data.policies]
    assert "spared" not in facts(replace(data, policies=tuple(without)))
    everything = [replace(each, hours=replace(each.hours, spared=0.0)) for each in data.policies]
    assert "spared, predictednothing" in facts(replace(data, policies=tuple(everything)))


def facts(data) -> str:
    """What stands between headline and warnings."""
    text = Reader(page(data)).text
    return re.sub(r"\n\s*", "", text[: text.index("Before you use")])


def test_what_all_policies_share_is_said_once():
    data = report(("One", "Two"), metrics=("driving_score", "success"))
    shared = [replace(each, warnings=("chosen without probes", f"only {each.name}")) for each in data.policies]
    unknown = [replace(each, curve=each.curve and Curve(reason="no probes")) for each in data.metrics]
    text = Reader(page(replace(data, policies=tuple(shared), metrics=tuple(unknown)))).text
    assert text.count("Chosen without probes") == text.count("Not known: no probes.") == 1
    assert "One only One" in text
    assert "Two only Two" in text


def test_a_report_says_that_nothing_may_be_tuned_on_the_suite():
    data = report()
    assert "Intervals take for granted that nothing was tuned on it." in Reader(page(data)).text
    used = replace(data, suite=replace(data.suite, uses=3))
    assert "Judged on it so far: 3; intervals take for granted" in Reader(page(used)).text


def test_what_is_folded_away_is_told_apart_by_its_name():
    names = re.findall(r"<summary>(attempts, .*?)</summary>", page(report(("One", "Two"))).decode())
    assert len(set(names)) == len(names) > 0


def test_reasons_stand_in_the_place_of_numbers():
    text = Reader(page(report(("Only",)))).text
    assert "4 measured items test it, 8 are needed" in text
    assert "run noise in policy intervals, borrowed: somewhere" in text
    assert "None" not in text
    assert "nan" not in text.lower().split()


@pytest.mark.parametrize("long", [False, True])
def test_a_large_report_stays_small(long):
    """220 routes x 10 policies, with logs as gathering cuts them at most: below 5 MB."""
    names = [f"policy {number}" for number in range(10)]
    items = [str(23000 + number) for number in range(220)]
    content = page(
        report(names, items, log="x" * (800 if long else 40), metrics=("driving_score", "success", "efficiency"))
    )
    assert len(content) < 5_000_000
    assert content.count(b"<tbody data-of") == 2200
