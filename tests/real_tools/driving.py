"""Runs the real tools, each under a Python of its own that has it, on toy tasks that need no model and no network."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 300
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def lm_eval(python: str, folder: Path, able: float, out: Path, samples: str | Path = "") -> Path:
    """The harness on the toy task with a model of some ability, on all documents or on what ``--samples`` says."""
    command = [python, str(HERE / "toy_lm_eval.py"), str(folder / "task"), "run", "--model", "toy"]
    subset = ["--samples", str(samples)] if samples else []
    _run([*command, "--model_args", f"able={able}", "--output_path", str(out), *subset], folder)
    return out


def inspect(python: str, folder: Path, model: str, out: Path, *, kind: str = "eval", ids: str = "") -> Path:
    """inspect_ai on the toy task under a model's name, on all samples or on what ``--sample-id`` says."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "toy_inspect.py", folder)  # tasks are named by a path below the working folder
    command = [str(Path(python).parent / "inspect"), "eval", "toy_inspect.py", "--model", f"mockllm/{model}"]
    subset = ["--sample-id", ids] if ids else []
    _run([*command, "--log-dir", str(out.resolve()), "--log-format", kind, "--display", "none", *subset], folder)
    return out


def _run(command: Sequence[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    home = {"HF_HOME": str(folder / "hf"), "HOME": str(folder)}
    done = subprocess.run(
        command,
        cwd=folder,
        env=inherited | OFFLINE | home,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
