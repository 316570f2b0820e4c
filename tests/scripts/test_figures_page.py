"""docs/figures.md is a page that scripts/figures.py writes: its tables are of the form that the script gives rows."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/figures.md"
NAMES = ("mae", "mae_se", "p95", "coverage95", "coverage95_worst")
ROWS = {"bench2drive": 69, "fail2drive": 138}
"""Methods on five sizes (the partial pool on those where it is one) by metrics."""


def row_of(line: str) -> dict[str, object]:
    """What a line of the table was written from."""
    keep, k, selector, metric, *cells = (cell.strip() for cell in line.strip("|").split("|"))
    figures = [float(one) for one in re.findall(r"[\d.]+", " ".join(cells))]
    names = [*(NAMES if cells[2] else NAMES[:3]), "relative", "relative_se", "risk_p70", "risk_p70_mean"]
    row: dict[str, object] = {"keep": float(keep), "k": int(k), "selector": selector, "metric": metric}
    return row | dict.fromkeys(NAMES) | dict(zip(names, figures, strict=True))


@pytest.mark.parametrize("benchmark", ROWS)
def test_the_page_has_the_form_of_the_script(monkeypatch, benchmark):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script, documents = (importlib.import_module(name) for name in ("figures", "documents"))
    begin, end = documents.marks(f"figures {benchmark}")
    shown = PAGE.read_text().split(f"{begin}\n")[1].split(f"\n{end}")[0]
    rows = [row_of(line) for line in shown.splitlines()[2:]]
    assert len(rows) == ROWS[benchmark]
    assert script.table(rows) == shown
