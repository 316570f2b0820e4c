"""Writes the small logs of the real tools that the ordinary tests read (``tests/golden/logs``).

LM_EVAL_PYTHON=... INSPECT_PYTHON=... python -m tests.real_tools.golden
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from tests.real_tools.driving import inspect, lm_eval

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "logs"
KEPT = ("results", "versions", "higher_is_better", "lm_eval_version", "model_name")
"""Of the harness' results: what says nothing of the machine."""


def main() -> None:
    """Run both tools, and the harness once more on documents named out of order."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    GOLDEN.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tool = os.environ["LM_EVAL_PYTHON"]
        lm_eval(tool, scratch / "run", 0.7, GOLDEN / "lm_eval", json.dumps({"toy_sums": list(range(12))}))
        lm_eval(tool, scratch / "run", 0.7, GOLDEN / "lm_eval_shuffled", json.dumps({"toy_sums": [9, 2, 5]}))
        for file in GOLDEN.rglob("results_*.json"):
            told = json.loads(file.read_text())
            file.write_text(json.dumps({key: told[key] for key in KEPT if key in told}, indent=1) + "\n")
        tool = os.environ["INSPECT_PYTHON"]
        ids = [f"sum-{n}" for n in range(8)]
        inspect(tool, scratch / "run", "echo", GOLDEN / "inspect_eval", ids=",".join(ids))
        inspect(tool, scratch / "run", "echo", GOLDEN / "inspect_json", kind="json", ids=",".join(ids[4:6]))


if __name__ == "__main__":
    main()
