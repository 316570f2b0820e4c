"""The wheel: what is in it, and that it finds its data where it is unpacked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import bestrand_drive
from bestrand_drive.files import shipped_folder

ROOT = Path(bestrand_drive.__file__).resolve().parent.parent
CONFIGS = sorted(path.name for path in (ROOT / "route_configs").glob("*.yaml"))
RESULTS = {"results.csv.gz", "results.provenance.json"}
BUILTIN = {"routes.xml", "BestrandCity.xodr", "BestrandHighway.xodr", *RESULTS}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling builds the wheel; install it to test the package")
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_holds_code_and_data_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    own = {Path(name).name for name in names if "_data/route_configs/builtin/" in name}
    assert own == BUILTIN
    assert sorted(Path(name).name for name in names if "_data/route_configs/" in name) == sorted({*CONFIGS, *own})
    assert len(CONFIGS) >= 5
    probes = {str(path.relative_to(ROOT)) for path in (ROOT / "probes").rglob("*") if path.suffix in {".py", ".yaml"}}
    assert {name.removeprefix("bestrand_drive/_data/") for name in names if "_data/probes/" in name} == probes
    assert "bestrand_drive/py.typed" in names
    pages = {name for name in names if name.startswith("bestrand_drive/reports/templates/")}
    assert {Path(name).name for name in pages} == {"report.html", "report.css", "report.js"}
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bestrand_drive"}
    strange = [name for name in names if "test" in name or name.endswith((".pyc", ".xml", ".json", ".csv"))]
    assert sorted(Path(name).name for name in strange) == ["results.provenance.json", "routes.xml"]
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "bestrand_drive").rglob("*.py")}
    assert sources <= set(names)


def test_the_wheel_says_what_it_is(unpacked):
    info = next(unpacked.glob("*.dist-info"))
    metadata = (info / "METADATA").read_text()
    assert re.search(r"^License-Expression: MIT$", metadata, re.MULTILINE)
    assert re.search(r"^Requires-Python: .*3\.10", metadata, re.MULTILINE)
    assert "bestrand = bestrand_drive.cli.entry:main" in (info / "entry_points.txt").read_text()
    assert list(info.rglob("LICENSE"))
    required = re.findall(r"^Requires-Dist: ([\w-]+)[^;]*$", metadata, re.MULTILINE)
    assert not set(required) & {"carla", "ray", "msgpack", "submitit"}, "the base install needs none of these"


def test_shipped_folders_are_found_beside_the_sources():
    assert sorted(path.name for path in shipped_folder("route_configs").glob("*.yaml")) == CONFIGS


def test_shipped_folders_are_found_in_the_unpacked_wheel(unpacked, tmp_path):
    script = (
        "from bestrand_drive.files import shipped_folder;"
        "from bestrand_drive.benchmarks.catalog import load_route_sets, load_rules;"
        "print(shipped_folder('route_configs'));"
        "print(sorted(s.name for b in ('bench2drive', 'fail2drive') for s in load_route_sets(b)));"
        "print(len(load_rules('bench2drive').abilities))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"PYTHONPATH": str(unpacked)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    place, sets, abilities = done.stdout.splitlines()
    assert Path(place) == unpacked / "bestrand_drive" / "_data" / "route_configs"
    assert sets == "['bench2drive220', 'bench2drive_0.0.4_val', 'bench2drive_dev10', 'fail2drive']"
    assert abilities == "5"


def test_the_installed_version_is_the_project_s():
    from importlib import metadata

    stated = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert stated is not None
    assert metadata.version("bestrand-drive") == stated[1]


def test_no_test_names_a_machine_s_own_place():
    """Tests run anywhere: no absolute path of the place where they were written."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        found = re.findall(r"""["'](?:/work|/home|/root|/Users)/[^"']*""", path.read_text())
        assert found == [], path
