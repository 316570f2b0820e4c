"""How long ten million cells take to import and to compress, and how much memory: each command in a process of its own.

python scripts/bench_import.py --folder SCRATCH [--items 20000] [--models 500]

What is written stays in the folder.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from workers import end_by_sigterm


def write_table(path: Path, items: int, models: int) -> None:
    """A wide table of right and wrong answers under a one-parameter logistic model."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=(1, models)) - rng.normal(size=(items, 1))
    answers = (rng.logistic(size=(items, models)) < level).astype(np.float32)
    frame = pd.DataFrame(answers, columns=[f"model-{number}" for number in range(models)])
    frame.insert(0, "item_id", [f"question-{number}" for number in range(items)])
    frame.to_parquet(path)


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds and greatest resident MiB of the command so far, start of Python and imports included."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "bestrand_drive", *command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    """Measure and print a line a command, the one of least memory first (the peak is that of all so far)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--models", type=int, default=500)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    wide, long = given.folder / "wide.parquet", given.folder / "long.parquet"
    write_table(wide, given.items, given.models)
    choose = ["--n-probes", "5", "--keep", "0.01", "--force", "--out"]
    commands = {
        "compress, wide": ["compress", "scores", "--scores", str(wide), *choose, str(given.folder / "suite_wide")],
        "import": ["import", "plain", str(wide), "--force", "--out", str(long)],
        "compress, imported": ["compress", "scores", "--scores", str(long), *choose, str(given.folder / "suite_long")],
    }
    for name, command in commands.items():
        seconds, mib = measured(command)
        print(f"{name}: {seconds:.1f} s, at most {mib:.0f} MiB so far")


if __name__ == "__main__":
    end_by_sigterm()
    main()
