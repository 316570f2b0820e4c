"""What a suite file knows of its items and probes, back in the form that estimators take."""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimation import ProbeKnowledge
from bestrand_drive.compression.estimators.expc import ProbeRegression
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.policy_estimates import DomainRule, HarmonicRule, Population
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.suite.schema import Suite, SuiteMetric


def stratum_numbers(suite: Suite) -> np.ndarray:
    """Stratum number of each item, int64 [item]; all 0 without strata."""
    return stratum_codes([item.stratum or "" for item in suite.items]).codes.numpy()


def chosen_numbers(suite: Suite) -> np.ndarray:
    """Number of each chosen item among all, int64 [chosen item]."""
    place = {item: number for number, item in enumerate(suite.item_ids)}
    return np.array([place[item] for item in suite.chosen], dtype=np.int64)


def probe_count(suite: Suite) -> int:
    """Probes that count: families once, copies not."""
    return len({probe.family or probe.name for probe in suite.probes if probe.copy_of is None})


def item_weights(suite: Suite) -> np.ndarray:
    """What each item counts in the benchmark's mean, float64 [item]."""
    return np.array([item.weight for item in suite.items])


def population_of(suite: Suite) -> Population:
    """The suite's benchmark in the form that estimates are made of."""
    return Population(
        strata=stratum_numbers(suite),
        weights=item_weights(suite),
        knowledge={metric.name: probe_knowledge(suite, metric) for metric in suite.metrics},
        noise={metric.name: Noise(metric.noise.sd, metric.noise.source) for metric in suite.metrics if metric.noise},
        harmonic=[HarmonicRule(rule.name, rule.score, rule.success) for rule in suite.harmonic],
        domains=[
            DomainRule(domain.name, domain.metric, np.isin(suite.item_ids, domain.items)) for domain in suite.domains
        ],
    )


def probe_knowledge(suite: Suite, metric: SuiteMetric) -> ProbeKnowledge:
    """The difficulty model or the probe regression of one metric; empty when the suite keeps no probe data."""
    return ProbeKnowledge(model=_model(suite, metric), regression=_regression(suite, metric))


def _model(suite: Suite, metric: SuiteMetric) -> DifficultyModel | None:
    constants = metric.model
    if constants is None or metric.within is None or metric.between is None:
        return None
    return DifficultyModel(
        d=np.column_stack([metric.within, metric.between]),
        strata=stratum_numbers(suite),
        beta=np.array(constants.beta),
        v_b=np.array(constants.v_b),
        s_u2=constants.s_u2,
        s_e2=constants.s_e2,
        within_variance=constants.within_variance,
        between_variance=constants.between_variance,
        in_pool=np.array([item.in_pool for item in suite.items]),
    )


def _regression(suite: Suite, metric: SuiteMetric) -> ProbeRegression | None:
    kept = metric.regression
    if kept is None:
        return None
    scores = np.full((suite.n, len(kept.scores[0])), np.nan)
    scores[chosen_numbers(suite)] = np.array(kept.scores)
    return ProbeRegression(scores, kept.slope, kept.variance, kept.correlation, kept.pool)
