"""inspect_ai: grades, epochs, errors, dictionaries, renamed logs, and archives that mean harm."""

from __future__ import annotations

import json
import math
import zipfile
from contextlib import suppress

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers import archives
from bestrand_drive.readers.archives import open_archive
from bestrand_drive.readers.inspect_ai import recognises
from bestrand_drive.workflows.importing.verb import import_logs


def sample(item, value, epoch=1, **more):
    scores = {} if value is ... else {"judge": {"value": value, "answer": "x"}}
    return {"id": item, "epoch": epoch, "input": f"q {item}", "target": "t", "scores": scores} | more


def log(samples, model="org/model"):
    told = {"task": "quiz", "model": model, "task_version": 2, "packages": {"inspect_ai": "0.3.285"}}
    return {"version": 2, "status": "success", "eval": told, "samples": samples}


def put_json(path, samples, **kwargs):
    path.write_text(json.dumps(log(samples, **kwargs)))
    return path


def put_eval(path, samples, **kwargs):
    """An archive with deflated members, as releases before Zstandard wrote."""
    whole = log(samples, **kwargs)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for one in whole.pop("samples"):
            out.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        out.writestr("header.json", json.dumps(whole))
    return path


@pytest.mark.parametrize("put", [put_json, put_eval])
def test_grades_are_inspects_own_but_nan_stays_unscored(tmp_path, put):
    values = ["C", "I", "P", "N", "yes", "False", "0.25", True, 1, float("nan"), ..., None]
    expected = [1, 0, 0.5, 0, 1, 0, 0.25, 1, 1, math.nan, math.nan, math.nan]
    file = put(
        tmp_path / f"renamed.{'json' if put is put_json else 'eval'}", [sample(n, v) for n, v in enumerate(values)]
    )
    found = import_logs("inspect", file)
    table = {found.cells.ids[item]: value for item, value in zip(found.cells.item, found.cells.value, strict=True)}
    for number, value in enumerate(expected):
        assert table[str(number)] == pytest.approx(value, nan_ok=True), values[number]
    assert any("3 rows are not scored" in line for line in found.said)


def test_samples_that_are_no_list_are_refused(tmp_path):
    for samples in (5, {"a": 1}, "text"):
        with pytest.raises(DataRefused, match=r"log\.json: its samples are no list"):
            import_logs("inspect", put_json(tmp_path / "log.json", samples))


def test_dictionaries_become_metrics_and_other_values_are_counted(tmp_path):
    rows = [sample(n, {"style": "P", "facts": n / 4, "why": "because"}) for n in range(4)]
    put_json(tmp_path / "log.json", rows)
    with pytest.raises(UsageError, match=r"judge/style \(4 rows\), judge/facts \(4 rows\)"):
        import_logs("inspect", tmp_path)
    found = import_logs("inspect", tmp_path, metric="judge/facts")
    assert found.cells.value.tolist() == [0, 0.25, 0.5, 0.75]
    assert any("4 values of judge/why that are no grade left out" in line for line in found.said)


def test_epochs_are_repeats_and_figures_come_by_name(tmp_path):
    usage = {"m": {"total_tokens": 30}, "judge": {"total_tokens": 12}}
    rows = [sample("a", "CI"[epoch], epoch, total_time=2.5 + epoch, model_usage=usage) for epoch in (0, 1)]
    put_eval(tmp_path / "x.eval", rows)
    found = import_logs("inspect", tmp_path)
    assert found.cells.value.tolist() == [1.0, 0.0]
    assert found.cells.repeats == ["0", "1"]
    assert found.cells.cost_s.tolist() == [2.5, 3.5]
    costs = import_logs("inspect", tmp_path, metric=("judge", "total_tokens"))
    assert costs.cells.value[costs.cells.metric == 1].tolist() == [42.0, 42.0]
    assert not costs.spec.scales["total_tokens"].higher_is_better


def test_message_ids_and_shuffled_choices_do_not_change_a_question(tmp_path):
    def asked(seed, letters, target):
        message = {"id": f"random{seed}", "role": "user", "content": "which?"}
        return sample("q", "C", input=[message], choices=list(letters), target=target)

    put_json(tmp_path / "a.json", [asked(1, "xyz", "A")], model="one")
    put_json(tmp_path / "b.json", [asked(2, "zxy", "B")], model="two")
    assert import_logs("inspect", tmp_path).items == 1
    put_json(tmp_path / "c.json", [asked(3, "xyw", "A")], model="three")
    with pytest.raises(DataRefused, match=r"not the same in .*a\.json and in .*c\.json"):
        import_logs("inspect", tmp_path)


def test_a_log_still_being_written_and_what_is_no_log(tmp_path):
    (tmp_path / "logs.json").write_text('{"a": 1}')
    assert not recognises(tmp_path)
    with pytest.raises(DataRefused, match="no log of inspect_ai"):
        import_logs("inspect", tmp_path)
    whole = log([])
    with zipfile.ZipFile(tmp_path / "open.eval", "w") as out:
        out.writestr("_journal/start.json", json.dumps({"version": 2, "eval": whole["eval"]}))
        out.writestr("samples/a_epoch_1.json", json.dumps(sample("a", "C")))
    assert recognises(tmp_path)
    assert import_logs("inspect", tmp_path).cells.value.tolist() == [1.0]


def test_archives_that_mean_harm_are_refused(tmp_path, monkeypatch):
    bomb = tmp_path / "bomb.eval"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("header.json", b" " * 30_000_000)
        out.writestr("../../outside.json", "{}")
    with open_archive(bomb) as archive:
        with pytest.raises(DataRefused, match="times its size"):
            archive.read("header.json")
        with pytest.raises(DataRefused, match="no member"):
            archive.read("outside.json")
    with monkeypatch.context() as patch:
        patch.setattr(archives, "MOST_MEMBERS", 1)
        with pytest.raises(DataRefused, match="2 members"), open_archive(bomb):
            pass
    small = put_eval(tmp_path / "small.eval", [sample("a", "C")])
    with monkeypatch.context() as patch:
        patch.setattr(archives, "LARGEST", 10)
        with pytest.raises(DataRefused, match="MiB unpacked"):
            import_logs("inspect", small)
    content = small.read_bytes()
    small.write_bytes(content[:60] + b"\xff\xff\xff\xff" + content[64:])
    with pytest.raises(DataRefused, match=r"small\.eval"):
        import_logs("inspect", small)
    (tmp_path / "text.eval").write_text("no archive")
    with pytest.raises(DataRefused, match="not a zip archive"):
        import_logs("inspect", tmp_path / "text.eval")


def test_damage_to_archives_of_any_packing_is_refused(tmp_path):
    file = tmp_path / "log.eval"
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(file, "w", packing) as out:
            out.writestr("header.json", json.dumps(log([])))
        content, read = file.read_bytes(), 0
        for place in range(4, len(content) - 22, 9):
            file.write_bytes(content[:place] + bytes([content[place] ^ 0xA5]) + content[place + 1 :])
            with suppress(DataRefused), open_archive(file) as archive:
                assert json.loads(archive.read("header.json")) == log([])
                read += 1
        assert 0 < read < 20, "what is damaged may be of no importance; nothing else is read in its place"
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("header.json", json.dumps(log([])))
        out.writestr("n\u00e4me", b"")
    file.write_bytes(file.read_bytes().replace("n\u00e4me".encode(), b"n\xff\xffme"))
    with pytest.raises(DataRefused, match="not a zip archive"):
        import_logs("inspect", file)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "twice.eval", "w") as out:
        out.writestr("header.json", "{}")
        out.writestr("header.json", "[]")
    with pytest.raises(DataRefused, match="twice"):
        import_logs("inspect", tmp_path)
