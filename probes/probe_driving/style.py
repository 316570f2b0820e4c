"""What a probe can do, and how it likes to drive."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Dict, Union

_YES = {"1", "true", "yes"}
_NO = {"0", "false", "no"}


@dataclass(frozen=True)
class Style:
    """Abilities and manners of one driver.

    Attributes:
        sees_vehicles: Follows what drives ahead, and stops behind it.
        sees_walkers: Brakes for people in its path and for those who are about to step into it.
        sees_props: Stops in front of things that stand on the road.
        obeys_lights: Stops at red lights, and at yellow ones where it still can.
        obeys_stops: Stops at stop signs.
        yields: Looks where other vehicles are going: junctions, turns across traffic, merging, cutting in.
        makes_way: Leaves the lane for emergency vehicles from behind.
        overtakes: Passes what stands or crawls in its lane, also over the opposite lane.
        slows_in_curves: Keeps the sideways acceleration below ``lateral_m_s2``.
        speed_m_s: A speed of its own, whatever the limit; 0 for ``speed_share`` of the limit.
        speed_share: Of the speed limit.
        top_m_s: Never faster.
        lateral_m_s2: Comfortable sideways acceleration.
        accel_m_s2: Comfortable acceleration (the a of IDM).
        brake_m_s2: Comfortable deceleration (the b of IDM).
        time_gap_s: Behind a leader (the T of IDM).
        standstill_m: Left to a leader that stands (the s0 of IDM).
        side_m: Kept free beside what is passed or may step out.
        gap_s: Kept before and after whoever crosses the path.
        horizon_s: How far the ways of others are foreseen.
        yields_s: Waited at a junction until no gap is too short.
        patience_s: Waited behind a standing vehicle before it is passed; props are passed at once.
        passing_m_s: Speed beside what is passed.
        stop_s: Stood at a stop sign.
        lookahead_s: Of pure pursuit.
        noise: Standard deviation of the steering's error, share of the full lock.
        reaction_s: From seeing to doing.
        seed: Of the noise.
    """

    sees_vehicles: bool = True
    sees_walkers: bool = True
    sees_props: bool = True
    obeys_lights: bool = True
    obeys_stops: bool = True
    yields: bool = True
    makes_way: bool = True
    overtakes: bool = True
    slows_in_curves: bool = True
    speed_m_s: float = 0.0
    speed_share: float = 0.85
    top_m_s: float = 22.0
    lateral_m_s2: float = 2.5
    accel_m_s2: float = 2.5
    brake_m_s2: float = 3.0
    time_gap_s: float = 1.2
    standstill_m: float = 3.0
    side_m: float = 0.5
    gap_s: float = 1.0
    horizon_s: float = 4.0
    yields_s: float = 8.0
    patience_s: float = 2.0
    passing_m_s: float = 7.0
    stop_s: float = 0.6
    lookahead_s: float = 0.5
    noise: float = 0.0
    reaction_s: float = 0.0
    seed: int = 0


def with_changes(style: Style, config: str) -> Style:
    """A style with some values changed by the agent's configuration.

    Evaluators append "+" and the name of a folder to the configuration: only what stands before it is read.

    Args:
        style: To start from.
        config: ``name=value,name=value``; "" changes nothing.

    Raises:
        ValueError: A name or a value that no style has.
    """
    text = config.split("+", maxsplit=1)[0].strip()
    changes: Dict[str, Union[bool, int, float]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        changes[name] = _value(style, name, value)
    return replace(style, **changes)  # type: ignore[arg-type]


def _value(style: Style, name: str, text: str) -> Union[bool, int, float]:
    """A changed value, of the type of the one that it replaces."""
    if name not in {field.name for field in fields(style)}:
        raise ValueError(f"no style has a value {name!r}")
    kind = type(getattr(style, name))
    if kind is not bool:
        return float(text) if kind is float else int(text)
    if text.lower() not in _YES | _NO:
        raise ValueError(f"{name}={text}: neither yes nor no")
    return text.lower() in _YES
