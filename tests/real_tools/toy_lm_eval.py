"""lm-evaluation-harness' own command with a model that needs no weights and may be offline: it answers sums.

python toy_lm_eval.py TASK_FOLDER ... arguments of lm_eval, such as --model toy --model_args able=0.7
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

ITEMS = 40
TASK = """
task: toy_sums
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: ["\\n"]
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: "#### (\\\\d+)"
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        regex_pattern: "(\\\\d+)"
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""


@register_model("toy")
class ToyLM(LM):
    """Right with a chance of ``able``, in the wrong form now and then; decided by the prompt's hash."""

    def __init__(self, able: float = 0.5, **_: Any) -> None:
        super().__init__()
        self.able = float(able)

    @classmethod
    def create_from_arg_string(cls, arg_string: Any, additional_config: Any = None) -> ToyLM:
        return cls(**dict(part.split("=") for part in str(arg_string).split(",") if part))

    @classmethod
    def create_from_arg_obj(cls, arg_dict: dict[str, Any], additional_config: Any = None) -> ToyLM:
        return cls(**arg_dict)

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [self._answer(request.args[0]) for request in requests]

    def _answer(self, prompt: str) -> str:
        first, second = (int(number) for number in re.findall(r"\d+", prompt)[-2:])
        luck = [byte / 256 for byte in hashlib.sha256(f"{prompt} {self.able}".encode()).digest()[:2]]
        told = first + second + (0 if luck[0] < self.able else 1)
        return f"#### {told}" if luck[1] < 0.8 else f"{told} it is"

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> list[float]:
        raise NotImplementedError


def write_task(folder: Path) -> None:
    """The task's data and definition."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "sums.jsonl"
    rows = [{"question": f"{n} + {3 * n % 7} =", "answer": str(n + 3 * n % 7)} for n in range(ITEMS)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "toy_sums.yaml").write_text(TASK.format(data=data.resolve()))


if __name__ == "__main__":
    tasks = Path(sys.argv.pop(1))
    write_task(tasks)
    sys.argv += ["--include_path", str(tasks), "--tasks", "toy_sums", "--log_samples"]
    cli_evaluate()
