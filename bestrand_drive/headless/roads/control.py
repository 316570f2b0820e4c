"""Traffic lights with phases, and stop signs."""

from __future__ import annotations

from collections.abc import Sequence

from bestrand_drive.headless.roads.needs import Control
from bestrand_drive.headless.roads.network import END, Arm, Junction, Network, Signal
from bestrand_drive.headless.roads.sections import Kind
from bestrand_drive.headless.signal_types import LIGHT_TYPE, STOP_TYPE

_BEFORE_MOUTH_M = 1.0
_POLE_M = 1.0


def rule(network: Network, junction: Junction, axes: Sequence[Sequence[Arm]], control: Control) -> None:
    """Put up the signals of a junction.

    Args:
        network: Gives the ids.
        junction: Takes the phases of its lights.
        axes: Arms that may go together; the first arm of the first is the route's.
        control: Lights for all, a stop for the route, or for all the others.
    """
    if control is Control.LIGHTS:
        junction.phases = [[signal for arm in axis for signal in _light(network, arm)] for axis in axes]
        return
    route, *others = (arm for axis in axes for arm in axis)
    for arm in [route] if control is Control.STOP else others:
        for lane in arm.lanes_in(Kind.DRIVING):  # a sign a lane: scenarios look for its trigger on the lane's centre
            _put(network, arm, STOP_TYPE, (lane, lane))


def _light(network: Network, arm: Arm) -> list[int]:
    """One light for all lanes that lead in; its id, or none where no lane does."""
    lanes = arm.lanes_in(Kind.DRIVING)
    return [_put(network, arm, LIGHT_TYPE, (min(lanes), max(lanes)))] if lanes else []


def _put(network: Network, arm: Arm, kind: str, lanes: tuple[int, int]) -> int:
    """A signal beside the road at its mouth, for lanes that lead in; its id."""
    road, along = arm.road, arm.contact == END
    s = max(road.curve.length - _BEFORE_MOUTH_M, 0.0) if along else min(_BEFORE_MOUTH_M, road.curve.length)
    side = road.section.right if along else road.section.left
    t = sum(lane.width for lane in side) + _POLE_M
    signal = Signal(network.new_id(), kind, s, -t if along else t, along, lanes)
    road.signals.append(signal)
    return signal.id
