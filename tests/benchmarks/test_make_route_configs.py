"""The script that writes the shipped descriptions gives exactly the shipped ones."""

import importlib.util
from pathlib import Path

import pytest
import yaml

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_route_configs.py"
SHIPPED = SCRIPT.parent.parent / "route_configs"


WRITTEN = ("files", "count", "towns", "types", "routes", "run_noise", "run_noise_source")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_route_configs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_shipped_files_are_what_the_script_writes(shared_data, tmp_path, script):
    routes, results = shared_data / "bench2drive" / "routes", shared_data / "bench2drive" / "results"
    seeds = [str(shared_data / "fail2drive" / "results" / name) for name in ("AlignDrive", "BevAD", "TFv6")]
    for name in ("bench2drive.yaml", "fail2drive.yaml"):
        kept = yaml.safe_load((SHIPPED / name).read_bytes())
        kept |= dict.fromkeys(kept.keys() & WRITTEN, "to be written")
        (tmp_path / name).write_text(yaml.safe_dump(kept, sort_keys=False))
    options = ["--bench2drive220", routes / "bench2drive220.xml", "--val", routes / "bench2drive_0.0.4_val.xml"]
    options += ["--dev10", routes / "drivetransformer_bench2drive_dev10.xml", "--out", tmp_path]
    options += ["--twice", f"SimLingo={results / 'SimLingo'}={results / 'SimLingo-repeat'}"]
    options += ["--fail2drive", shared_data / "fail2drive" / "routes", "--seeds", *seeds]
    script.main([str(option) for option in options])
    for path in SHIPPED.glob("*2drive*.yaml"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_coverage_at_the_ceiling_is_that_of_the_default_where_replays_are_many(script):
    def row(selector, k, draws, coverage):
        told = {"flawless_draws": draws, "flawless_coverage": coverage}
        return {"benchmark": "bench2drive", "metric": "success", "selector": selector, "k": k} | told

    rows = [row("balanced", 22, 1000, 0.811), row("balanced", 44, 19, 1.0), row("random", 22, 500, 0.9)]
    assert script.ceiling_coverage(rows) == {"ceiling_coverage": {"success": {22: [811, 1000]}}}
