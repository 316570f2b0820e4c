"""Bench2Drive's five abilities: which items test them, and scenario types that no ability knows.

Source: the benchmark's ability script, by the first scenario of each route; each route counts once an ability.
Its map-based extra credit for Traffic_Signs (a failed route that passed its junction) needs CARLA's maps.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Mapping

TRAFFIC_SIGNS_NOTE = (
    "ability_traffic_signs counts successes only: Bench2Drive's extra credit for failed routes that pass their "
    "junction needs CARLA's maps and is unavailable here"
)


def ability_domains(
    types: Mapping[str, str], abilities: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, frozenset[str]], tuple[str, ...]]:
    """Items of each ability, and findings about types and abilities without a partner.

    Args:
        types: Item id -> scenario type.
        abilities: Ability -> its scenario types.

    Returns:
        Ability -> item ids (abilities without an item left out), and sentences.
    """
    domains = {
        ability: frozenset(item for item, kind in types.items() if kind in members)
        for ability, members in abilities.items()
    }
    empty = [ability for ability, items in domains.items() if not items]
    findings = [f"no route tests {', '.join(empty)}"] if empty else []
    known = sorted({kind for members in abilities.values() for kind in members})
    findings += _unknown_types(types, known)
    return {ability: items for ability, items in domains.items() if items}, tuple(findings)


def _unknown_types(types: Mapping[str, str], known: list[str]) -> list[str]:
    routes = defaultdict(list)
    for item, kind in types.items():
        if kind not in known:
            routes[kind].append(item)
    return [_misspelt(kind, items, known) for kind, items in sorted(routes.items())]


def _misspelt(kind: str, items: list[str], known: list[str]) -> str:
    near = difflib.get_close_matches(kind, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"scenario type {kind[:60]!r} (routes {', '.join(items[:5])}) belongs to no ability{hint}"
