"""Write the towns and routes that come with the package: OpenDRIVE files, the route file, and their description.

    python scripts/make_towns.py [--out route_configs]

The same command gives the same bytes. Metrics and abilities of the description are those of ``bench2drive.yaml``, as
far as the routes' scenario types need them; keys that nothing here writes (run noise) are kept.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from towns import city, highway, routes, xodr

from bestrand_drive.benchmarks.routes import RouteFile, parse_routes
from bestrand_drive.files import sha256_bytes, write_atomic

FOLDER = Path(__file__).resolve().parent.parent / "route_configs"
HEADER = """# Written by scripts/make_towns.py; run noise is kept, everything else is written anew.
# parts.demo: at most 15 s of game each for a lively driver that does not wait; one who waits takes longer on some, as
# docs/embedded.md tells.
"""
NAME = "builtin"


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and write all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out: Path = parser.parse_args(arguments).out
    towns = {town.name: town for town in (city.build(), highway.build())}
    drafts = routes.drafts(towns)
    folder = out / NAME / "towns"
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.xodr": xodr.write(town).encode() for name, town in towns.items()}
    for name, content in texts.items():
        write_atomic(folder / name, content)
    content = routes.write(towns, drafts).encode()
    write_atomic(out / NAME / "routes.xml", content)
    file = parse_routes(out / NAME / "routes.xml", content)
    keys = _description(file, routes.demo(drafts)) | {"maps": {name: sha256_bytes(texts[name]) for name in texts}}
    path = out / f"{NAME}.yaml"
    noise = _run_noise(yaml.safe_load(path.read_bytes()) if path.exists() else {})
    write_atomic(path, (HEADER + yaml.safe_dump(keys | noise, sort_keys=False, width=120)).encode())


def _description(file: RouteFile, demo: Sequence[int]) -> dict[str, Any]:
    """What ``benchmarks.catalog`` reads: rules and route set, and which routes are the demo's."""
    rules = yaml.safe_load((FOLDER / "bench2drive.yaml").read_bytes())
    types = Counter(route.scenario_types[0] for route in file.routes)
    abilities = {name: [kind for kind in kinds if kind in types] for name, kinds in rules["abilities"].items()}
    return {
        "benchmark": NAME,
        "source": "scripts/make_towns.py",
        "metrics": rules["metrics"],
        "abilities": abilities,
        "name": NAME,
        "files": {file.path.name: file.sha256},
        "count": len(file.routes),
        "towns": dict(sorted(Counter(route.town for route in file.routes).items())),
        "types": dict(sorted(types.items())),
        "routes": {route.id: route.sha256[:16] for route in file.routes},
        "parts": {"demo": [str(number) for number in demo]},
    }


def _run_noise(before: dict[str, Any]) -> dict[str, Any]:
    """As measured and written by others; none before that."""
    return {
        "run_noise": before.get("run_noise", {}),
        "run_noise_source": before.get("run_noise_source", ""),
    }


if __name__ == "__main__":
    main()
