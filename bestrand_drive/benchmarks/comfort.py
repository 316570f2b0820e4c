"""Bench2Drive's comfort (its script says smoothness), from the agent's per-step ``metric_info.json``.

Per route, chunks of 20 steps (a shorter tail is dropped; a route of at most 20 steps is one chunk) in which six
smoothed signals stay strictly inside nuPlan's bounds; comfort is the share of such chunks. Two quirks of the
official script are kept under the official name: the "yaw acceleration" it tests is the smoothed yaw rate (no
derivative is taken), and the yaw rate comes in degrees per second while the bounds are in radians per second.

Not validated on real files: no public results hold a ``metric_info.json``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from bestrand_drive.benchmarks.result_files import METRIC_INFO, find_files
from bestrand_drive.benchmarks.strict_json import load_json
from bestrand_drive.errors import DataRefused

Array = NDArray[np.float64]

_STEPS = 20
_WINDOW = 7
_ORDER = 2
_STEP_S = 0.1
_VECTORS = ("acceleration", "angular_velocity", "forward_vector", "right_vector")
_LONGITUDINAL = (-4.05, 2.40)  # m/s²
_LATERAL = 4.89  # m/s²
_JERK = 8.37  # m/s³
_LONGITUDINAL_JERK = 4.13  # m/s³
_YAW_ACCELERATION = 1.93  # rad/s², compared with the yaw rate
_YAW_RATE = 0.95  # rad/s


@dataclass(frozen=True)
class ComfortFiles:
    """The ``metric_info.json`` files at hand, by the name of the folder they lie in.

    Two repeats of a route that began in the same second have the same name, and lie in two folders of repeats.
    """

    paths: Mapping[str, tuple[Path, ...]]

    @staticmethod
    def find(results: Path, metric_info: Path | None) -> ComfortFiles | None:
        """Look for the files; None when there is none beside the results and no folder was named.

        Args:
            results: The results' path, searched when ``metric_info`` is None.
            metric_info: Folder that must hold such files.

        Raises:
            DataRefused: The named folder holds none, or two folders have the same name, also that of their repeat.
        """
        root = metric_info or results
        found = (
            [path for path in find_files(root) if path.name == METRIC_INFO and path.is_file()] if root.is_dir() else []
        )
        if metric_info is not None and not found:
            raise DataRefused(f"{metric_info}: no {METRIC_INFO} in any folder below. Give the agent's SAVE_PATH.")
        paths: dict[str, tuple[Path, ...]] = {}
        for path in sorted(found):
            same = paths.get(path.parent.name, ())
            if same and not (_repeat(path) and _repeat(path) not in map(_repeat, same)):
                raise DataRefused(f"{path}: {same[0]} is for the same drive. Keep one of them.")
            paths[path.parent.name] = (*same, path)
        return ComfortFiles(paths) if paths else None

    def percent(self, save_name: str, repeat: str = "") -> tuple[float, str]:
        """Comfort of one drive in percent, or NaN and the reason why it is missing.

        Args:
            save_name: Of the record; only compared with folder names, never joined to a path.
            repeat: Label of the record's repeat, which decides where two drives have one name.

        Raises:
            DataRefused: The file is malformed.
        """
        same = self.paths.get(save_name, ())
        path = next((one for one in same if len(same) == 1 or _repeat(one) == repeat), None)
        if path is None:
            return math.nan, f"no {METRIC_INFO}"
        signals = _signals(path, load_json(path))
        if len(signals["acceleration"]) <= _ORDER:
            return math.nan, f"{METRIC_INFO} has too few steps"
        return 100.0 * comfort_share(signals), ""


def _repeat(path: Path) -> str:
    """The number of the repeat whose folder a drive lies in; "" when it lies elsewhere."""
    name = path.parent.parent.name
    return str(int(name)) if name.isascii() and name.isdecimal() else ""


def comfort_share(signals: Mapping[str, Array]) -> float:
    """Share of chunks inside all bounds, 0 to 1.

    Args:
        signals: ``acceleration`` (m/s²), ``angular_velocity`` (as logged), ``forward_vector``, ``right_vector``,
            each [step, axis] with at least three steps.
    """
    steps = len(signals["acceleration"])
    length = min(steps, _STEPS)
    whole = steps // length * length
    chunks = {name: vectors[:whole].reshape(-1, length, vectors.shape[1]) for name, vectors in signals.items()}
    return float(np.mean(_inside(chunks)))


def _inside(chunks: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Whether each chunk's six signals all lie strictly inside their bounds, bool [chunk].

    Args:
        chunks: Signals as above, [chunk, step, axis].
    """
    acceleration = chunks["acceleration"][:, :, :2]
    longitudinal = _smooth(np.sum(acceleration * chunks["forward_vector"][:, :, :2], axis=2))
    lateral = _smooth(np.sum(acceleration * chunks["right_vector"][:, :, :2], axis=2))
    magnitude = _smooth(np.hypot(acceleration[:, :, 0], acceleration[:, :, 1]))
    yaw_rate = _smooth(_unwrap(chunks["angular_velocity"][:, :, 2]))
    checks = (
        (longitudinal, *_LONGITUDINAL),
        (lateral, -_LATERAL, _LATERAL),
        (_slope(magnitude), -_JERK, _JERK),
        (_slope(longitudinal), -_LONGITUDINAL_JERK, _LONGITUDINAL_JERK),
        (yaw_rate, -_YAW_ACCELERATION, _YAW_ACCELERATION),
        (yaw_rate, -_YAW_RATE, _YAW_RATE),
    )
    held = [((low < signal) & (signal < high)).all(axis=1) for signal, low, high in checks]
    return np.asarray(np.all(held, axis=0), dtype=np.bool_)


def _smooth(signal: Array) -> Array:
    return np.asarray(savgol_filter(signal, min(_WINDOW, signal.shape[1]), _ORDER), dtype=np.float64)


def _slope(signal: Array) -> Array:
    window = min(_WINDOW, signal.shape[1])
    return np.asarray(savgol_filter(signal, window, _ORDER, deriv=1, delta=_STEP_S), dtype=np.float64)


def _unwrap(angles: Array) -> Array:
    """Remove jumps of more than half a turn along the last axis, in radians as the official script does."""
    turns = np.cumsum(np.round(np.diff(angles, axis=-1) / (2 * np.pi)), axis=-1)
    return angles - 2 * np.pi * np.concatenate([np.zeros_like(angles[..., :1]), turns], axis=-1)


def _signals(path: Path, document: Any) -> dict[str, Array]:  # noqa: ANN401  anything JSON can hold
    """The four vectors of every step, [step, axis], in the file's order as the official script reads them."""
    if not isinstance(document, dict):
        raise DataRefused(f"{path}: not an object of steps. The file is damaged or not an agent's.")
    return {
        name: np.array([_vector(path, step, values, name) for step, values in document.items()]).reshape(-1, 3)
        for name in _VECTORS
    }


def _vector(path: Path, step: str, values: object, name: str) -> list[float]:
    vector = values.get(name) if isinstance(values, dict) else None
    if not isinstance(vector, list) or len(vector) != 3 or not all(map(_is_finite, vector)):
        raise DataRefused(f"{path}, step {step[:20]!r}: {name} is not three finite numbers. The file is damaged.")
    return [float(value) for value in vector]


def _is_finite(value: object) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
