"""What documents say again is what the document says that a script wrote; links lead somewhere."""

from __future__ import annotations

import re

import pytest

from tests.documents.blocks import DOCUMENTS, ROOT

SOURCES = ("study.md", "stopping.md", "figures.md")
"""Documents whose tables are written by scripts."""


def rows(text):
    """Rows of tables with figures in them."""
    return {line for line in text.splitlines() if line.startswith("| ") and re.search(r"\d\.\d", line)}


def test_figures_of_the_method_are_those_that_scripts_wrote():
    written = set().union(*(rows((ROOT / "docs" / name).read_text()) for name in SOURCES))
    quoted = rows((ROOT / "docs/method.md").read_text())
    assert len(quoted) >= 8
    assert quoted - written == set()


def anchors(text):
    """Names of a document's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (anchor and anchor not in anchors(file.read_text())):
            lost.append(target)
    assert lost == []


def test_scripts_that_are_named_are_there():
    named = {name for path in DOCUMENTS for name in re.findall(r"\bscripts/[\w.]*\w", path.read_text())}
    assert len(named) > 20
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_nothing_is_installed_from_where_it_is_not():
    """As long as the README says that it is not on PyPI: a stranger's package of that name could be."""
    assert "not on PyPI yet" in (ROOT / "README.md").read_text()
    by_name = re.compile(r"pip install [^\n`]*[ '\"]bestrand[-_]drive")
    assert [path.name for path in DOCUMENTS if by_name.search(path.read_text())] == []


def test_the_readme_is_a_face_not_a_manual():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 250
