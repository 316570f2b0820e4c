"""Records of trees: written, found by run, and harmless when damaged."""

from __future__ import annotations

import pytest

from bestrand_drive.simulation.processes.census import Census
from bestrand_drive.simulation.processes.identity import ProcessId
from bestrand_drive.simulation.processes.records import (
    StopCommand,
    forget,
    record_path,
    recorded,
    recorded_stop,
    records_of,
    write_record,
)

RUN, OTHER = "a" * 64, "b" * 64
TREE = [ProcessId(12, "boot:1"), ProcessId(13, "boot:2")]


def test_a_record_is_found_by_its_run():
    write_record(record_path(RUN, "one"), TREE)
    write_record(record_path(RUN, "two"), TREE[:1])
    write_record(record_path(OTHER, "three"), TREE)
    assert [list(recorded(path)) for path in records_of(RUN)] == [TREE, TREE[:1]]
    half_written = record_path(RUN, "one").with_name(f"{record_path(RUN, 'one').name}.partial")
    half_written.touch()
    forget(RUN)
    assert records_of(RUN) == ()
    assert not half_written.exists()
    assert len(records_of(OTHER)) == 1


@pytest.mark.parametrize(
    "content", [b"", b"[[1", b"[1, 2]", b'{"a": 1}', b'{"processes": [[1, 2, 3]], "stop": 1}', b"\xff\xfe", b"null"]
)
def test_a_damaged_record_names_nobody(content):
    path = record_path(RUN, "one")
    path.write_bytes(content)
    assert list(recorded(path)) == []
    assert recorded_stop(path) is None


def test_an_absent_record_names_nobody():
    assert list(recorded(record_path(RUN, "one"))) == []
    assert recorded_stop(record_path(RUN, "one")) is None


def test_what_no_mark_tells_of_is_written_down_or_not_started(tmp_path):
    """A full disk: processes are found by their marks, a container is not."""
    path = tmp_path / "absent" / "one.tree"
    Census(path, 5.0).begin()
    with pytest.raises(OSError, match=str(path)):
        Census(path, 5.0, StopCommand(("docker", "stop", "it"), "/")).begin()


def test_a_stop_command_is_written_down_with_its_folder():
    path, stop = record_path(RUN, "one"), StopCommand(("docker", "stop", "it's"), "/a b")
    write_record(path, TREE, stop)
    assert recorded_stop(path) == stop
    write_record(path, TREE)
    assert recorded_stop(path) is None
