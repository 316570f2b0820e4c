"""Reports of any size and with any names."""

from __future__ import annotations

from collections.abc import Sequence

from bestrand_drive.reports.data import (
    Cell,
    Curve,
    Ends,
    Hours,
    Line,
    Metric,
    Policy,
    Probe,
    ReportData,
    Share,
    State,
    SuiteFacts,
    Try,
)

HOSTILE = (
    "<script>document.title='owned'</script>",
    "\"'><img src=x onerror=document.title='owned'>",
    "\u202egnp.elif\u202c שלום العربية",
    "🚗\u200d🔥 e\u0301 \x00\x1b[31mred\x1b[0m",
    "</script><!--<script>",
    "{{ 7*7 }} {% raw %} ${1} &amp; &lt;b&gt;",
    "=HYPERLINK(1)",
    "\u2028 a \u2029",
    "w" * 4000,
)
"""Names that a page must show as text, in its width, and do nothing else with."""
STATES: tuple[State, ...] = ("completed", "failed", "missing")


def metric(name: str, *, part: bool = False, reason: str = "") -> Metric:
    """A metric of 0 to 100."""
    curve = Curve((20, 77, 200), (5.0, 2.0, 0.1), (5.2, 2.5, 1.1), 1.0)
    return Metric(
        name, "percent", 0.0, 100.0, True, part, not part, None if part else Curve(reason=reason) if reason else curve
    )


def line(value: float | None) -> Line:
    """An estimate with both intervals, or a withheld one."""
    if value is None:
        return Line(None, None, None, "", "", "4 measured items test it, 8 are needed", None, None)
    run, policy = (Ends(max(value - half, 0.0), min(value + half, 100.0)) for half in (3.0, 5.0))
    return Line(value, run, policy, "borrowed: somewhere", "blup", "", None, Ends(value - 1, value + 1))


def report(
    policies: Sequence[str] = ("One", "Two"),
    items: Sequence[str] = ("1", "2", "10"),
    *,
    strata: Sequence[str] = ("Cut", "Turn"),
    log: str = "Signal 11\n",
    metrics: Sequence[str] = ("driving_score", "success"),
    driving: bool = True,
) -> ReportData:
    """A report in which every third cell is missing and has a log."""
    names = [metric(name) for name in metrics] + ([metric("ability_merging", part=True)] if driving else [])
    return ReportData(
        suite=_suite(items, strata, driving=driving),
        level=0.95,
        metrics=tuple(names),
        policies=tuple(_policy(name, number, names, items, driving=driving) for number, name in enumerate(policies)),
        cells=tuple(
            _cell(policy, item, strata[number % len(strata)], number + offset, metrics, log, driving=driving)
            for offset, policy in enumerate(policies)
            for number, item in enumerate(items)
        ),
        notes=(log,),
        version="0",
    )


def _suite(items: Sequence[str], strata: Sequence[str], *, driving: bool) -> SuiteFacts:
    shares = tuple(Share(name, 5, 2) for name in strata)
    return SuiteFacts(
        title="Bench", benchmark="bench2drive", route_set=strata[0], k=77, n=220,
        item_word="routes" if driving else "items", stratum_word="scenario types",
        driving=driving, strata=shares, parts=shares[:1] if driving else (),
        selector="balanced", seed=0, imbalance=0.16, candidates=128, hours=(1.0, 3.0), excluded={items[0]: strata[0]},
        findings=(strata[0],), digest="a" * 64, source_sha256="b" * 64,
        probes=(Probe(strata[0], strata[0], "MIT", 220),),
    )  # fmt: skip


def _policy(name: str, number: int, metrics: Sequence[Metric], items: Sequence[str], *, driving: bool) -> Policy:
    lines = {one.name: line(None if one.part else 50.0 + 7 * number % 45) for one in metrics}
    hours = Hours(1.5, 0.0, 2.0, 4, 1, 4.5, 3.0) if driving else Hours(None, None, None, 0, 0, None, None)
    missing = {item: name for place, item in enumerate(items) if (place + number) % 3 == 2}
    where = {"policy": name} if driving else {}
    simulator = "headless" if driving else "unknown"
    return Policy(name, name, simulator, False, lines, 77, missing, "exclude", hours, (name,), (name,), where)


def _cell(
    policy: str, item: str, stratum: str, number: int, metrics: Sequence[str], log: str, *, driving: bool
) -> Cell:
    state = STATES[number % 3]
    value = None if state == "missing" else float(number * 37 % 101)
    values = dict.fromkeys(metrics, value)
    if not driving:
        return Cell(policy, item, stratum, "measured", "", values, None)
    tries = (Try(item, 0, 1, "infrastructure", policy, 1.5, policy),)
    again = (f"bestrand run bench2drive --agent {policy!r} --only {item!r}",)
    return Cell(
        policy, item, stratum, state, stratum, values, 0.1 * number, tries, log if state == "missing" else "", again
    )
