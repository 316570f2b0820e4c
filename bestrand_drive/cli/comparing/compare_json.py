"""A comparison of two policies as JSON."""

from __future__ import annotations

from typing import Any

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.results import MetricDifference
from bestrand_drive.compression.intervals import ends
from bestrand_drive.workflows.comparing.comparison import Comparison, Side


def comparison_json(found: Comparison) -> dict[str, Any]:
    """The machine-readable form."""
    return {
        "benchmark": found.benchmark,
        "suite": found.suite_digest,
        "simulator": found.simulator,
        "baseline": _side_json(found.baseline),
        "candidate": _side_json(found.candidate),
        "metrics": {line.name: _line_json(line) for line in found.metrics},
        "items": {
            "suite": found.suite_items,
            "all": found.all_items,
            "paired": list(found.paired),
            "left_out": dict(found.left_out),
            "missing_rule": found.missing_rule,
            "prefix_blocks": found.prefix,
        },
        "flips": [
            {
                "item": flip.item,
                "metric": flip.metric,
                "baseline": flip.baseline,
                "candidate": flip.candidate,
                "runs": list(flip.runs),
                "within_noise": flip.within_noise,
            }
            for flip in found.flips
        ],
        "uses": found.uses,
        "cautions": list(found.cautions),
        "notes": list(found.notes),
    }


def _side_json(side: Side) -> dict[str, Any]:
    return {
        "policy": side.name,
        "simulator": side.simulator,
        "missing": dict(side.missing),
        "servers_per_gpu": {str(servers): count for servers, count in side.loads.items()},
        "counts": dict(side.counts),
    }


def _line_json(line: MetricDifference) -> dict[str, Any]:
    paired, verdict = line.paired, line.verdict
    content: dict[str, Any] = {
        "baseline": line.baseline,
        "candidate": line.candidate,
        "difference": line.difference,
        "level": line.level,
        "interval": ends(line.interval),
        "verdict": None if verdict is None else verdict.value,
        "higher_is_better": line.higher_is_better,
        "unit": line.unit,
        "runs": {"baseline": line.runs[0], "candidate": line.runs[1]},
        "noise_source": line.noise_source,
        "detectable": line.detectable,
        "reason": line.reason,
        "if_missing": None,
    }
    if paired is not None:
        parts = paired.parts
        content |= {
            "standard_error": paired.standard_error,
            "df": paired.df,
            "p_value": paired.p_value(),
            "variance": {"items": parts.items, "noise": parts.noise, "item_noise": parts.noise_variance},
            "items": paired.n,
            "estimator": paired.method,
        }
    if line.if_missing is not None:
        low, high = (_bound_json(one, line.level) for one in line.if_missing)
        content["if_missing"] = {"worst": low, "best": high}
    return content


def _bound_json(bound: PairedDifference, level: float) -> dict[str, Any]:
    return {"difference": bound.value, "interval": ends(bound.interval(level))}
