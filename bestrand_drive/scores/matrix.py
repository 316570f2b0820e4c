"""The score matrix: what every policy scored on every item, with a validity mask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.scores.frames import dense_scores
from bestrand_drive.scores.metrics import LARGEST, MetricSpec


@dataclass(frozen=True)
class ScoreMatrix:
    """Scores of policies on items, repeats averaged.

    Attributes:
        values: float32 Tensor[item, policy, metric]; zero wherever ``valid`` is False.
        valid: bool Tensor[item, policy, metric].
        items: Item ids in benchmark order.
        policies: Policy names.
        metrics: Specifications, in the order of the last axis.
        repeats: int32 Tensor[item, policy, metric], how many runs each value averages.
        repeat_variance: float32 Tensor[item, policy, metric], the sample variance over those runs
            (0 where there was one run or none).
        strata: One label an item, or None.
        cost_s: float64 Tensor[item, policy], seconds; NaN where unknown; None when no cost was given.
        domains: Overlapping named parts of the benchmark: bool Tensor[item] each.
        weights: float64 Tensor[item]; what an item counts in the benchmark's mean (cluster sizes), or None for 1 each.
    """

    values: Tensor
    valid: Tensor
    items: tuple[str, ...]
    policies: tuple[str, ...]
    metrics: tuple[MetricSpec, ...]
    repeats: Tensor
    repeat_variance: Tensor
    strata: tuple[str, ...] | None = None
    cost_s: Tensor | None = None
    domains: Mapping[str, Tensor] = field(default_factory=dict)
    weights: Tensor | None = None

    def __post_init__(self) -> None:
        shape = (len(self.items), len(self.policies), len(self.metrics))
        for name in ("values", "valid", "repeats", "repeat_variance"):
            if tuple(getattr(self, name).shape) != shape:
                raise DataRefused(f"Score matrix: {name} has shape {tuple(getattr(self, name).shape)}, not {shape}.")
        for label, names in (("item", self.items), ("policy", self.policies), ("metric", self.metric_names)):
            _refuse_repeated(label, names)
        if self.strata is not None and len(self.strata) != len(self.items):
            raise DataRefused(f"Score matrix: {len(self.strata)} strata labels for {len(self.items)} items.")
        if not bool(torch.isfinite(self.values).all()) or bool((self.values[~self.valid] != 0).any()):
            raise DataRefused("Score matrix: a value is not finite, or an invalid cell holds a number.")

    @classmethod
    def from_arrays(
        cls,
        scores: np.ndarray | Tensor,
        *,
        items: Sequence[str],
        policies: Sequence[str],
        metrics: Sequence[MetricSpec],
        strata: Sequence[str] | None = None,
    ) -> ScoreMatrix:
        """Build from one dense array in which NaN means missing.

        Args:
            scores: [item, policy, metric], any float type.
            items: Item ids.
            policies: Policy names.
            metrics: Specifications.
            strata: One label an item.

        Raises:
            DataRefused: A value is infinite, or labels and shape disagree.
        """
        _refuse_too_large(scores, metrics)
        _refuse_lost_digits(scores, metrics)
        dense = torch.as_tensor(scores).to(torch.float32)
        if bool(torch.isinf(dense).any()):
            raise DataRefused("Score matrix: an infinite value; mark missing cells with NaN.")
        valid = ~torch.isnan(dense)
        return cls(
            values=torch.where(valid, dense, torch.zeros(())),
            valid=valid,
            items=tuple(items),
            policies=tuple(policies),
            metrics=tuple(metrics),
            repeats=valid.to(torch.int32),
            repeat_variance=torch.zeros_like(dense),
            strata=None if strata is None else tuple(strata),
        )

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        metric: str = "score",
        specs: Mapping[str, MetricSpec] | None = None,
        source: str = "scores",
    ) -> ScoreMatrix:
        """Build from a wide or long data frame (see ``frames.dense_scores``).

        Args:
            frame: Wide (``item_id`` and one column a model) or long (``item_id``, ``model``, ``value``
                [, ``metric``, ``repeat``]).
            metric: Name of the only metric when the frame names none.
            specs: Known metrics by name; others get bounds [0, 1] when their values lie there, else none.
            source: What to call the frame in messages.

        Raises:
            DataRefused: See ``frames.dense_scores``.
        """
        dense = dense_scores(frame, metric=metric, source=source)
        known = specs or {}
        metrics = [known.get(name) or _guess(name, dense.mean[:, :, i]) for i, name in enumerate(dense.metrics)]
        matrix = cls.from_arrays(dense.mean, items=dense.items, policies=dense.policies, metrics=metrics)
        return replace(
            matrix,
            repeats=torch.as_tensor(dense.count),
            repeat_variance=torch.as_tensor(dense.variance).to(torch.float32),
        )

    @property
    def metric_names(self) -> tuple[str, ...]:
        """Names on the last axis."""
        return tuple(metric.name for metric in self.metrics)

    def metric_index(self, name: str) -> int:
        """Position of a metric.

        Raises:
            UsageError: Unknown name; the message lists the known ones.
        """
        if name not in self.metric_names:
            raise UsageError(f"No metric named {name!r}; this matrix has {choices(name, self.metric_names)}")
        return self.metric_names.index(name)

    def masked(self, metric: int | str) -> np.ndarray:
        """Scores of one metric as float64 [item, policy], NaN where invalid (for statistics)."""
        index = self.metric_index(metric) if isinstance(metric, str) else metric
        dense = self.values[:, :, index].to(torch.float64).numpy().copy()
        dense[~self.valid[:, :, index].numpy()] = np.nan
        return dense

    def copies(self) -> dict[str, str]:
        """Policies with exactly the scores of an earlier one: name -> the earlier one's name."""
        first: dict[bytes, str] = {}
        found = {}
        for number, name in enumerate(self.policies):
            content = self.values[:, number].numpy().tobytes() + self.valid[:, number].numpy().tobytes()
            original = first.setdefault(content, name)
            if original != name:
                found[name] = original
        return found

    def with_policies(self, names: Sequence[str]) -> ScoreMatrix:
        """The same items with these policies only, in the order given.

        Raises:
            UsageError: A name is unknown.
        """
        unknown = [name for name in names if name not in self.policies]
        if unknown:
            raise UsageError(f"No policy named {', '.join(unknown)}; known: {choices(unknown, self.policies)}")
        take = torch.tensor([self.policies.index(name) for name in names], dtype=torch.long)
        return replace(
            self,
            values=self.values[:, take],
            valid=self.valid[:, take],
            policies=tuple(names),
            repeats=self.repeats[:, take],
            repeat_variance=self.repeat_variance[:, take],
            cost_s=None if self.cost_s is None else self.cost_s[:, take],
        )

    def with_metrics(self, names: Sequence[str]) -> ScoreMatrix:
        """The same items and policies with these metrics only, in the order given.

        Raises:
            UsageError: A name is unknown.
        """
        numbers = [self.metric_index(name) for name in names]
        return replace(
            self,
            values=self.values[:, :, numbers],
            valid=self.valid[:, :, numbers],
            metrics=tuple(self.metrics[number] for number in numbers),
            repeats=self.repeats[:, :, numbers],
            repeat_variance=self.repeat_variance[:, :, numbers],
        )

    def relabelled(self, items: Sequence[str], metrics: Sequence[MetricSpec]) -> ScoreMatrix:
        """The same scores laid out on other items and metrics, matched by name; what is not here is invalid.

        Item properties (strata, costs, domains, weights) are left out, since they belong to the old items.

        Args:
            items: Ids of the new first axis.
            metrics: Specifications of the new last axis.
        """
        shape = (len(items), len(self.policies), len(metrics))
        here = {item: number for number, item in enumerate(self.items)}
        rows = [(new, here[item]) for new, item in enumerate(items) if item in here]
        names = self.metric_names
        columns = [(new, names.index(spec.name)) for new, spec in enumerate(metrics) if spec.name in names]
        new_i, old_i = _pairs(rows)
        new_m, old_m = _pairs(columns)

        def lay(source: Tensor) -> Tensor:
            out = torch.zeros(shape, dtype=source.dtype)
            out[new_i[:, None], :, new_m[None, :]] = source[old_i[:, None], :, old_m[None, :]]
            return out

        return ScoreMatrix(
            values=lay(self.values),
            valid=lay(self.valid),
            items=tuple(items),
            policies=self.policies,
            metrics=tuple(metrics),
            repeats=lay(self.repeats),
            repeat_variance=lay(self.repeat_variance),
        )

    def hidden_outside(self, pool: Tensor) -> ScoreMatrix:
        """The same matrix with every score outside ``pool`` (long Tensor[pool item]) marked invalid."""
        keep = torch.zeros(len(self.items), dtype=torch.bool)
        keep[pool] = True
        mask = keep[:, None, None]
        return replace(
            self,
            values=torch.where(mask, self.values, torch.zeros(())),
            valid=self.valid & mask,
            repeats=torch.where(mask, self.repeats, torch.zeros((), dtype=torch.int32)),
            repeat_variance=torch.where(mask, self.repeat_variance, torch.zeros(())),
        )


def _pairs(numbers: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """Two long tensors out of a list of pairs."""
    both = torch.tensor(numbers, dtype=torch.long).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _refuse_too_large(scores: np.ndarray | Tensor, metrics: Sequence[MetricSpec]) -> None:
    """Refuse finite values of which a square would be infinite."""
    exact = np.asarray(scores, dtype=np.float64)
    for number, spec in enumerate(metrics):
        values = exact[:, :, number][np.isfinite(exact[:, :, number])]
        most = float(np.abs(values).max()) if values.size else 0.0
        if most > LARGEST:
            raise DataRefused(f"Metric {spec.name}: a value of size {most:.3g}; use a unit in which all are smaller.")


def _refuse_lost_digits(scores: np.ndarray | Tensor, metrics: Sequence[MetricSpec]) -> None:
    """Refuse values whose differences float32 cannot hold, such as time stamps or counters over 2^24."""
    exact = np.asarray(scores, dtype=np.float64)
    for number, spec in enumerate(metrics):
        values = exact[:, :, number][np.isfinite(exact[:, :, number])]
        if not values.size:
            continue
        with np.errstate(over="ignore"):
            lost = float(np.abs(values - values.astype(np.float32).astype(np.float64)).max())
        if 1e-4 * float(values.std()) < lost < np.inf and np.ptp(values) > 0:
            raise DataRefused(
                f"Metric {spec.name}: values around {values.mean():.6g} differ by too little of their size to be kept "
                "exactly. Subtract a common offset or use a smaller unit range."
            )


def _refuse_repeated(label: str, names: Sequence[str]) -> None:
    if len(set(names)) == len(names):
        return
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    raise DataRefused(f"Score matrix: {label} named more than once: {', '.join(twice[:5])}.")


def _guess(name: str, values: np.ndarray) -> MetricSpec:
    """Bounds that the data show: [0, 1] (binary when nothing lies between), else none."""
    seen = values[~np.isnan(values)]
    if seen.size and seen.min() >= 0 and seen.max() <= 1:
        return MetricSpec(name, low=0.0, high=1.0, binary=bool(np.isin(seen, (0.0, 1.0)).all()))
    return MetricSpec(name)
