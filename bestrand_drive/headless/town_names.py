"""How towns are named: with CARLA's folders or without, and with the ending of the optimised form, or without."""

from __future__ import annotations

GENERATED_MAP = "OpenDriveMap"
"""The map under whose name clients load a road network that they sent themselves."""
_OPTIMISED = "_Opt"


def short_name(name: str) -> str:
    """``Town01_Opt`` of ``/Game/Carla/Maps/Town01_Opt``."""
    return name.rstrip("/").rsplit("/", 1)[-1]


def plain_name(name: str) -> str:
    """``Town01`` of ``Carla/Maps/Town01_Opt``; the optimised form has the same roads."""
    return short_name(name).removesuffix(_OPTIMISED)


def spellings(name: str) -> tuple[str, str, str]:
    """Short names under which a town's file may be found, the one that was asked for first."""
    short = short_name(name)
    return short, short.removesuffix(_OPTIMISED), short + _OPTIMISED
