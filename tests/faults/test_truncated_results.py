"""F9: a result that ends anywhere is whole or corrupt, never an attempt without data and never another score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.errors import DataRefused
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.outcome import Ending, judge
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import parse_attempt
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts.made import empty_store, key, result, scored


def judged(content: bytes, route: str, benchmark: str):
    return judge(content, Ending(), route_id=route, benchmark=benchmark)


def smallest(folder: Path) -> Path:
    return min(folder.rglob("*.json"), key=lambda path: (path.stat().st_size, path))


@pytest.fixture(params=["bench2drive", "fail2drive"])
def real(request, shared_data):
    """A real result: its content, its route, its benchmark."""
    if request.param == "bench2drive":
        path = smallest(shared_data / "bench2drive" / "results" / "LEAD-TFv6")
        return path.read_bytes(), path.parent.name, "bench2drive"
    path = smallest(shared_data / "fail2drive" / "results" / "TFv6")
    return path.read_bytes(), str(int(path.stem[-4:])), "fail2drive"


def test_a_real_result_cut_at_every_byte(real):
    content, route, benchmark = real
    whole = judged(content, route, benchmark)
    assert whole.reason is not Reason.CORRUPT_RESULT
    assert whole.status
    end = len(content.rstrip())
    for cut in range(len(content)):
        found = judged(content[:cut], route, benchmark)
        if cut >= end:
            assert found == whole, cut
        else:
            assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, Reason.CORRUPT_RESULT), cut


def test_a_real_result_with_something_else_in_it(real):
    content, route, benchmark = real
    whole = judged(content, route, benchmark)
    assert judged(b"\xef\xbb\xbf" + content, route, benchmark) == whole
    assert judged(b"\n\n " + content + b"\r\n", route, benchmark) == whole
    for damaged in (
        content + content,
        content + b"\0",
        b"\0" * len(content),
        content.replace(b"status", b"st\xfftus", 1),
        b"[" + content + b"]",
        b"[" * 100_000,
        b"null",
        b"{}",
    ):
        assert judged(damaged, route, benchmark).reason is Reason.CORRUPT_RESULT, damaged[:40]


def test_one_byte_that_is_no_text(real):
    content, route, benchmark = real
    for at in range(0, len(content), 7):
        damaged = content[:at] + bytes([content[at] ^ 0x80]) + content[at + 1 :]
        assert judged(damaged, route, benchmark).reason is Reason.CORRUPT_RESULT, at


def test_the_literal_nan_is_missing(real):
    content, route, benchmark = real
    raw = json.loads(content)
    raw["_checkpoint"]["records"][0]["status"] = "Completed"
    raw["_checkpoint"]["records"][0]["scores"]["score_composed"] = float("nan")
    found = judged(json.dumps(raw).encode(), route, benchmark)
    assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, Reason.NOT_A_NUMBER)


def test_a_record_of_an_attempt_cut_at_every_byte(tmp_path):
    content = scored(1, detail="é").to_json()
    path = tmp_path / "1.json"
    for cut in range(len(content) - 1):
        with pytest.raises(DataRefused, match=r"1\.json"):
            parse_attempt(content[:cut], path)
    assert parse_attempt(content[:-1], path) == scored(1, detail="é")


def test_a_corrupt_result_is_kept_and_the_store_stays_readable(tmp_path):
    """Every cut of a stored result is noticed by its hash; the other attempts do not suffer."""
    store = empty_store(tmp_path)
    whole = store.put(scored(1, key(1712)), result(1712))
    stored = store.put(scored(1), result())
    path = tmp_path / "attempts" / stored.key.folder / "1.result.json"
    for cut in range(0, len(result()), 11):
        path.write_bytes(result()[:cut])
        looked = AttemptStore(Layout(tmp_path), repair=False)
        assert looked.attempts == (whole,), cut
        assert [damage.path.name for damage in looked.damage] == ["1.json"]
