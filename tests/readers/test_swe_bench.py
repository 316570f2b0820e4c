"""SWE-bench: infrastructure is missing, empty patches and errors are wrong, the never submitted are said."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item

NAMES = ("completed", "incomplete", "empty_patch", "submitted", "resolved", "unresolved", "error")


def put_report(path, *, total, version=2, infra=None, **ids):
    """The report in the harness' order of keys."""
    lists = {f"{name}_ids": sorted(ids.get(name, [])) for name in NAMES}
    sent = {one for name, own in ids.items() if name != "incomplete" for one in own}
    lists["submitted_ids"] = lists["submitted_ids"] or sorted(sent)
    report = {"total_instances": total, "submitted_instances": len(lists["submitted_ids"]), **lists}
    if infra is not None:
        report |= {"infra_failure_ids": infra, "ambiguous_failure_ids": [], "failure_reasons": {}}
    if version:
        report["schema_version"] = version
    path.write_text(json.dumps(report, indent=4))


def test_infrastructure_is_missing_and_everything_else_not_resolved_is_wrong(tmp_path):
    put_report(
        tmp_path / "org__m-4.1.run7.json",
        total=6,
        resolved=["d__d-1"],
        unresolved=["d__d-2", "d__d-3"],
        error=["d__d-4", "d__d-5"],
        empty_patch=["d__d-6"],
        infra=["d__d-3", "d__d-5"],
    )
    found = import_logs("swe-bench", tmp_path)
    assert found.models == ("org__m-4.1",), "a run's id ends at the last point, a model's name may hold others"
    expected = {1: 1.0, 2: 0.0, 3: None, 4: 0.0, 5: None, 6: 0.0}
    assert by_item(found) == {f"d__d-{n}": value for n, value in expected.items()}
    assert any("2 rows are not scored" in line for line in found.said)


def test_what_was_never_submitted_is_said_and_not_guessed(tmp_path):
    put_report(tmp_path / "a.r.json", total=500, resolved=["x-1"], unresolved=["x-2"], incomplete=["x-3", "x-4"])
    found = import_logs("swe-bench", tmp_path)
    assert set(by_item(found)) == {"x-1", "x-2"}
    assert any("498 instances never submitted, which the leaderboard counts as not" in line for line in found.said)
    put_report(tmp_path / "a.r.json", total=1, resolved=["x-1"], submitted=["x-1", "y-9"])
    assert any("1 submitted ids that are not of the data set" in s for s in import_logs("swe-bench", tmp_path).said)


def test_the_first_reports_without_version_and_later_lists(tmp_path):
    path = tmp_path / "m.r.json"
    put_report(path, total=3, version=0, resolved=["x-1"], unresolved=["x-2"], error=["x-3"])
    old = json.loads(path.read_text())
    for name in ("incomplete_ids", "empty_patch_ids", "submitted_ids", "submitted_instances"):
        del old[name]
    path.write_text(json.dumps(old, indent=4))
    found = import_logs("swe-bench", path)
    assert by_item(found) == {"x-1": 1.0, "x-2": 0.0, "x-3": 0.0}
    assert found.spec.versions == {"swebench report": ("1",)}


def test_damaged_reports_are_refused(tmp_path):
    path = tmp_path / "m.r.json"
    put_report(path, total=1, resolved=["x-1"], unresolved=["x-1"])
    with pytest.raises(DataRefused, match="x-1 is both resolved and not"):
        import_logs("swe-bench", path)
    path.write_text('{"resolved_ids": ["x"], "unresolved_ids": [], "error_ids": []}')
    with pytest.raises(DataRefused, match="no number total_instances"):
        import_logs("swe-bench", path)
    path.write_text('{"total_instances": 3, "resolved_ids": "x-1"}')
    with pytest.raises(DataRefused, match="no list resolved_ids"):
        import_logs("swe-bench", path)
    (tmp_path / "m.r.json").write_text('{"resolved": 1}')
    with pytest.raises(DataRefused, match="no report of SWE-bench"):
        import_logs("swe-bench", tmp_path)
