"""Remote calls against a fake world: all bindings have an answer, arguments arrive, faults stay with the caller."""

import pytest

from bestrand_drive.headless import versions
from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.rpc.dispatch import HANDLERS
from bestrand_drive.headless.rpc.tables import ACCEPTED, REFUSED
from bestrand_drive.headless.world.controls import PhysicsControl, VehicleControl
from tests.headless.fakes import HERE, serving, wait_for

CAR = [9, "vehicle.tesla.model3", [["role_name", 4, "hero"], ["color", 5, "1,2,3"]]]


@pytest.fixture
def running():
    with serving() as server:
        yield server


@pytest.fixture
def client(running):
    return running.client()


def test_every_binding_is_handled_or_accepted_or_refused_exactly_once():
    names = {name for version in versions.known_versions() for name in versions.load_version(version).calls}
    assert sorted([*HANDLERS, *ACCEPTED, *REFUSED]) == sorted(names)


def test_accepted_values_have_the_shape_of_their_binding():
    for name, shape in versions.load_version("0.9.16").calls.items():
        if name in ACCEPTED:
            assert (ACCEPTED[name][0] is None) == (shape is versions.Answer.VOID), name


def test_an_unknown_call_is_answered_with_its_name_counted_and_printed_once(running, client, capfd):
    for _ in range(3):
        assert "make_coffee" in client.call("make_coffee", 1, 2)[0][1][0]
    assert running.server.dispatcher.unknown == {"make_coffee": 3}
    assert capfd.readouterr().err.count("make_coffee") == 1


def test_endless_new_names_do_not_fill_the_memory(running, client):
    for number in range(700):
        client.call(f"name{number}")
    assert len(running.server.dispatcher.unknown) <= 501
    assert sum(running.server.dispatcher.unknown.values()) == 700


def test_a_call_of_another_version_is_unknown():
    with serving(version="0.9.15") as old:
        answer = old.client().call("get_actor_bounding_box", 1)
        assert answer[0][0] == 0
        assert "0.9.15" in answer[0][1][0]


@pytest.mark.parametrize(("name", "slot"), [("send", True), ("get_bones_transform", 0)])
def test_a_refused_call_says_so_in_the_shape_of_its_binding(client, name, slot):
    answer = client.call(name, 1, b"")
    assert answer[0][0] is slot
    assert name in answer[0][1][0]
    assert "not emulated" in answer[0][1][0]


def test_accepted_calls_succeed(client):
    assert client.call("draw_debug_shape", [[0, []], [0, 0, 0], 1.0, False]) == [[False]]
    assert client.call("get_required_files", "Nav") == [[1, []]]
    assert client.call("get_navigation_mesh") == [[1, b""]]
    assert client.call("start_recorder", "a.log", False, True)[0][0] == 1


def test_the_sequence_of_get_world(client, running):
    assert client.call("version") == [[1, "0.9.16"]]
    episode, (token,) = client.call("get_episode_info")[0][1]
    assert episode == 1
    stream = int.from_bytes(token[:4], "little")
    assert token[4:7] == running.server.streaming_port.to_bytes(2, "little") + b"\x01"
    assert client.call("get_sensor_token", stream) == [[1, [token]]]
    settings = [True, False, [False], True, 0.01, 10, 0.0, True, 3000.0, 2000.0, True]
    assert client.call("get_episode_settings") == [[1, settings]]
    assert client.call("get_map_info") == [[1, ["Carla/Maps/Town01", [HERE]]]]
    assert client.call("get_map_data") == [[1, "<OpenDRIVE/>"]]


def test_settings_return_the_frame_and_a_step_of_zero_is_none(client, running):
    settings = [True, True, [True, 0.1], False, 0.02, 5, 1.0, False, 1.0, 2.0, False]
    assert client.call("set_episode_settings", settings) == [[1, 7]]
    assert client.call("get_episode_settings") == [[1, settings]]
    settings[2] = [True, 0.0]
    client.call("set_episode_settings", settings)
    assert running.world.settings.fixed_delta_seconds is None


def test_a_tick_cue_in_asynchronous_mode_names_the_next_frame_and_does_not_tick():
    with serving(synchronous=False) as running:
        running.world.settings.fixed_delta_seconds = 100.0
        client = running.client()
        client.call("version")
        frame = running.world.frame
        assert client.call("tick_cue") == [[1, frame + 1]]
        assert running.world.frame == frame


def test_actors_are_described_in_full(client):
    description = client.call("spawn_actor", CAR, HERE)[0][1]
    assert description == [2, 0, CAR, [[0.0, 0.0, 0.5], [2.0, 1.0, 0.5], [0.0, 0.0, 0.0], 2], b"\x0e", b""]
    assert client.call("get_actors_by_id", [2, 99]) == [[1, [description]]]


def test_attribute_types_and_boxes_follow_the_version():
    with serving(version="0.9.15") as old:
        car = [9, "vehicle.tesla.model3", [["role_name", 3, "hero"]]]
        description = old.client().call("spawn_actor", car, HERE)[0][1]
        assert description[2] == car
        assert len(description[3]) == 3
        assert old.world.actors[2].attributes == {"role_name": (3, "hero")}


def test_a_sensor_has_a_token_of_24_bytes_and_a_parent(client, running):
    camera = [5, "sensor.camera.rgb", []]
    described = client.call("spawn_actor_with_parent", camera, HERE, 1, 0, "")[0][1]
    assert described[1] == 1
    assert len(described[5]) == 24
    assert described[5][:4] == running.world.actors[2].stream_id.to_bytes(4, "little")


def test_errors_of_the_world_reach_the_client_as_text(client):
    assert client.call("spawn_actor", [1, "vehicle.none", []], HERE) == [
        [0, ["Spawn failed because of invalid actor description"]]
    ]
    assert client.call("spawn_actor_with_parent", CAR, HERE, 77, 0, "")[0][0] == 0
    assert client.call("set_actor_transform", 77, HERE) == [[True, ["unable to find actor"]]]
    assert client.call("destroy_actor", 77) == [[0, ["unable to destroy actor: not found"]]]
    assert client.call("load_new_episode", "Town99", False, 1) == [[True, ["Map 'Town99' not found"]]]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_actor_location", (1, [float("nan"), 0, 0])),
        ("set_actor_location", (1, [float("inf"), 0, 0])),
        ("set_actor_location", (1, [1e300, 0, 0])),
        ("set_actor_location", ([1], [0, 0, 0])),
        ("set_actor_dead", (-1,)),
        ("set_actor_dead", ()),
        ("open_vehicle_door", (None, 0)),
        ("get_sensor_token", (1 << 32,)),
        ("set_actor_location", (1, [1.0])),
        ("set_actor_location", (1, "abc")),
        ("set_actor_location", (1,)),
        ("set_actor_location", (1, [0, 0, 0], 1, 2, 3)),
        ("spawn_actor", ([1], HERE)),
        ("spawn_actor", ([1, 5, []], HERE)),
        ("apply_control_to_vehicle", (1, [])),
        ("apply_control_to_vehicle", (1, {"throttle": 1})),
        ("set_episode_settings", ([True],)),
        ("set_weather_parameters", ([1.0],)),
        ("get_actors_by_id", (5,)),
    ],
)
def test_arguments_that_cannot_be_read_are_an_error_without_a_traceback(client, capfd, name, arguments):
    answer = client.call(name, *arguments)
    assert answer[0][0] in (0, True)
    assert len(answer[0]) == 2
    assert client.call("version") == [[1, "0.9.16"]]
    assert "Traceback" not in capfd.readouterr().err


def test_a_defect_of_a_handler_is_an_error_for_the_caller_and_a_traceback_for_us(client, running, capfd):
    running.world.apply_walker_control = lambda *_: 1 / 0
    assert "internal error" in client.call("apply_control_to_walker", 1, [[1, 0, 0], 1.0, False])[0][1][0]
    assert "ZeroDivisionError" in capfd.readouterr().err
    assert client.call("version") == [[1, "0.9.16"]]


def test_a_result_that_cannot_be_packed_is_an_error_for_the_caller(client, running, capfd):
    running.world.map_name = object()
    assert client.call("get_map_info")[0][0] == 0
    assert "TypeError" in capfd.readouterr().err
    assert client.call("version") == [[1, "0.9.16"]]


def test_controls_reach_the_world_as_they_were_sent(client, running):
    client.call("apply_control_to_vehicle", 1, [2.0, -3.0, -1.0, True, False, False, 0])
    client.call("apply_control_to_walker", 1, [[0.0, 1.0, 0.0], 1.5, True])
    client.call("set_walker_state", 1, HERE, 2.0)
    client.call("set_vehicle_light_state", 1, [515])
    assert running.world.asked == [
        ("apply_vehicle_control", 1, VehicleControl(2.0, -3.0, -1.0, True, False, False, 0)),
        ("apply_walker_control", 1, (0.0, 1.0, 0.0), 1.5, True),
        ("apply_walker_state", 1, Transform((1.0, 2.0, 3.0), (0.0, 90.0, 0.0)), 2.0),
        ("set_light_state", 1, 515),
    ]


def test_physics_controls_survive_the_round_trip(client, running):
    running.world.physics_control = lambda _: PhysicsControl(mass=1234.0)
    sent = client.call("get_physics_control", 1)[0][1]
    assert len(sent) == 17
    assert len(sent[15]) == 4
    assert len(sent[15][0]) == 10
    assert client.call("apply_physics_control", 1, sent) == [[False]]
    assert running.world.asked == [("apply_physics_control", 1, PhysicsControl(mass=1234.0))]


def test_traffic_lights_reach_the_world(client, running):
    client.call("set_traffic_light_state", 5, 2)
    client.call("set_traffic_light_green_time", 5, 4)
    assert client.call("set_traffic_light_state", 5, 9)[0][0] is True
    client.call("freeze_all_traffic_lights", True)
    client.call("reset_all_traffic_lights")
    assert running.world.asked == [
        ("set_state", 5, 2), ("set_times", 5, 4.0), ("freeze_all", True), ("reset_all",)
    ]  # fmt: skip
    assert client.call("get_group_traffic_lights", 5) == [[1, [5, 6]]]


def test_rays_find_labelled_points_or_nothing(client):
    down = [0.0, 0.0, -1.0]
    assert client.call("project_point", [5.0, 6.0, 2.0], down, 10.0) == [[1, [True, [[5.0, 6.0, 0.0], 1]]]]
    assert client.call("project_point", [500.0, 6.0, 2.0], down, 10.0) == [[1, [False, [[0.0, 0.0, 0.0], 0]]]]
    assert client.call("cast_ray", [5.0, 6.0, 2.0], [5.0, 6.0, -2.0]) == [[1, [[[5.0, 6.0, 0.0], 1]]]]


def test_a_generated_world_needs_its_network_first(client, running):
    assert "no client sent" in client.call("load_new_episode", "OpenDriveMap", True, 1)[0][1][0]
    assert client.call("copy_opendrive_to_file", "<OpenDRIVE>x</OpenDRIVE>", [2.0, 50.0]) == [[False]]
    assert client.call("load_new_episode", "OpenDriveMap", True, 1) == [[False]]
    assert running.world.opendrive == "<OpenDRIVE>x</OpenDRIVE>"
    assert running.world.settings.synchronous_mode is False


def test_an_empty_name_loads_the_present_map_again(client, running):
    assert client.call("load_new_episode", "", False, 1) == [[False]]
    assert (running.world.map_name, running.world.episode) == ("Carla/Maps/Town01", 2)


def test_a_traffic_manager_is_listed_until_its_client_is_gone(running):
    one, two = running.client(), running.client()
    assert one.call("add_traffic_manager_running", ["10.0.0.1", 8000]) == [[1, True]]
    assert two.call("add_traffic_manager_running", ["10.0.0.2", 8000]) == [[1, False]]
    assert two.call("get_traffic_manager_running", 8000) == [[1, ["10.0.0.1", 8000]]]
    assert two.call("get_traffic_manager_running", 9) == [[1, ["", 0]]]
    one.socket.close()
    wait_for(lambda: two.call("is_traffic_manager_running", 8000) == [[1, False]])
    assert two.call("add_traffic_manager_running", ["10.0.0.2", 8000]) == [[1, True]]
    assert two.call("destroy_traffic_manager", 8000) == [[1, True]]
    assert two.call("destroy_traffic_manager", 8000) == [[1, False]]
