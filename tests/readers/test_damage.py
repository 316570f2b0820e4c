"""Files that are named as a tool names them and hold something else: one clear refusal, never another error."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestrand_drive.errors import BestrandError
from bestrand_drive.workflows.importing.verb import import_logs

PLACES = {
    "bfcl": ["score/m/BFCL_v4_simple_score.json", "result/m/BFCL_v4_simple_result.json"],
    "helm": ["run/per_instance_stats.json", "run/run_spec.json", "run/instances.json"],
    "inspect": ["log.json"],
    "lm-eval": ["m/samples_g_2026-01-01T00-00-00.jsonl", "m/results_2026-01-01T00-00-00.json"],
    "lmms-eval": ["m/20260101_samples_mme.jsonl", "m/20260101_results.json"],
    "navsim": ["m/scores.csv"],
    "opencompass": ["results/m/gsm8k.json", "predictions/m/gsm8k.json"],
    "swe-bench": ["m.run.json"],
    "tau": ["m-retail.json"],
    "vlmevalkit": ["m/m_X.json", "m/m_X_result.json", "m/m_X_result.tsv"],
}
SPEC = b'{"name": "gsm:model=m", "adapter_spec": {"model": "m"}}'
CONTENTS = [
    b"",
    b"null",
    b"[1, 2]",
    b'{"details": {"0": {"correct": {"a": 1}}, "x": 3}}',
    b'{"details": [{"example_abbr": "x"}]}',
    b'{"doc_id": 0, "acc": {"score": "high"}}',
    b'{"accuracy": 1, "correct_count": 1, "total_count": 1}\n{"id": [1]}',
    b'[{"instance_id": "a", "stats": [3, {"name": "x"}]}]',
    b'{"total_instances": "many", "resolved_ids": [1]}',
    b'[{"task_id": 1, "reward": "x", "trial": {}}]',
    b'{"timestamp": 1, "info": null, "tasks": [3], "simulations": {}}',
    b'{"timestamp": 1, "info": {"environment_info": {"domain_name": "d"}, "agent_info": {"llm": "m"}}, "tasks": 3}',
    b",token,valid,score\n0,a,True,high\n1,,False,\n",
    b'[{"index": {"a": 1}, "hit": [1], "prediction": null}]',
    b'[{"index": 1, "hit": 1, "g_index": 1}, {"index": "\\ud800", "hit": 0, "g_index": "\\ud800"}]',
    b'[{"index": 1, "hit": 1}, {"index": 2, "hit": 1%s}]' % (b"0" * 400),
    b'index\thit\n"1\t0',
    b'{"cut',
    b'{"doc_id": 0, "doc": 1, "filter": "x", "metrics": [[1], {"a": 2}], "results": "none"}',
    b'{"doc_id": 0, "doc": 1, "acc": 1, "results": {"g": "none"}, "versions": "3"}',
    b'{"doc_id": 0, "doc": 1, "acc": 1, "results": {"g": {"acc,none": 1%s}}}' % (b"0" * 400),
    b'{"details": {"\\u00b2": {"prompt": "a", "correct": 1}, "%s": {"correct": 1}}}' % (b"9" * 5000),
    b'{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": 5}',
    b"token,valid,score\n",
    b"a token,valid,score\na,True,1.0\n",
    b"index\thit\tquestion\n1\t0\ta\tb\n",
    b"\xff\xfe\x00",
]
READABLE = {"lm-eval": [19, 20], "tau": [9]}
"""Numbers of those contents that are rows of a format all the same: of whole numbers beside others, or not scored."""


@pytest.mark.parametrize("log_format", sorted(PLACES))
def test_damage_is_refused_as_such(tmp_path, log_format):
    read = []
    for number, content in enumerate(CONTENTS):
        folder = tmp_path / str(number)
        for place in PLACES[log_format]:
            file = folder / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(SPEC if place.endswith("run_spec.json") else content)
        refused = _refusal(log_format, folder)
        assert refused is None or str(folder) in refused or "this choice" in refused, refused
        if refused is None:
            read.append(number)
    assert read == READABLE.get(log_format, [])


def _refusal(log_format: str, folder: Path) -> str | None:
    """What the refusal says; None when there was something to read."""
    try:
        return None if import_logs(log_format, folder).items else "nothing was read and nothing said"
    except BestrandError as error:
        return str(error)
