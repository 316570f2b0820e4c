"""Whether the benchmark that a suite was chosen from is still the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.items import Key
from bestrand_drive.readers.spec import ImportSpec
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.exporting.subset import chosen_leaves
from bestrand_drive.workflows.importing.target_logs import suite_spec
from bestrand_drive.workflows.living.benchmark_now import Now, Versions, read_now
from bestrand_drive.workflows.living.matching import Matching, matched
from bestrand_drive.workflows.living.probe_changes import ModelChange, probe_changes


@dataclass(frozen=True)
class StrataShift:
    """How the strata's shares moved.

    Attributes:
        then: Items by stratum.
        now: Likewise.
        moved: Suite ids of items that are of another stratum now.
        shift: Total variation distance of the shares, 0 to 1: the share of items that would have to move.
    """

    then: Mapping[str, int]
    now: Mapping[str, int]
    moved: tuple[str, ...]
    shift: float


@dataclass(frozen=True)
class Drift:
    """What became of a benchmark.

    Attributes:
        suite: The suite.
        scope: ``suite`` when only items of the suite are in what was read, else ``benchmark``.
        items: Items of the scope then, and items now.
        gone: Suite ids of items that are not there now.
        new: Ids of items that were not there.
        changed: Suite ids of items with another content now.
        renumbered: Suite id -> id now, of items with the same content.
        compared: Of how many items both contents are known.
        strata: None where one of the two tells none, or only the suite was read.
        models: Probes of the suite that are there.
        versions: Tool -> versions then and now, where they differ.
        findings: What drifted, as sentences; empty when nothing did.
        notes: What a reader must know, as sentences.
    """

    suite: Suite
    scope: Literal["benchmark", "suite"]
    items: tuple[int, int]
    gone: tuple[str, ...]
    new: tuple[str, ...]
    changed: tuple[str, ...]
    renumbered: Mapping[str, str]
    compared: int
    strata: StrataShift | None
    models: tuple[ModelChange, ...]
    versions: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """``same`` or ``drifted``."""
        return "drifted" if self.findings else "same"


def check(suite: str | Path | Suite, scores: str | Path) -> Drift:
    """Compare a suite's benchmark with a newer table, or with newer logs of the tool that its table came from.

    Args:
        suite: Suite folder, its ``suite.json``, or a suite.
        scores: Table (as imported or any that ``compress scores`` takes), or file or folder of logs.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    known = suite if isinstance(suite, Suite) else read_suite(Path(suite))
    now = read_now(known, Path(scores))
    spec = None if known.imported is None else suite_spec(known)
    leaves = _leaves(known, spec)
    then = {key: known.contents.get(leaf, "") for key, leaf in leaves.items()}
    found = matched(then, {key: now.contents.get(key, "") for key in now.keys})
    if not found.same and not found.changed:
        raise DataRefused(f"{scores}: none of its items is in the suite's benchmark ({known.route_set}).")
    ids = set(chosen_leaves(known))
    chosen = {key for key, leaf in leaves.items() if leaf in ids}
    part = not found.new and {*found.same, *found.changed} <= chosen and len(chosen) < len(leaves)
    scope = chosen if part else set(leaves)
    drift = Drift(
        suite=known,
        scope="suite" if part else "benchmark",
        items=(len(scope), len(now.keys)),
        gone=tuple(leaves[key] for key in found.gone if key in scope),
        new=tuple(_name(spec, key) for key in found.new),
        changed=tuple(leaves[key] for key in found.changed),
        renumbered={leaves[key]: _name(spec, home) for key, home in found.renumbered.items()},
        compared=found.compared,
        strata=None if part else _strata(known, leaves, now, found),
        models=probe_changes(known, leaves, now, found),
        versions=_versions(known, now.versions),
    )
    return replace(drift, findings=tuple(_findings(drift)), notes=(*now.notes, *_notes(drift, now)))


def _name(spec: ImportSpec | None, key: Key) -> str:
    """The id that an item has, or would have, in the suite's table."""
    return key[1] if spec is None or key[0] not in spec.tasks else spec.item_id(*key)


def _leaves(suite: Suite, spec: ImportSpec | None) -> dict[Key, str]:
    """Task and own id -> id of each row of the suite's table."""
    ids = [leaf for item in suite.items for leaf in item.leaves]
    return {(("", leaf) if spec is None else spec.native(leaf)): leaf for leaf in ids}


def _strata(suite: Suite, leaves: Mapping[Key, str], now: Now, found: Matching) -> StrataShift | None:
    if not suite.strata or not now.strata:
        return None
    of_leaf = {leaf: item.stratum or "" for item in suite.items for leaf in item.leaves}
    before, after = Counter(of_leaf.values()), Counter(now.strata.values())
    moved = [leaves[key] for key, home in found.same.items() if of_leaf[leaves[key]] != now.strata.get(home)]
    names = sorted({*before, *after})
    shares = [(before[name] / before.total(), after[name] / after.total()) for name in names]
    return StrataShift(
        then={name: before[name] for name in names},
        now={name: after[name] for name in names},
        moved=tuple(moved),
        shift=sum(abs(a - b) for a, b in shares) / 2,
    )


def _versions(suite: Suite, now: Versions) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    then = {} if suite.imported is None else suite_spec(suite).versions
    shared = [tool for tool in then if tool in now]
    return {tool: (then[tool], now[tool]) for tool in shared if then[tool] != now[tool]}


def _findings(drift: Drift) -> list[str]:
    chosen = set(chosen_leaves(drift.suite))
    found = []
    for ids, what in (
        (drift.gone, "are gone"),
        (drift.changed, "have another content now"),
        (tuple(drift.renumbered), "have another id now, so that the exported ids mean others"),
    ):
        if ids:
            found.append(f"{len(ids)} items {what}, {len(chosen & set(ids))} of them in the suite: {_some(ids)}")
    if drift.new:
        found.append(f"{len(drift.new)} items are new, none of which the suite stands for: {_some(drift.new)}")
    if drift.strata and (drift.strata.then != drift.strata.now or drift.strata.moved):
        found.append(
            f"strata moved: {drift.strata.shift:.1%} of the shares, {len(drift.strata.moved)} items are of another one"
        )
    others = [one.model for one in drift.models if one.changed and not one.noise]
    if others:
        found.append(f"{len(others)} of {len(drift.models)} probes have other scores now: {_some(others)}")
    return found


def _notes(drift: Drift, now: Now) -> list[str]:
    notes = []
    if drift.scope == "suite":
        notes.append("only items of the suite are in it: the rest of the benchmark was not looked at")
    if not drift.compared:
        notes.append("contents are not known on both sides: items were compared by their ids only")
    elif drift.compared < min(drift.items):
        notes.append(f"contents of {drift.compared} of {min(drift.items)} items are known on both sides")
    absent = [metric.name for metric in drift.suite.metrics if metric.name not in now.scores.metric_names]
    if absent:
        notes.append(f"metrics that are not in it: {', '.join(absent)}")
    noisy = [one.model for one in drift.models if one.changed and one.noise]
    if noisy:
        notes.append(f"scores of {_some(noisy)} differ by no more than run noise")
    unclear = [one.model for one in drift.models if one.changed is None]
    if unclear:
        notes.append(f"scores of {_some(unclear)} cannot be compared: items are missing, or no probe data were kept")
    for tool, (then, after) in drift.versions.items():
        notes.append(f"{tool}: {', '.join(then)} then, {', '.join(after)} now")
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
