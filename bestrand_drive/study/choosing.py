"""Choosing the subsets of a batch of seeds: a fast way for the cheap selectors, the selector itself for the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.features import standardised_features
from bestrand_drive.compression.pool import _half_up
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.study.candidates import (
    best_candidate,
    best_of_classes,
    exchanged,
    response_classes,
    simple_candidates,
    systematic_candidates,
)
from bestrand_drive.study.problem import Problem, Roles

Array = np.ndarray
