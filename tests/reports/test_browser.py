"""The page in a real browser: at a phone's and a desk's width, with and without its script."""

from __future__ import annotations

import csv
import io
import json
from itertools import product

import pytest

from bestrand_drive.reports.page import page
from tests.reports.browser import browser, found
from tests.reports.made import HOSTILE, report

WIDTHS = (390, 1280)
SAVED = """new Promise((done) => {
  URL.createObjectURL = (blob) => { blob.text().then(done); return "#"; };
  document.getElementById(%r).click();
})"""
"""What a button would put into a file."""
ROWS = "[...document.querySelectorAll('#table > tbody:not([hidden]) > tr:first-child')]"
COLUMN = ROWS + ".map((row) => row.cells[%d].textContent.trim())"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    program = found()
    if program is None:
        pytest.skip("no chromium is installed: pages of reports are not looked at (apt-get install chromium)")
    with browser(program, tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "plain": report(),
        "alone": report(("Only",), ("7",)),
        "table": report(driving=False),
        "hostile": report(HOSTILE, HOSTILE, strata=HOSTILE, log="\n".join(HOSTILE)),
        "large": report([f"p{n}" for n in range(10)], [str(n) for n in range(220)], log="x" * 800),
    }
    for name, data in made.items():
        (folder / f"{name}.html").write_bytes(page(data))
    return folder, made


@pytest.mark.parametrize(
    ("name", "width"),
    [*product(("plain", "alone", "table", "hostile"), (*WIDTHS, 760, 1101)), ("large", 1280)],
)
def test_a_page_fits_and_is_quiet(shown, pages, name, width):
    """No complaint of the console, no request but for the file, nothing that makes the page wider than its window."""
    place = pages[0] / f"{name}.html"
    shown.open(place, width)
    assert shown.value("document.title") != "owned"
    assert shown.value("document.documentElement.scrollWidth") <= width
    assert shown.value("document.querySelector('.tools').hidden") is False
    assert shown.said == []
    assert {address for address in shown.asked if not address.startswith("data:")} == {place.as_uri()}


@pytest.mark.parametrize("width", WIDTHS)
def test_without_its_script_the_page_is_whole(shown, pages, width):
    """Read back by the browser's own view of the page, since no script may run in it."""
    shown.open(pages[0] / "plain.html", width, script=False)
    root = shown.call("DOM.getDocument", depth=0)["root"]["nodeId"]
    ask = {"nodeId": root, "selector": "#table > tbody > tr:first-child"}
    assert len(shown.call("DOM.querySelectorAll", **ask)["nodeIds"]) == 6
    assert shown.call("DOM.querySelectorAll", nodeId=root, selector="button.fold, thead button")["nodeIds"] == []
    tools = shown.call("DOM.querySelector", nodeId=root, selector=".tools[hidden]")["nodeId"]
    assert tools
    size = shown.call("Page.getLayoutMetrics")["cssContentSize"]
    assert size["width"] <= width
    assert shown.said == []


def test_on_paper_nothing_is_cut_off(shown, pages):
    """A4 between the margins is 182 mm wide; tools and what is folded are no use there."""
    shown.open(pages[0] / "plain.html", 688)
    shown.call("Emulation.setEmulatedMedia", media="print")
    assert shown.value("document.documentElement.scrollWidth") <= 688
    assert shown.value("[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth)")
    for place in (".tools", ".fold", ".more"):
        assert shown.value(f"document.querySelector('{place}').checkVisibility()") is False
    shown.call("Emulation.setEmulatedMedia", media="")


def test_numbers_are_sorted_as_numbers_and_gaps_stay_last(shown, pages):
    shown.open(pages[0] / "plain.html", 1280)
    heads = shown.value("[...document.querySelectorAll('#table thead th')].map((head) => head.textContent)")
    assert heads == ["Policy", "Route", "Type", "State", "Driving score", "Success", "Time", "Attempts"]
    button = "document.querySelectorAll('#table thead button')[%d].click()"
    cells = pages[1]["plain"].cells
    known = sorted(cell.values["driving_score"] for cell in cells if cell.values["driving_score"] is not None)
    for order, said in ((known, "ascending"), (known[::-1], "descending")):
        shown.value(button % 4)
        assert shown.value(COLUMN % 4) == [f"{value:.1f}" for value in order] + ["–"] * 2
        assert shown.value("document.querySelectorAll('#table thead th')[4].getAttribute('aria-sort')") == said
    shown.value(button % 1)
    assert shown.value(COLUMN % 1) == ["1", "1", "2", "2", "10", "10"]
    assert shown.value("document.querySelectorAll('[aria-sort]').length") == 1


def test_rows_are_filtered_by_word_policy_and_state(shown, pages):
    shown.open(pages[0] / "plain.html", 1280)
    choose = "{const one = document.getElementById(%r); one.value = %r; one.dispatchEvent(new Event('input'));}"
    count = "document.getElementById('count').textContent"
    assert shown.value(count) == "6 rows"
    shown.value(choose % ("of", "1"))
    assert shown.value(COLUMN % 0) == ["Two"] * 3
    shown.value(choose % ("state", "missing"))
    assert shown.value(count) == "1 of 6 rows"
    shown.value(choose % ("of", "") + choose % ("state", "") + choose % ("find", "SIGNAL turn"))
    assert shown.value(COLUMN % 1) == ["2"]


def test_it_is_worked_by_keys_alone(shown, pages):
    """Tab reaches the search, the heads and the folds; the space bar sorts, and opens a row's log."""
    shown.open(pages[0] / "plain.html", 1280)
    press = [("Tab", "\t", 9), (" ", " ", 32)]

    def key(number):
        name, text, code = press[number]
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if kind == "keyDown" else {}
            shown.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **more)

    focus = "{const one = document.activeElement; one.id || one.className || `sort by ${one.textContent}`}"
    ways, reached = ("find", "of", "state", "csv", "json", "sort by Route", "fold"), []
    while len(reached) < 40 and "fold" not in reached:
        key(0)
        reached.append(shown.value(focus))
        if reached[-1] in ("sort by Route", "fold"):
            key(1)
    assert [name for name in reached if name in ways] == list(ways)
    assert shown.value("document.querySelectorAll('[aria-sort]').length") == 1
    assert shown.value("document.querySelector('.fold').getAttribute('aria-expanded')") == "true"
    assert shown.value("document.querySelector('.more pre').checkVisibility()") is True


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_its_files_are_the_data(shown, pages, name):
    """The JSON is the command's, also for hostile names; no field of the CSV is a formula to a spreadsheet."""
    data = pages[1][name]
    shown.open(pages[0] / f"{name}.html", 1280)
    saved = json.loads(shown.value(SAVED % "json"))
    whole = json.loads(json.dumps(data.as_json()))
    if name == "hostile":
        for cell, mine in zip(whole["cells"], saved["cells"], strict=True):
            assert bool(cell.pop("log")) == bool(mine.pop("log"))
            assert len(cell.pop("again")) == len(mine.pop("again"))
    assert saved == whole
    rows = list(csv.DictReader(io.StringIO(shown.value(SAVED % "csv"), newline="")))
    assert len(rows) == len(data.cells)
    assert [row["driving_score"] for row in rows] == [
        "" if cell.values["driving_score"] is None else f"{cell.values['driving_score']:g}" for cell in data.cells
    ]
    assert not [field for row in rows for field in row.values() if field.startswith(("=", "+", "-", "@"))]
    assert shown.said == []


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_on_its_ground(shown, pages, dark):
    """WCAG's contrast of 4.5 for ink and for quiet text, light and dark."""
    shown.open(pages[0] / "plain.html", 1280, dark=dark)
    colour = "getComputedStyle(document.querySelector(%r)).%s"
    ground = luminance(shown.value(colour % ("body", "backgroundColor")))
    assert (ground < 0.2) == dark
    for place in ("h1", ".lede", ".quiet", "#count", ".withheld, .legend"):
        text = luminance(shown.value(colour % (place, "color")))
        assert (max(text, ground) + 0.05) / (min(text, ground) + 0.05) >= 4.5, place


def luminance(colour: str) -> float:
    """Of ``rgb(r, g, b)`` (WCAG 2.2)."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
