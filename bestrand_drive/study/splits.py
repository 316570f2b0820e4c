"""Who is probe and who is target: at random, or so that targets come from elsewhere than probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bestrand_drive.compression.probe_choice import drawn
from bestrand_drive.errors import UsageError
from bestrand_drive.study.problem import Roles, Split

SPLITS = ("random", "score", "family", "time")
PROBE_CHOICES = ("random", "uniform", "low", "high")


def random_split(abilities: np.ndarray, probes: int, choice: str = "random") -> Split:
    """Probes out of all policies; every other policy is a target.

    Args:
        abilities: float64 [policy], mean score.
        probes: How many.
        choice: One of ``PROBE_CHOICES``, see ``compression.probe_choice.drawn``.
    """

    def split(seed: int) -> Sequence[Roles]:
        picked = drawn(abilities, probes, choice, _rng(seed))
        return [_roles(picked, np.setdiff1d(np.arange(len(abilities)), picked))]

    return split


def ordered_split(values: np.ndarray, probes: int) -> Split:
    """Probes out of the lower half by some value (score, date), targets are the upper half.

    Args:
        values: float64 [policy].
        probes: How many.
    """
    order = np.argsort(values, kind="stable")
    half = (len(order) + 1) // 2
    if probes > half:
        raise UsageError(f"--n-probes {probes}: the lower half has {half} models only.")

    def split(seed: int) -> Sequence[Roles]:
        return [_roles(_rng(seed).choice(order[:half], probes, replace=False), order[half:])]

    return split


def family_split(labels: Sequence[str], probes: int) -> Split:
    """Probes out of p families, one each; targets are the policies of all other families.

    Args:
        labels: Family of each policy.
        probes: How many; fewer than there are families.

    Raises:
        UsageError: There are too few families.
    """
    families = [np.flatnonzero(np.array(labels) == label) for label in dict.fromkeys(labels)]
    if probes >= len(families):
        raise UsageError(f"--split family: {len(families)} families for {probes} probes; one must be left for targets.")

    def split(seed: int) -> Sequence[Roles]:
        rng = _rng(seed)
        order = rng.permutation(len(families))
        picked = np.array([rng.choice(families[number]) for number in order[:probes]])
        return [_roles(picked, np.sort(np.concatenate([families[number] for number in order[probes:]])))]

    return split


def left_out_families(groups: Mapping[str, Sequence[int]], targets: Mapping[str, Sequence[int]]) -> Split:
    """Each family in turn is the target and all others are probes, in every seed.

    Args:
        groups: Probe numbers of each family.
        targets: Target numbers of each family (the same, or single runs whose mean is the probe).
    """
    roles = []
    for name, own in targets.items():
        others = [tuple(members) for family, members in groups.items() if family != name]
        probes = tuple(number for members in others for number in members)
        places = tuple(tuple(probes.index(number) for number in members) for members in others)
        roles.append(Roles(probes, places, tuple(own)))
    return lambda seed: roles


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng([0, seed])


def _roles(probes: np.ndarray, targets: np.ndarray) -> Roles:
    return Roles(
        probes=tuple(int(number) for number in probes),
        families=tuple((place,) for place in range(len(probes))),
        targets=tuple(int(number) for number in targets),
    )
