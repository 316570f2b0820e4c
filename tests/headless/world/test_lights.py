"""The cycle, and what clients can change about it."""

from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.maps.signals import SignalSite
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.lights import LightState, TrafficLights

if TYPE_CHECKING:
    from collections.abc import Callable

    from bestrand_drive.headless.world.world import World

RED, YELLOW, GREEN = LightState.RED, LightState.YELLOW, LightState.GREEN
IDS = [10, 11, 12, 13]


def lights(seed: int = 0) -> TrafficLights:
    """One junction with phases (a, b) and (c); d stands alone."""
    sites = [SignalSite(name, "1000001", 0.0, Transform(), (1, 1, 1), (0, 0, 0), ()) for name in "abcd"]
    return TrafficLights(sites, [[["a", "b"], ["c", "nowhere"]]], IDS, seed)


def state(subject: TrafficLights, actor_id: int) -> LightState:
    return LightState(int(subject.record["state"][subject.index(actor_id)]))


def states(subject: TrafficLights) -> list[LightState]:
    return [state(subject, actor_id) for actor_id in IDS]


def times(subject: TrafficLights, actor_id: int) -> tuple[float, ...]:
    return tuple(float(subject.record[name][subject.index(actor_id)]) for name in ("green", "yellow", "red"))


def run(subject: TrafficLights, seconds: float) -> None:
    for _ in range(round(seconds / 0.05)):
        subject.step(0.05)


def test_phases_take_turns_with_yellow_and_all_red_between() -> None:
    subject = lights()
    assert states(subject)[:3] == [GREEN, GREEN, RED]
    run(subject, 9.95)
    assert states(subject)[:3] == [GREEN, GREEN, RED]
    run(subject, 0.05)
    assert states(subject)[:3] == [YELLOW, YELLOW, RED]
    run(subject, 3.0)
    assert states(subject)[:3] == [RED, RED, RED]
    run(subject, 2.0)
    assert states(subject)[:3] == [RED, RED, GREEN]
    run(subject, 15.0)
    assert states(subject)[:3] == [GREEN, GREEN, RED]


def test_a_light_alone_has_its_own_cycle() -> None:
    subject = lights()
    run(subject, 13.0)
    assert state(subject, 13) is RED
    run(subject, 2.0)
    assert state(subject, 13) is GREEN
    assert subject.group(13) == [13]
    assert subject.group(12) == [10, 11, 12]


def test_times_belong_to_the_controller() -> None:
    subject = lights()
    subject.set_times(10, green=1.0, yellow=0.5)
    assert times(subject, 11) == (1.0, 0.5, 2.0)
    assert times(subject, 12) == (10.0, 3.0, 2.0)
    run(subject, 1.0)
    assert state(subject, 11) is YELLOW
    run(subject, 0.5)
    assert state(subject, 11) is RED


def test_a_set_state_lasts_until_the_next_change_or_for_ever_when_frozen() -> None:
    subject = lights()
    subject.set_state(12, GREEN)
    run(subject, 9.0)
    assert state(subject, 12) is GREEN
    run(subject, 1.5)
    assert state(subject, 12) is RED
    subject.freeze(10, True)
    subject.set_state(12, GREEN)
    run(subject, 100.0)
    assert states(subject)[:3] == [YELLOW, YELLOW, GREEN]
    assert subject.record["frozen"][subject.index(11)]
    assert not subject.record["frozen"][subject.index(13)]
    subject.freeze(12, False)
    run(subject, 3.0)
    assert state(subject, 12) is RED


def test_freezing_all_stops_all() -> None:
    subject = lights()
    subject.freeze_all(True)
    run(subject, 50.0)
    assert states(subject) == [GREEN, GREEN, RED, GREEN]
    assert subject.record["frozen"].all()
    subject.freeze_all(False)
    run(subject, 10.0)
    assert state(subject, 13) is YELLOW


def test_reset_starts_a_group_or_all_again() -> None:
    subject = lights()
    run(subject, 16.0)
    subject.reset_group(11)
    assert states(subject)[:3] == [GREEN, GREEN, RED]
    assert float(subject.record["elapsed"][0]) == 0.0
    run(subject, 5.0)
    subject.reset_all()
    assert states(subject) == [GREEN, GREEN, RED, GREEN]


def test_the_elapsed_time_is_that_of_the_present_state() -> None:
    subject = lights()
    run(subject, 12.0)
    assert float(subject.record["elapsed"][1]) == pytest.approx(2.0, abs=1e-4)


def test_a_zero_time_does_not_stop_the_cycle() -> None:
    subject = lights()
    subject.set_times(10, green=0.0, yellow=0.0, red=0.0)
    run(subject, 0.3)
    assert state(subject, 12) is GREEN


def test_seeds_move_the_phases_only() -> None:
    assert [states(lights(seed)) for seed in (5, 5)] == [states(lights(5))] * 2
    assert len({tuple(lights(seed).record["elapsed"].tolist()) for seed in range(6)}) == 6


def test_another_actor_is_no_light(world: "World") -> None:
    with pytest.raises(WorldError, match="traffic light"):
        world.lights.set_state(99, GREEN)


def test_a_town_has_one_green_controller_a_junction(make_town: "Callable[..., World]") -> None:
    world = make_town("Town01")
    groups = {tuple(world.lights.group(actor_id)) for actor_id in world.lights.ids}
    assert len(groups) == 12
    been_green = set()
    for _ in range(900):
        world.tick()
        been_green |= {actor_id for actor_id in world.lights.ids if state(world.lights, actor_id) is GREEN}
        for group in groups:
            colours = [state(world.lights, actor_id) for actor_id in group]
            assert colours.count(GREEN) + colours.count(YELLOW) <= 1
    assert been_green == set(world.lights.ids)  # 45 s are one turn of a junction of three
