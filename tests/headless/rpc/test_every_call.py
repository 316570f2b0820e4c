"""Every call that has a handler, on the real world with arguments of its binding: the answer has its declared type.

The types are those of CARLA's server bindings (``CarlaServer.cpp``), written down here a second time.
"""

import re
from pathlib import Path

import msgpack
import pytest

pytest.importorskip("carla")

from bestrand_drive.headless.actor import Kind
from bestrand_drive.headless.rpc.dispatch import HANDLERS
from bestrand_drive.headless.rpc.tables import ACCEPTED, REFUSED
from bestrand_drive.headless.versions import Answer, known_versions, load_version
from tests.headless.live import CAR, CATALOG, Live, at
from tests.headless.world.mini import MINI_XODR

VOID = "void"
F = "float"
V3 = (F, F, F)
TRANSFORM = (V3, V3)
OPTIONAL = "optional of a float"
POINT = (V3, int)
SETTINGS = (bool, bool, OPTIONAL, bool, F, int, F, bool, F, F, bool)
WHEEL = (*(F,) * 9, V3)
PHYSICS = ([(F, F)], *(F,) * 5, bool, F, F, F, [(F, F, F)], F, F, V3, [(F, F)], [WHEEL], bool)
DEFINITION = (int, str, str, [(str, int, str, [str], bool, bool)])


def box(version):
    """The type ``carla::geom::BoundingBox``."""
    return (V3, V3, V3) if version == "0.9.15" else (V3, V3, V3, int)


def actor(version):
    """The type ``carla::rpc::Actor``."""
    return (int, int, (int, str, [(str, int, str)]), box(version), bytes, bytes)


def matches(kind, value):
    """Whether a value read off the wire has a type: a class, a tuple for a struct, a list of one for a vector."""
    if kind == F:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == OPTIONAL:
        return value == [False] or (len(value) == 2 and value[0] is True and matches(F, value[1]))
    if isinstance(kind, list):
        return isinstance(value, list) and all(matches(kind[0], one) for one in value)
    if isinstance(kind, tuple):
        fits = isinstance(value, list) and len(value) == len(kind)
        return fits and all(matches(part, one) for part, one in zip(kind, value, strict=True))
    return isinstance(value, kind)


def test_the_check_of_types_tells_right_from_wrong():
    assert matches((int, [str], OPTIONAL, bytes), [1, ["a"], [True, 0.5], b""])
    for wrong in ([1, ["a"], [True], b""], [1, [1], [False], b""], [True, [], [False], b""], [1, [], [False], ""], [1]):
        assert not matches((int, [str], OPTIONAL, bytes), wrong)


def calls(live):
    """Name -> arguments of a call that succeeds, and the type of its value."""
    return {**actor_calls(live), **vehicle_calls(live), **town_calls(live)}


def actor_calls(live):
    """Calls on actors of any kind."""
    version, car, push = live.version.name, live.car, [100.0, 0.0, 0.0]
    spawn = [1, CAR, [["role_name", 3 + live.version.attribute_type_base, "hero"]]]
    return {
        "get_spectator": ((), actor(version)),
        "get_actors_by_id": (([car, live.walker, live.light, live.imu],), [actor(version)]),
        "spawn_actor": ((spawn, at(100.0)), actor(version)),
        "spawn_actor_with_parent": (([1, "sensor.camera.rgb", []], at(1.0), car, 0, ""), actor(version)),
        "destroy_actor": ((live.imu,), bool),
        "get_actor_bounding_box": ((car,), box(version)),
        "set_actor_location": ((car, [20.0, 1.75, 0.5]), VOID),
        "set_actor_transform": ((car, at(20.0)), VOID),
        "set_actor_target_velocity": ((car, push), VOID),
        "set_actor_target_angular_velocity": ((car, [0.0, 0.0, 5.0]), VOID),
        "enable_actor_constant_velocity": ((car, [5.0, 0.0, 0.0]), VOID),
        "disable_actor_constant_velocity": ((car,), VOID),
        "add_actor_impulse": ((car, push), VOID),
        "add_actor_impulse_at_location": ((car, push, [20.0, 2.0, 0.0]), VOID),
        "add_actor_force": ((car, push), VOID),
        "add_actor_force_at_location": ((car, push, [20.0, 2.0, 0.0]), VOID),
        "add_actor_angular_impulse": ((car, push), VOID),
        "add_actor_torque": ((car, push), VOID),
        "set_actor_simulate_physics": ((car, True), VOID),
        "set_actor_enable_gravity": ((car, True), VOID),
        "set_actor_collisions": ((car, True), VOID),
    }


def vehicle_calls(live):
    """Calls on vehicles and walkers."""
    car, walker = live.car, live.walker
    return {
        "apply_control_to_vehicle": ((car, [0.5, 0.0, 0.0, False, False, False, 1]), VOID),
        "apply_ackermann_control_to_vehicle": ((car, [0.1, 0.0, 5.0, 1.0, 0.0]), VOID),
        "get_ackermann_controller_settings": ((car,), (F,) * 6),
        "apply_ackermann_controller_settings": ((car, [0.1, 0.0, 0.2, 0.01, 0.0, 0.01]), VOID),
        "get_physics_control": ((car,), PHYSICS),
        "apply_physics_control": ((car, live.answer("get_physics_control", car)[0][1]), VOID),
        "get_vehicle_light_state": ((car,), (int,)),
        "set_vehicle_light_state": ((car, [3]), VOID),
        "get_vehicle_light_states": ((), [(int, int)]),
        "get_wheel_steer_angle": ((car, 0), F),
        "apply_control_to_walker": ((walker, [[1.0, 0.0, 0.0], 1.5, False]), VOID),
        "set_walker_state": ((walker, at(60.0), 1.0), VOID),
    }


def town_calls(live):
    """Episode, map, lights, weather, rays, TrafficManagers, batches; the last of them begins another episode."""
    version, light = live.version.name, live.light
    command = [[1, CAR, []], at(140.0), [False], []]
    if version != "0.9.15":
        command[3:3] = [0, ""]
    return {
        "version": ((), str),
        "tick_cue": ((), int),
        "get_available_maps": ((), [str]),
        "get_episode_info": ((), (int, (bytes,))),
        "get_sensor_token": ((1,), (bytes,)),
        "get_map_info": ((), (str, [TRANSFORM])),
        "get_map_data": ((), str),
        "get_episode_settings": ((), SETTINGS),
        "set_episode_settings": (([True, False, [True, 0.05], True, 0.01, 10, 0.0, True, 1.0, 2.0, True],), int),
        "get_actor_definitions": ((), [DEFINITION]),
        "set_traffic_light_state": ((light, 2), VOID),
        "set_traffic_light_green_time": ((light, 4.0), VOID),
        "set_traffic_light_yellow_time": ((light, 1.0), VOID),
        "set_traffic_light_red_time": ((light, 2.0), VOID),
        "freeze_traffic_light": ((light, True), VOID),
        "freeze_all_traffic_lights": ((False,), VOID),
        "reset_traffic_light_group": ((light,), VOID),
        "reset_all_traffic_lights": ((), VOID),
        "get_group_traffic_lights": ((light,), [int]),
        "get_light_boxes": ((light,), [box(version)]),
        "get_all_level_BBs": ((255,), [box(version)]),
        "get_weather_parameters": ((), (F,) * 14),
        "set_weather_parameters": (([float(k) for k in range(14)],), VOID),
        "get_imui_gravity": ((), F),
        "set_imui_gravity": ((9.8,), VOID),
        "project_point": (([20.0, 1.75, 3.0], [0.0, 0.0, -1.0], 10.0), (bool, POINT)),
        "cast_ray": (([20.0, 1.75, 3.0], [20.0, 1.75, -3.0]), [POINT]),
        "is_traffic_manager_running": ((8000,), bool),
        "get_traffic_manager_running": ((8000,), (str, int)),
        "add_traffic_manager_running": ((["127.0.0.1", 8000],), bool),
        "destroy_traffic_manager": ((8000,), bool),
        "apply_batch": (([[[0, command]], [[1, [live.walker]]]], False), [((int, int),)]),
        "copy_opendrive_to_file": ((MINI_XODR, [2.0, 50.0, 1.0, 0.6, True, True, True]), VOID),
        "load_new_episode": (("OpenDriveMap", True, 0xFFFF), VOID),
    }


def test_the_examples_cover_every_handler():
    assert set(calls(Live())) == set(HANDLERS)


@pytest.mark.parametrize("name", known_versions())
def test_every_handler_answers_with_the_declared_type(name):
    live = Live(name)
    for call, (arguments, kind) in calls(live).items():
        if call not in live.version.calls:
            assert "knows no call" in live.answer(call, *arguments)[0][1][0]
            continue
        answer = live.answer(call, *arguments)
        if kind == VOID:
            assert (live.version.calls[call], answer) == (Answer.VOID, [[False]]), call
        elif call == "apply_batch":
            assert matches(kind, answer), (call, answer)
            assert [one[0][0] for one in answer] == [1, 1]
        else:
            assert live.version.calls[call] is Answer.VALUE, call
            ((index, value),) = answer
            assert index == 1, (call, value)
            assert matches(kind, value), (call, value)
    assert live.answer("tick_cue")[0][0] == 1


def test_what_is_asked_for_is_really_there():
    live = Live()
    assert len(live.answer("get_actor_definitions")[0][1]) == len(CATALOG.listed()) > 100
    assert [one[0] for one in live.answer("get_actors_by_id", [live.car, 999, live.walker])[0][1]] == [
        live.car,
        live.walker,
    ]
    assert live.answer("cast_ray", [20.0, 1.75, 3.0], [20.0, 1.75, -3.0])[0][1] == [[[20.0, 1.75, 0.0], 1]]
    assert live.answer("get_group_traffic_lights", live.light)[0][1] == [live.light]


def test_the_same_actor_is_described_once_however_often_it_is_asked_for():
    live = Live()
    assert len(live.answer("get_actors_by_id", [live.car] * 100_000)[0][1]) == 1


def test_light_boxes_are_those_of_a_light():
    live = Live()
    assert live.answer("get_light_boxes", live.light) == [[1, []]]
    assert live.answer("get_light_boxes", live.car)[0][0] == 0


def test_no_client_can_put_another_type_into_what_others_are_told():
    live = Live()
    for parent in (float(live.car), True):
        assert live.answer("spawn_actor_with_parent", [1, "sensor.camera.rgb", []], at(1.0), parent, 0, "")[0][0] == 0
        command = [[0, [[1, "sensor.camera.rgb", []], at(1.0), [True, parent], 0, "", []]]]
        assert live.answer("apply_batch", [command], False)[0][0][0] == 0
    for flags in (-1, 1 << 32, True):
        assert live.answer("set_vehicle_light_state", live.car, [flags])[0][0] is True
    odd = [1, CAR, [["role_name", 300, "hero"], ["color", -7, "1,2,3"]]]
    attributes = live.answer("spawn_actor", odd, at(100.0))[0][1][2][2]
    assert attributes[:2] == [["role_name", 4, "hero"], ["color", 5, "1,2,3"]]


def test_a_stream_has_a_token_while_its_sensor_lives():
    live = Live()
    stream = live.world.actors[live.imu].stream_id
    ((_, (token,)),) = live.answer("get_sensor_token", stream)
    assert int.from_bytes(token[:4], "little") == stream
    assert live.answer("get_sensor_token", stream + 1) == [[0, [f"unable to find a sensor with stream {stream + 1}"]]]
    live.answer("destroy_actor", live.imu)
    assert live.answer("get_sensor_token", stream)[0][0] == 0
    assert live.answer("get_sensor_token", 0)[0][0] == 0


@pytest.mark.parametrize("name", known_versions())
def test_every_other_call_is_accepted_or_says_why_not(name):
    live = Live(name)
    for call, shape in load_version(name).calls.items():
        if call in HANDLERS:
            continue
        ((slot, *rest),) = live.answer(call, *_subject(live, call))
        if call in ACCEPTED:
            assert (slot, len(rest)) == ((False, 0) if shape is Answer.VOID else (1, 1)), call
        else:
            assert slot is (True if shape is Answer.VOID else 0), call
            assert REFUSED[call] in rest[0][0], call


def _subject(live, call):
    """The actor that an accepted call is about."""
    kinds = ACCEPTED[call].of if call in ACCEPTED else ()
    return [{Kind.VEHICLE: live.car, Kind.WALKER: live.walker}[kinds[0]]] if kinds else []


@pytest.mark.parametrize("call", [name for name, entry in ACCEPTED.items() if entry.of])
def test_what_is_accepted_of_an_actor_needs_one_of_its_kind(call):
    live = Live()
    failed = True if live.version.calls[call] is Answer.VOID else 0
    for wrong in ([], [9999], [-1], ["x"], *([] if Kind.SENSOR in ACCEPTED[call].of else [[live.imu]])):
        ((slot, error),) = live.answer(call, *wrong)
        assert (slot, len(error)) == (failed, 1), wrong


def test_inertial_sensors_feel_the_gravity_that_was_set_until_another_map_comes():
    live = Live()
    for value in (float("nan"), 1e30, "x"):
        assert live.answer("set_imui_gravity", value)[0][0] is True
    assert live.answer("set_imui_gravity", 1.62) == [[False]]
    assert live.answer("get_imui_gravity") == [[1, 1.62]]
    live.answer("tick_cue")
    stream = live.world.actors[live.imu].stream_id
    live.world.tick()
    (body,) = [pieces[1] for number, pieces in live.sensors.frames() if number == stream]
    assert msgpack.unpackb(body)[0] == pytest.approx([0.0, 0.0, 1.62])
    live.answer("copy_opendrive_to_file", MINI_XODR, [])
    live.answer("load_new_episode", "OpenDriveMap", True, 0xFFFF)
    assert live.answer("get_imui_gravity") == [[1, 9.81]]


def test_the_page_counts_the_calls_as_they_are():
    calls = set(load_version("0.9.16").calls)
    page = (Path(__file__).resolve().parents[3] / "docs" / "headless.md").read_text()
    said = re.search(r"(\d+) of 0\.9\.16's (\d+) calls act; (\d+) are accepted", page)
    assert said is not None
    assert [int(number) for number in said.groups()] == [
        len(calls & HANDLERS.keys()),
        len(calls),
        len(calls & ACCEPTED.keys()),
    ]


def test_a_refusal_that_no_client_reads_is_printed_once(capfd):
    live = Live()
    for _ in range(3):
        live.dispatcher.call(1, "enable_chrono_physics", [live.car], awaited=False)
        live.dispatcher.call(1, "get_bones_transform", [live.car], awaited=True)
    said = capfd.readouterr().err
    assert said.count("enable_chrono_physics") == 1
    assert "get_bones_transform" not in said
