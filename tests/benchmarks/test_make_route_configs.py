"""The script that writes the shipped descriptions gives exactly the shipped ones."""

import importlib.util
import shutil
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_route_configs.py"
SHIPPED = SCRIPT.parent.parent / "route_configs"


def test_shipped_files_are_what_the_script_writes(shared_data, tmp_path):
    spec = importlib.util.spec_from_file_location("make_route_configs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    routes, results = shared_data / "bench2drive" / "routes", shared_data / "bench2drive" / "results"
    seeds = [str(shared_data / "fail2drive" / "results" / name) for name in ("AlignDrive", "BevAD", "TFv6")]
    for name in ("bench2drive.yaml", "fail2drive.yaml"):
        shutil.copy(SHIPPED / name, tmp_path)
    options = ["--bench2drive220", routes / "bench2drive220.xml", "--val", routes / "bench2drive_0.0.4_val.xml"]
    options += ["--dev10", routes / "drivetransformer_bench2drive_dev10.xml", "--out", tmp_path]
    options += ["--twice", f"SimLingo={results / 'SimLingo'}={results / 'SimLingo-repeat'}"]
    options += ["--fail2drive", shared_data / "fail2drive" / "routes", "--seeds", *seeds]
    script.main([str(option) for option in options])
    for path in SHIPPED.glob("*2drive*.yaml"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name
