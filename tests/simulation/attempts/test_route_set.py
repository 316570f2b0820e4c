"""Routes to run, with the hash of each one's content."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.simulation.attempts.route_set import read_route_set


def test_a_suite_and_its_route_file_hold_the_same_routes(bench, bench_suite):
    suite = read_route_set(bench_suite, "bench2drive")
    file = read_route_set(bench_suite / "routes.xml", "bench2drive")
    assert (suite.routes, suite.sha256) == (file.routes, file.sha256)
    whole = read_route_set(bench.routes, "bench2drive").routes
    assert len(suite.routes) == 24
    assert {name: route.sha256 for name, route in suite.routes.items()} == {
        name: whole[name].sha256 for name in suite.routes
    }


def test_fail2drives_files_are_found_in_a_suite_or_a_folder(fail, fail_suite):
    suite, whole = (read_route_set(path, "fail2drive") for path in (fail_suite, fail.routes))
    assert len(suite.routes) == 24
    assert len(whole.routes) == 48
    for name, route in suite.routes.items():
        assert whole.routes[name].sha256 == route.sha256
        assert suite.files[name].path.name == whole.files[name].path.name
        assert int(suite.files[name].path.stem[-4:]) == int(name)


def test_a_route_twice_is_refused_with_its_lines(build, tmp_path):
    """F13."""
    path = tmp_path / "routes.xml"
    path.write_bytes(build.routes(build.route(5), build.route(6), build.route(5)))
    with pytest.raises(DataRefused, match=r"line 16.*5.*line 2"):
        read_route_set(path, "bench2drive")


def test_what_is_no_suite(tmp_path):
    with pytest.raises(UsageError, match=r"no routes\.xml"):
        read_route_set(tmp_path, "bench2drive")
    with pytest.raises(DataRefused, match=f"{tmp_path}/absent"):
        read_route_set(tmp_path / "absent", "fail2drive")
    with pytest.raises(DataRefused, match=rf"{tmp_path}/absent\.xml"):
        read_route_set(tmp_path / "absent.xml", "bench2drive")
    with pytest.raises(UsageError, match="--part demo: bench2drive has no parts"):
        read_route_set(tmp_path, "bench2drive", "demo")
