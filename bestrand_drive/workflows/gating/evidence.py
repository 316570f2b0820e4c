"""A gate's verdict as plain data: the evidence, of which JUnit and Markdown are projections."""

from __future__ import annotations

from typing import Any

from bestrand_drive.compression.gating.deciding import Deciding
from bestrand_drive.compression.intervals import ends
from bestrand_drive.workflows.comparing.comparison import Comparison
from bestrand_drive.workflows.gating import wording
from bestrand_drive.workflows.gating.verdict import Gate, GateLine, Reference


def evidence(gate: Gate) -> dict[str, Any]:
    """All that is known of a verdict, as JSON holds it."""
    return {
        "status": gate.status.value,
        "passes": gate.passes,
        "exit_code": int(gate.exit_code),
        "said": wording.verdict(gate),
        "gates": "stack" if gate.of_the_stack else "policy",
        "rule": gate.request.rule.value,
        "confidence": gate.request.level,
        "undecided": "pass" if gate.request.undecided_passes else "fail",
        "missing_rule": gate.request.missing,
        "benchmark": gate.suite.benchmark,
        "suite": gate.suite.choice_digest(),
        "simulator": gate.simulator,
        "candidate": gate.candidate,
        "references": [_reference(gate, one) for one in gate.references],
        "routes": [_route(gate, item) for item in gate.suite.chosen],
        "cautions": list(wording.cautions(gate)),
        "notes": list(dict.fromkeys(note for one in gate.references for note in one.comparison.notes)),
    }


def _reference(gate: Gate, reference: Reference) -> dict[str, Any]:
    found = reference.comparison
    return {
        "role": reference.role,
        "policy": found.baseline.name,
        "paired": len(found.paired),
        "suite_items": found.suite_items,
        "all_items": found.all_items,
        "prefix_blocks": found.prefix,
        "missing": {"reference": dict(found.baseline.missing), "candidate": dict(found.candidate.missing)},
        "metrics": [_line(gate, reference, line) for line in reference.lines],
        "flips": [
            {
                "item": flip.item,
                "metric": flip.metric,
                "reference": flip.baseline,
                "candidate": flip.candidate,
                "within_noise": flip.within_noise,
            }
            for flip in found.flips
        ],
        "uses": found.uses,
    }


def _line(gate: Gate, reference: Reference, line: GateLine) -> dict[str, Any]:
    metric = line.metric
    return {
        "name": metric.name,
        "role": "primary" if line.primary else "secondary",
        "status": line.status.value,
        "passes": gate.lets_through(line),
        "said": wording.line_words(reference, line),
        "reason": line.reason,
        "would_decide": wording.deciding_words(gate, line),
        "unit": metric.unit,
        "higher_is_better": metric.higher_is_better,
        "reference": metric.baseline,
        "candidate": metric.candidate,
        "difference": metric.difference,
        "interval": ends(metric.interval),
        "max_drop": line.question.max_drop,
        "bound": line.question.bound,
        "p_value": line.p_value,
        "detectable_drop": metric.detectable,
        "fails_at": line.fails_at,
        "noise_source": metric.noise_source,
        "runs": {"reference": metric.runs[0], "candidate": metric.runs[1]},
        "if_missing": _if_missing(line),
        "plan": _plan(line.deciding),
    }


def _if_missing(line: GateLine) -> dict[str, Any] | None:
    if line.metric.if_missing is None:
        return None
    named = zip(("worst", "best"), line.metric.if_missing, strict=True)
    return {name: {"difference": one.value, "interval": ends(one.interval(line.metric.level))} for name, one in named}


def _plan(plan: Deciding | None) -> dict[str, Any] | None:
    if plan is None:
        return None
    return {
        "if_true": "the measured difference" if plan.measured else "no difference",
        "distance": plan.distance,
        "items": plan.items,
        "repeats": plan.repeats,
    }


def _route(gate: Gate, item: str) -> dict[str, Any]:
    """One chosen item: what each side has on it, and why it does not count where it does not."""
    found = [one.comparison for one in gate.references]
    return {
        "id": item,
        "scores": next((one.candidate.scores[item] for one in found if item in one.candidate.scores), None),
        "no_result": next((one.candidate.missing[item] for one in found if item in one.candidate.missing), None),
        "references": [_on_reference(one, item) for one in found],
    }


def _on_reference(found: Comparison, item: str) -> dict[str, Any]:
    return {
        "policy": found.baseline.name,
        "scores": found.baseline.scores.get(item),
        "left_out": found.left_out.get(item),
        "flipped": [flip.metric for flip in found.flips if flip.item == item],
    }
