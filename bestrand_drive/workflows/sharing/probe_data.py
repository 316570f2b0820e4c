"""Whether a suite's probe data may be passed on, and the suite without them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from bestrand_drive.errors import UsageError, choices
from bestrand_drive.suite.schema import Suite, SuiteProbe

ProbeDataRule = Literal["auto", "yes", "no"]
LEAST_ITEMS = 5
"""Sums over fewer items tell too much of each one."""

_OPEN = re.compile(
    r"0bsd|apache(-2(\.0)?)?|bsd(-[234]-clause)?|cc0(-1\.0)?|cc-by(-sa)?(-[1-4]\.\d)?|cdla-(permissive|sharing)-\d\.0|isc|mit"
    r"|odbl(-1\.0)?|odc-by(-1\.0)?|pddl(-1\.0)?|public-domain|unlicense|wtfpl|zlib"
)
"""Licences that let anybody pass on the data and what is made of them. Not among them: NC (nobody here knows what the
file is used for) and ND (a suite's figures are made of the data)."""


def permits_sharing(licence: str) -> bool:
    """Whether a licence, as a user wrote it, is one that is known to let derived data be passed on."""
    plain = re.sub(r"[\s_]+", "-", licence.strip().lower())
    return bool(_OPEN.fullmatch(re.sub(r"-?licen[cs]e$", "", plain)))


def forbidding(suite: Suite) -> list[SuiteProbe]:
    """Probes whose licence is not known to permit it; ``not stated`` does not."""
    return [probe for probe in suite.probes if not permits_sharing(probe.licence)]


def shareable(suite: Suite, rule: ProbeDataRule) -> tuple[Suite, str]:
    """The suite as it may be passed on, and a sentence about what was left out ("" for nothing).

    Args:
        suite: The suite.
        rule: ``yes`` (the user says that it is allowed), ``no``, or ``auto``: by the licences of the probes. All must
            permit it, as the figures of an item are means over probes.

    Raises:
        UsageError: An unknown rule.
    """
    if rule not in ("auto", "yes", "no"):
        raise UsageError(f"--probe-data {rule}: known are {choices(rule, ('auto', 'yes', 'no'))}")
    against = forbidding(suite)
    if not suite.probes or rule == "yes" or (rule == "auto" and not against):
        return suite, ""
    said = "probe data are left out (per-item figures, digests, model constants)"
    if rule == "no":
        return without_probe_data(suite), f"{said}: --probe-data no"
    named = ", ".join(f"{probe.name} ({probe.licence})" for probe in against[:6])
    more = f" and {len(against) - 6} more" if len(against) > 6 else ""
    return without_probe_data(suite), (
        f"{said}: no licence that permits sharing is stated for {named}{more}; state it with compress --licence, "
        "or say --probe-data yes if you may share them"
    )


def without_probe_data(suite: Suite) -> Suite:
    """The suite that ``compress --no-probe-data`` makes, also without what identifies a probe's scores on items.

    Left out are per-item difficulty and durations, model and regression constants, expected errors, digests, values of
    single domains (two domains may differ by one item) and sums over fewer than ``LEAST_ITEMS`` items.
    """
    metrics = [
        metric.model_copy(
            update=dict.fromkeys(("model", "within", "between", "regression", "expected_error"))  # all None
        )
        for metric in suite.metrics
    ]
    probes = [_without_items(probe, suite) for probe in suite.probes]
    items = [item.model_copy(update={"cost_s": None}) for item in suite.items] if suite.probes else suite.items
    return suite.model_copy(update={"metrics": metrics, "probes": probes, "items": items}).sealed()


def _without_items(probe: SuiteProbe, suite: Suite) -> SuiteProbe:
    names = {metric.name for metric in suite.metrics} | {rule.name for rule in suite.harmonic}
    few_hours = min(suite.k, suite.n - suite.k) < LEAST_ITEMS
    kept: Mapping[str, object] = {
        "digest": "",
        "full_digest": "",
        "full": {name: value for name, value in probe.full.items() if name in names and probe.items >= LEAST_ITEMS},
        "hours": None if few_hours else probe.hours,
    }
    return probe.model_copy(update=dict(kept))
