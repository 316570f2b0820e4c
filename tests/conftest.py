"""Where the real data lies, and small builders of result files and route files that several rooms' tests use."""

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from tests.headless.client.known_faults import pytest_terminal_summary  # noqa: F401  a hook: pytest finds it here

if TYPE_CHECKING:
    from tests.workflows.toys import Bench, Fail, Table

os.environ.setdefault("OMP_NUM_THREADS", "1")
"""Of torch and numpy, here and in all that is started: these problems are small and several tests run side by side, so
more threads would only wait for each other, which costs as much again. No number of threads changes a result
(``cli/test_determinism.py``, ``compression/search/test_best_of.py``)."""

for _name in ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PY_COLORS", "TERMINAL_WIDTH"):
    os.environ.pop(_name, None)
"""What typer and rich take for a terminal's colours and width, some of it when they are imported: tests that want
some say so, and words that are looked for must not be cut or coloured because of who runs the tests."""

hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("same")
"""Every run tries the same examples, and a busy machine is no fault of what is tested."""

KINDS = (
    "collisions_layout",
    "collisions_pedestrian",
    "collisions_vehicle",
    "red_light",
    "stop_infraction",
    "outside_route_lanes",
    "min_speed_infractions",
    "yield_emergency_vehicle_infractions",
    "scenario_timeouts",
    "route_dev",
    "vehicle_blocked",
    "route_timeout",
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real route and result files: $BESTRAND_SHARED_DATA, else ../shared/data beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BESTRAND_SHARED_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set BESTRAND_SHARED_DATA")
    return folder


@pytest.fixture(scope="session", autouse=True)
def no_second_driver_at_the_same_moment() -> Iterator[None]:
    """Every start of a run would wait for one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bestrand_drive.simulation.attempts.lock.SETTLE_S", 0.0)
        yield


class Builders:
    """Make records, result files and route files of the evaluators' forms."""

    @staticmethod
    def record(
        route_id: str = "RouteScenario_1_rep0",
        status: str = "Completed",
        completion: float = 100,
        penalty: float = 1.0,
        infractions: dict[str, list[str]] | None = None,
        **extra: Any,
    ) -> dict[str, Any]:
        """One record as the evaluators write it."""
        return {
            "index": 0,
            "route_id": route_id,
            "status": status,
            "num_infractions": 0,
            "infractions": {kind: [] for kind in KINDS} | (infractions or {}),
            "scores": {
                "score_route": completion,
                "score_penalty": penalty,
                "score_composed": round(completion * penalty, 6),
            },
            "meta": {"route_length": 100.0, "duration_game": 20.0, "duration_system": 60.0},
        } | extra

    @staticmethod
    def write(path: Path, records: list[dict[str, Any]]) -> Path:
        """A checkpoint file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        checkpoint = {"global_record": {}, "progress": [len(records), len(records)], "records": records}
        path.write_text(json.dumps({"_checkpoint": checkpoint, "entry_status": "Finished"}))
        return path

    @staticmethod
    def route(route_id: int | str = 1, kind: str = "ParkingCutIn", town: str = "Town12") -> str:
        """One <route> element."""
        scenario = f'<scenario name="{kind}_1" type="{kind}"><trigger_point x="1" y="2" z="3" yaw="0"/></scenario>'
        return (
            f'<route id="{route_id}" town="{town}">\n  <waypoints>\n    <position x="0.0" y="0.0" z="0.0"/>\n'
            f'    <position x="3.0" y="4.0" z="0.0"/>\n  </waypoints>\n  <scenarios>{scenario}</scenarios>\n</route>'
        )

    @staticmethod
    def routes(*elements: str) -> bytes:
        """A route file around the elements."""
        return ("<routes>\n" + "\n".join(elements) + "\n</routes>\n").encode()


@pytest.fixture(scope="session")
def build() -> type[Builders]:
    """Builders of test files."""
    return Builders


@dataclass(frozen=True)
class Ran:
    """What the command left with and printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


def call(*arguments: object) -> Ran:
    """Run the ``bestrand`` command in this process; no traceback may be seen, whatever the code."""
    from bestrand_drive.cli.app import run

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    ran = Ran(int(code), out.getvalue(), err.getvalue())
    ours = [line for line in (ran.out + ran.err).splitlines() if line.startswith("Traceback")]  # not a quoted log's
    assert not ours, "\n".join(ran.err.splitlines()[-4:])
    return ran


@pytest.fixture(scope="session")
def bestrand() -> Callable[..., Ran]:
    """The command, in this process."""
    return call


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> "Bench":
    """The toy Bench2Drive."""
    from tests.workflows.toys import make_bench

    return make_bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="session")
def fail(tmp_path_factory: pytest.TempPathFactory) -> "Fail":
    """The toy Fail2Drive."""
    from tests.workflows.toys import make_fail

    return make_fail(tmp_path_factory.mktemp("fail"))


@pytest.fixture(scope="session")
def toy_table(tmp_path_factory: pytest.TempPathFactory) -> "Table":
    """The toy score table."""
    from tests.workflows.toys import make_table

    return make_table(tmp_path_factory.mktemp("table"))


def made(*arguments: object) -> Path:
    """Run compress, which must succeed; the last argument is the folder."""
    ran = call("compress", *arguments)
    assert ran.code == 0, ran.err
    return Path(str(arguments[-1]))


SHARED: list[Path] = []
"""Suites that all tests of a process look at."""


def shared(suite: Path) -> Path:
    """A suite for all tests, which none of them may leave otherwise than it found it."""
    SHARED.append(suite)
    return suite


@pytest.fixture(autouse=True)
def uses_are_a_test_s_own() -> Iterator[None]:
    """Who compares policies on a suite counts a use there."""
    yield
    for suite in SHARED:
        (suite / "uses.jsonl").unlink(missing_ok=True)


@pytest.fixture(scope="session")
def bench_suite(bench: "Bench", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of 24 routes of the toy Bench2Drive."""
    out = shared(tmp_path_factory.mktemp("made") / "bench")
    return made("bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 24, "--out", out)


@pytest.fixture(scope="session")
def fail_suite(fail: "Fail", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of 12 pairs of the toy Fail2Drive."""
    out = shared(tmp_path_factory.mktemp("made") / "fail")
    return made("fail2drive", "--routes", fail.routes, *fail.probes(), "--k", 12, "--out", out)


@pytest.fixture(scope="session")
def table_suite(toy_table: "Table", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of 20 items of the toy table, chosen by the models m1, m3 and m6."""
    out = shared(tmp_path_factory.mktemp("made") / "table")
    probes = [part for name in ("m1", "m3", "m6") for part in ("--probe", name)]
    return made("scores", "--scores", toy_table.scores, *probes, "--k", 20, "--out", out)
