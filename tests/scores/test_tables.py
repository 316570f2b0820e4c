"""Tables on disk: every type, every refusal, damaged files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import SUFFIXES, read_items, read_table

ROWS = pd.DataFrame({"item_id": ["007", "8", "1e3"], "A": [0.5, None, 1.0], "B": [0.0, 1.0, 0.25]})


def _save(frame: pd.DataFrame, path: Path) -> Path:
    name = path.name
    if name.endswith(".parquet"):
        frame.to_parquet(path)
    elif ".jsonl" in name:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    return path


def _put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_type_gives_the_same_matrix(tmp_path: Path, suffix: str) -> None:
    matrix = ScoreMatrix.from_frame(read_table(_save(ROWS, tmp_path / f"scores{suffix}")))
    assert matrix.items == ("007", "8", "1e3")
    assert matrix.policies == ("A", "B")
    np.testing.assert_array_equal(matrix.masked(0), [[0.5, 0.0], [np.nan, 1.0], [1.0, 0.25]])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_ids_that_look_like_numbers_stay_text_in_long_tables(tmp_path: Path, suffix: str) -> None:
    long = pd.DataFrame({"item_id": ["007", "08"] * 2, "model": ["01"] * 2 + ["1"] * 2, "value": [1.0, 2.0, 3.0, 4.0]})
    matrix = ScoreMatrix.from_frame(read_table(_save(long, tmp_path / f"long{suffix}")))
    assert (matrix.items, matrix.policies) == (("007", "08"), ("01", "1"))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["task", "filter", "content", "hash", "category", "stratum"])
def test_labels_that_look_like_numbers_stay_text(tmp_path: Path, suffix: str, name: str) -> None:
    """As numbers, two questions of the hashes 007 and 7 would be joined, and 1e400 would be infinite."""
    told = pd.DataFrame({"item_id": ["a", "b", "c"], "m": [1.0, 2.0, 3.0], name: ["007", "7", "1e400"]})
    assert read_table(_save(told, tmp_path / f"t{suffix}"))[name].tolist() == ["007", "7", "1e400"]


@pytest.mark.parametrize("name", ["NA", "null", "None", "nan", "n/a"])
def test_names_that_look_like_blanks_stay_text(tmp_path: Path, name: str) -> None:
    wide = _put(tmp_path, "w.csv", f"item_id,A\n{name},1\nb,2\n")
    assert ScoreMatrix.from_frame(read_table(wide)).items == (name, "b")
    long = _put(tmp_path, "l.csv", f"item_id,model,value\na,{name},1\na,B,2\n")
    assert ScoreMatrix.from_frame(read_table(long)).policies == (name, "B")


def test_upper_case_suffixes_and_byte_order_marks(tmp_path: Path) -> None:
    path = _put(tmp_path, "S.CSV", b"\xef\xbb\xbfitem_id,A\n007,1\n")
    assert ScoreMatrix.from_frame(read_table(path)).items == ("007",)
    path = _put(tmp_path, "S.CSV.GZ", gzip.compress(b"item_id,A\n007,1\n"))
    assert ScoreMatrix.from_frame(read_table(path)).items == ("007",)


@pytest.mark.parametrize("name", ["scores.jsonl.csv", "scores.tsv.csv", "my.parquet.csv"])
def test_the_last_suffix_decides(tmp_path: Path, name: str) -> None:
    path = _put(tmp_path, name, "item_id,A\na,1\n")
    assert ScoreMatrix.from_frame(read_table(path)).policies == ("A",)


ZIPPED = gzip.compress(("item_id,A\n" + "".join(f"{i},{i * 0.37:.6f}\n" for i in range(2000))).encode(), mtime=0)

REFUSED = {
    "wrong suffix": ("scores.xlsx", "item_id,A\na,1\n", "not a table this reads; use one of .csv"),
    "no suffix": ("scores", "item_id,A\na,1\n", "not a table this reads"),
    "json": ("scores.json", "[]", "not a table this reads"),
    "empty": ("scores.csv", "", "cannot be read as a table"),
    "header only": ("scores.csv", "item_id,A\n", "no rows"),
    "empty lines": ("scores.jsonl", "", "no rows"),
    "cut line": ("scores.jsonl", '{"item_id":"a","A":1}\n{"item_id":"b"', "cannot be read as a table"),
    "not text": ("scores.csv", bytes(range(256)) * 8, "cannot be read as a table"),
    "latin-1": ("scores.csv", "item_id,A\ncaf\xe9,1\n".encode("latin-1"), "cannot be read as a table"),
    "a longer row": ("scores.csv", "item_id,A\na,1\nb,1,2\n", "cannot be read as a table"),
    "every row longer": ("scores.csv", "item_id,A\na,1,2\nb,1,2\n", "cannot be read as a table"),
    "not gzip": ("scores.csv.gz", "item_id,A\na,1\n", "cannot be read as a table"),
    "cut gzip": ("scores.csv.gz", ZIPPED[: len(ZIPPED) // 2], "cannot be read as a table"),
    "cut gzip end": ("scores.csv.gz", ZIPPED[:-4], "cannot be read as a table"),
    "wrong checksum": ("scores.csv.gz", ZIPPED[:-6] + b"\0" + ZIPPED[-5:], "cannot be read as a table"),
    "not parquet": ("scores.parquet", "item_id,A\na,1\n", "cannot be read as a table"),
    "empty parquet": ("scores.parquet", "", "cannot be read as a table"),
    "column twice": ("scores.csv", "item_id,A,A\na,1,2\n", "column 'A' is there more than once"),
    "column without a name": ("scores.csv", ",item_id,A\n0,a,1\n", "column 1 has no name"),
    "a list in a line": ("scores.jsonl", '{"item_id":"a","A":1}\n[1]\n', "line 2: not a JSON object"),
}


def test_a_column_twice_in_parquet_is_named(tmp_path: Path) -> None:
    pq.write_table(pa.table([["a"], [1.0], [2.0]], names=["item_id", "A", "A"]), tmp_path / "t.parquet")
    with pytest.raises(DataRefused, match="column 'A' is there more than once"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path: Path, case: str) -> None:
    name, content, message = REFUSED[case]
    path = _put(tmp_path, name, content)
    with pytest.raises(DataRefused, match=f"(?s){path}.*{message}"):
        read_table(path)


def test_absent_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataRefused, match="cannot be read"):
        read_table(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataRefused, match="cannot be read"):
        read_table(tmp_path / "folder.csv")


def _outcome(path: Path) -> str:
    """Read a damaged file: it may be refused, or by luck still be a table; nothing else."""
    try:
        ScoreMatrix.from_frame(read_table(path))
    except DataRefused:
        return "refused"
    return "read"


def test_bytes_flipped_in_gzip_are_refused(tmp_path: Path) -> None:
    rng, outcomes = np.random.default_rng(0), []
    for _ in range(60):
        damaged = bytearray(ZIPPED)
        for place in rng.integers(10, len(ZIPPED), 2):
            damaged[place] ^= int(rng.integers(1, 256))
        outcomes.append(_outcome(_put(tmp_path, "d.csv.gz", bytes(damaged))))
    assert set(outcomes) == {"refused"}


def test_truncated_parquet_is_refused_at_every_length(tmp_path: Path) -> None:
    whole = _save(ROWS, tmp_path / "w.parquet").read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 60)):
        assert _outcome(_put(tmp_path, "t.parquet", whole[:length])) == "refused", length


def test_bytes_flipped_in_parquet_raise_nothing_else(tmp_path: Path) -> None:
    whole, rng = _save(ROWS, tmp_path / "w.parquet").read_bytes(), np.random.default_rng(1)
    for _ in range(250):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            damaged[place] ^= int(rng.integers(1, 256))
        _outcome(_put(tmp_path, "d.parquet", bytes(damaged)))


def test_items_are_aligned_to_the_ids_asked_for(tmp_path: Path) -> None:
    path = _put(tmp_path, "items.csv", "item_id,stratum,group,cost_s\n8,b,g1,2\n007,1,g1,0.5\nextra,c,g2,9\n")
    table = read_items(path, ("007", "8"))
    assert table.strata == ("1", "b")
    assert table.groups == ("g1", "g1")
    assert table.cost_s is not None
    assert table.cost_s.tolist() == [0.5, 2.0]


def test_columns_that_are_not_there_are_none(tmp_path: Path) -> None:
    table = read_items(_put(tmp_path, "items.csv", "item_id\na\n"), ("a",))
    assert (table.strata, table.groups, table.cost_s) == (None, None, None)


ITEMS_REFUSED = {
    "no id column": ("item,stratum\na,s\nb,s\n", "no column item_id"),
    "no row": ("item_id,stratum\na,s\n", "no row for 1 items of the score table, first 'b'"),
    "two rows": ("item_id,stratum\na,s\na,t\nb,s\n", "item 'a' has more than one row"),
    "no stratum": ("item_id,stratum\na,s\nb,\n", "item 'b' has no stratum"),
    "no group": ("item_id,group\na,\nb,g\n", "item 'a' has no group"),
    "no cost": ("item_id,cost_s\na,1\nb,\n", "cost_s must hold seconds"),
    "negative cost": ("item_id,cost_s\na,1\nb,-1\n", "cost_s must hold seconds"),
    "infinite cost": ("item_id,cost_s\na,1\nb,inf\n", "cost_s must hold seconds"),
    "text cost": ("item_id,cost_s\na,1\nb,long\n", "cost_s must hold seconds"),
}


@pytest.mark.parametrize("case", ITEMS_REFUSED)
def test_items_refused(tmp_path: Path, case: str) -> None:
    content, message = ITEMS_REFUSED[case]
    path = _put(tmp_path, "items.csv", content)
    with pytest.raises(DataRefused, match=f"{path}.*{message}"):
        read_items(path, ("a", "b"))


def test_real_matrices_are_read(shared_data: Path) -> None:
    paths = sorted((shared_data / "matrices").glob("*.csv.gz"), key=lambda path: path.stat().st_size)
    for path in paths[:12]:
        frame = read_table(path)
        matrix = ScoreMatrix.from_frame(frame, source=path.name)
        assert matrix.values.shape[:2] == (len(frame), len(frame.columns) - 1)
        blanks = int(frame.drop(columns="item_id").isna().to_numpy().sum())
        assert int((~matrix.valid).sum()) == blanks
