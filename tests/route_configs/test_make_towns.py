"""The script gives exactly the shipped files, wherever it writes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "route_configs"


def _made(out):
    command = [sys.executable, str(ROOT / "scripts" / "make_towns.py"), "--out", str(out)]
    subprocess.run(command, check=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_shipped_files_are_what_the_script_writes(tmp_path):
    shutil.copy(SHIPPED / "builtin.yaml", tmp_path)  # what others wrote into it is kept
    made = _made(tmp_path)
    assert {str(path) for path in made} >= {"builtin.yaml", "builtin/routes.xml", "builtin/towns/BestrandCity.xodr"}
    driven = {"results.csv.gz", "results.provenance.json"}  # scripts/study_embedded writes these
    shipped = {path.relative_to(SHIPPED) for path in (SHIPPED / "builtin").rglob("*") if path.is_file()}
    shipped = {path for path in shipped if path.name not in driven}
    assert shipped | {Path("builtin.yaml")} == made.keys()
    for path, content in made.items():
        assert content == (SHIPPED / path).read_bytes(), path


def test_run_noise_that_was_measured_is_kept(tmp_path):
    (tmp_path / "builtin.yaml").write_text("run_noise: {success: 12.5}\nrun_noise_source: five seeds\ncount: 1\n")
    text = _made(tmp_path)[Path("builtin.yaml")].decode()
    assert "run_noise:\n  success: 12.5\nrun_noise_source: five seeds\n" in text
    assert "count: 1\n" not in text
