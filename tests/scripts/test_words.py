"""What pages and scripts say of scripts is so: their options are there, and each of them is of use to somebody."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for path in (ROOT / "scripts").rglob("*") if path.is_file() and path.suffix in ("", ".py"))
SHARED = {"add_data_option(": "data", "add_maps_option(": "maps"}
"""Options that several scripts have, by what adds them."""
ELSEWHERE = {"compare_evaluators": ROOT / "tests/real_evaluator/compare.py"}
"""Scripts whose options another file reads."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *SCRIPTS]


@cache
def code_of(name: str) -> str:
    """A script's text without its docstring, where options are read."""
    path = ELSEWHERE.get(name, ROOT / f"scripts/{name}.py")
    text = path.read_text()
    return text.replace(ast.get_docstring(ast.parse(text), clean=False) or "", "")


def has(name: str, option: str) -> bool:
    """Whether a script has an option."""
    code = code_of(name)
    return any(f'"{form}"' in code for form in (f"--{option}", option)) or option in [
        word for call, word in SHARED.items() if call in code
    ]


def calls() -> Iterator[tuple[str, str, str]]:
    """Where a script is called with options, its name and an option."""
    for page in PAGES:
        text = re.sub(r"\\\n|\n {4,}(?=[-\[])", " ", page.read_text())
        for name, words in re.findall(r"\bscripts/(\w+)(?:\.py)?((?: [^`\n#;]*)?)", text):
            ours = name in ELSEWHERE or (ROOT / f"scripts/{name}.py").exists()
            for option in re.findall(r"--([a-z0-9][a-z0-9-]*)", words) if ours else ():
                yield page.relative_to(ROOT).as_posix(), name, option


CALLS = sorted(set(calls()))
TEXTS = {
    path: path.read_text()
    for folder in ("docs", "scripts", "tests", "route_configs", ".ci")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in ("", ".md", ".py", ".yaml", ".yml", ".sh") and path.is_file() and path != Path(__file__)
}
"""What may name a script."""


def test_options_that_are_told_of_a_script_are_its_own():
    assert len(CALLS) > 80
    assert [f"{page}: scripts/{name} --{option}" for page, name, option in CALLS if not has(name, option)] == []


def test_each_is_named_by_something_else():
    """Else nobody knows of it: a page, a test, what it wrote, or a script that uses it."""
    unknown = []
    for path in SCRIPTS:
        own, name = {path, path.with_suffix(""), path.with_suffix(".py")}, re.compile(rf"\b{path.stem}\b")
        if path.stem != "__init__" and not any(name.search(text) for one, text in TEXTS.items() if one not in own):
            unknown.append(path.relative_to(ROOT).as_posix())
    assert unknown == []
