"""The towns on a headless server, as the real client sees them: by name, and generated from their text."""

import json
import re
import subprocess
import sys

import pytest

from tests.headless.processes import Started, serve, surroundings

pytest.importorskip("carla")
pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def see(folder, tmp_path_factory):
    """What a client tells of a town."""
    out = tmp_path_factory.mktemp("server")
    with Started(out, *serve(folder / "towns", "--map", "BestrandCity", "--port", "0")) as server:
        line = server.first_line()
        port = re.search(r" 127\.0\.0\.1:(\d+),", line)
        assert port, line + server.errors

        def seen(*arguments):
            command = [sys.executable, "-m", "tests.route_configs.client_program", port[1], *map(str, arguments)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=surroundings(), check=False)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout.splitlines()[-1])

        yield seen


@pytest.mark.parametrize("way", ["by name", "generated"])
def test_the_city_s_lights_stop_their_lanes_and_take_turns_in_groups(see, folder, way):
    path = folder / "towns" / "BestrandCity.xodr"
    found = see("BestrandCity", *([path] if way == "generated" else []))
    assert found["towns"] == ["BestrandCity", "BestrandHighway"]
    assert {"traffic.stop", "traffic.yield", "traffic.traffic_light"} <= set(found["kinds"])
    lights = {light["id"]: light for light in found["lights"]}
    assert len(lights) == 28
    for light in lights.values():
        assert light["stops"] == light["affected"] != []
        assert len(light["ahead"]) == 1
        group = [lights[other] for other in light["group"]]
        assert len(group) in (3, 4)
        assert all(other["group"] == light["group"] and other["ahead"] == light["ahead"] for other in group)
        assert {other["state"] for other in group} == {"Green", "Red"}
    assert len({tuple(light["group"]) for light in lights.values()}) == 8


def test_the_motorway_is_seen_whole(see, maps):
    found = see("BestrandHighway")
    assert found["lights"] == []
    assert found["lanes"] == len(maps["BestrandHighway"].get_topology())
    assert found["spawns"] > 100
