"""NAVSIM: averages left out, failed tokens missing, sub-scores by name, two stages apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.navsim import recognises
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item

DATE = "2025.03.04.05.06.07"
PARTS = ("no_at_fault_collisions", "ego_progress")


def put_scores(folder, marks, average="average"):
    """A file of version 1, or of one stage: one row a token, NaN and False where the agent failed, then the average."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"token": token, "valid": mark is not None, **dict.fromkeys((*PARTS, "score"), mark)}
        for token, mark in marks.items()
    ]
    frame = pd.DataFrame(rows)
    mean = frame[[*PARTS, "score"]].astype(float).mean()
    frame.loc[len(frame)] = [average, bool(frame["valid"].all()), *mean]
    frame.to_csv(folder / f"{DATE}.csv")


def put_two_stages(folder, first, second):
    """A file of version 2.2: sub-scores in columns by stage, then three rows of averages."""
    rows = []
    for stage, marks in (("stage_one", first), ("stage_two", second)):
        for token, mark in marks.items():
            parts = {f"{name}_{stage}": mark for name in PARTS}
            rows.append({"token": token, "valid": mark is not None, **parts, "score": mark})
    frame = pd.DataFrame(rows)
    for name in ("stage_one", "stage_two", "combined"):
        frame.loc[len(frame)] = [f"extended_pdm_score_{name}", True, *[0.123] * (frame.shape[1] - 2)]
    folder.mkdir(parents=True, exist_ok=True)
    frame.to_csv(folder / f"{DATE}.csv")


@pytest.mark.parametrize("average", ["average", "average_all_frames"])
def test_tokens_are_items_and_the_mean_is_navsims_own(tmp_path, average):
    marks = {"00f3a": 1.0, "1e5": 0.25, "77777": None, "abc": 0.5}
    put_scores(tmp_path / "my_agent" / "2025.03.04.05.00.00", marks, average)
    assert recognises(tmp_path)
    found = import_logs("navsim", tmp_path)
    assert by_item(found) == marks
    written = pd.read_csv(next(tmp_path.rglob("*.csv")))
    own = written.loc[written["token"] == average, "score"].item()
    assert np.nanmean(found.cells.value) == pytest.approx(own)
    assert found.models == ("my_agent",), "folders and files that are named by date name nobody"
    assert any("1 rows of averages left out" in line for line in found.said)
    assert any("1 rows are not scored" in line for line in found.said)


def test_a_file_that_names_the_agent_before_its_date(tmp_path):
    put_scores(tmp_path / "2024.04.16", {"a": 1.0})
    file = next(tmp_path.rglob("*.csv"))
    file.rename(file.with_name(f"MyAgent_{file.name}"))
    assert import_logs("navsim", tmp_path).models == ("MyAgent",)


def test_sub_scores_come_by_name(tmp_path):
    put_scores(tmp_path / "m", {"a": 1.0, "b": 0.5})
    assert import_logs("navsim", tmp_path).spec.metrics == ("score",)
    found = import_logs("navsim", tmp_path, metric=("score", "ego_progress"))
    assert by_item(found, metric="ego_progress") == {"a": 1.0, "b": 0.5}
    assert (found.spec.scales["ego_progress"].low, found.spec.scales["ego_progress"].high) == (0.0, 1.0)


def test_two_stages_are_two_tasks_and_the_product_is_not_pretended(tmp_path):
    put_two_stages(tmp_path / "m", {"a": 1.0, "b": 0.5}, {"a-1": 0.25, "a-2": None, "b-1": 0.75})
    with pytest.raises(UsageError, match=r"Several tasks: stage_one \(2 rows\), stage_two \(2 rows\)"):
        import_logs("navsim", tmp_path)
    found = import_logs("navsim", tmp_path, task="stage_two", metric=("score", "ego_progress"))
    assert by_item(found, metric="score") == {"a-1": 0.25, "b-1": 0.75}
    assert by_item(found, metric="ego_progress") == {"a-1": 0.25, "b-1": 0.75}
    assert any("NAVSIM's combined score multiplies" in line for line in found.said)
    assert any("1 tokens at which the agent failed, of a stage that is not told," in line for line in found.said)
    assert any("3 rows of averages left out" in line for line in found.said)


def test_other_tables_and_damage(tmp_path):
    (tmp_path / "other.csv").write_text("token,value\na,1\n")
    with pytest.raises(DataRefused, match="no CSV of NAVSIM's scores"):
        import_logs("navsim", tmp_path)
    (tmp_path / "scores.csv").write_text(",token,valid,score\n0,0012,True,1.0\n1,1e3,True,0.5\n")
    assert by_item(import_logs("navsim", tmp_path)) == {"0012": 1.0, "1e3": 0.5}, "tokens that look like numbers"
    (tmp_path / "scores.csv").write_text(",token,valid,score\n0,a,True,1.0\n1,b,perhaps,0.5\n")
    with pytest.raises(DataRefused, match=r"scores\.csv, row 3: valid is neither True nor False"):
        import_logs("navsim", tmp_path)
