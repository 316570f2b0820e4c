"""``apply_batch``: outcomes in order, chained commands, the version's spawn fields."""

import pytest

from bestrand_drive.headless.rpc.batch import COMMANDS, MOST_COMMANDS
from bestrand_drive.headless.world.controls import VehicleControl
from tests.headless.fakes import HERE, serving

CAR = [9, "vehicle.tesla.model3", []]
DRIVE = [0.5, 0.0, 0.0, False, False, False, 0]


def spawn(*do_after, description=CAR, parent=None):
    return [[0, [description, HERE, [False] if parent is None else [True, parent], 0, "", list(do_after)]]]


def test_the_table_has_the_indices_of_the_protocol():
    names = [name for name, _ in COMMANDS]
    assert len(names) == 22
    assert [names[index] for index in (0, 1, 2, 6, 16, 19, 21)] == [
        "SpawnActor", "DestroyActor", "ApplyVehicleControl", "ApplyTransform", "SetAutopilot", "ApplyLocation",
        "SetTrafficLightState",
    ]  # fmt: skip


def test_outcomes_come_in_order_and_are_not_wrapped():
    with serving() as running:
        client = running.client()
        outcomes = client.call(
            "apply_batch",
            [spawn(), [[2, [2, DRIVE]]], [[1, [55]]], spawn(description=[1, "vehicle.none", []]), [[1, [2]]]],
            False,
        )
        assert outcomes == [
            [[1, 2]],
            [[1, 2]],
            [[0, ["unable to destroy actor: not found"]]],
            [[0, ["Spawn failed because of invalid actor description"]]],
            [[1, 2]],
        ]
        assert 2 not in running.world.actors


def test_chained_commands_act_on_the_new_actor_whatever_they_name():
    with serving() as running:
        chained = ([[2, [0, DRIVE]]], [[16, [0, True, 8000]]], [[18, [77, 3]]], [[14, [0, False]]])
        assert running.client().call("apply_batch", [spawn(*chained)], False) == [[[1, 2]]]
        assert running.world.asked == [
            ("apply_vehicle_control", 2, VehicleControl(throttle=0.5)),
            ("set_light_state", 2, 3),
            ("set_simulate_physics", 2, False),
        ]


def test_a_chained_spawn_keeps_its_own_fields_and_a_failing_one_leaves_the_actor():
    with serving() as running:
        nested = spawn(parent=1)
        outcome = running.client().call("apply_batch", [spawn(nested, [[21, [0, "green"]]])], False)
        assert outcome == [[[1, 2]]]
        assert running.world.actors[3].parent == 1


@pytest.mark.parametrize("chained", [5, [], [[2]], [[2, 5]], [[2, []]], "x", [[]], None])
def test_chained_commands_that_cannot_be_read_spawn_nothing(chained, capfd):
    with serving() as running:
        before = sorted(running.world.actors)
        (outcome,) = running.client().call("apply_batch", [spawn([[2, [0, DRIVE]]], chained)], False)
        assert outcome[0][0] == 0
        assert sorted(running.world.actors) == before
        assert running.world.asked == []
        assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("shape", ["plain", "chained", "chained twice"])
def test_too_many_commands_are_refused_at_once_and_none_is_run(shape):
    free = MOST_COMMANDS - (0 if shape == "plain" else 1 if shape == "chained" else 2)
    for extra in (0, 1):
        many = [[[14, [0, True]]]] * (free + extra)
        if shape != "plain":
            many = [spawn(*many)] if shape == "chained" else [spawn(spawn(*many))]
        with serving() as running:
            before = len(running.world.actors)
            outcomes = running.client().call("apply_batch", many, False)
            refused = [one[0][1][0] for one in outcomes if "more than 10,000 commands" in str(one)]
            assert len(refused) == extra
            if extra:
                assert len(outcomes) == 1
                assert (len(running.world.actors), running.world.asked) == (before, [])


def test_a_chain_that_cannot_be_read_is_not_counted(capfd):
    with serving() as running:
        commands = [[[0, []]], [[0, 5]], 7, [[0, [CAR, HERE, [False], 0, "", 5]]], spawn()]
        outcomes = running.client().call("apply_batch", commands, False)
        assert [one[0][0] for one in outcomes] == [0, 0, 0, 0, 1]
        assert "Traceback" not in capfd.readouterr().err


def test_a_chained_spawn_cannot_name_the_new_actor_as_its_parent_as_in_carla():
    with serving() as running:
        running.client().call("apply_batch", [spawn(spawn(parent=0))], False)
        assert sorted(running.world.actors) == [1, 2]


def test_the_older_version_has_four_spawn_fields():
    with serving(version="0.9.15") as old:
        command = [[0, [CAR, HERE, [True, 1], [[[2, [0, DRIVE]]]]]]]
        assert old.client().call("apply_batch", [command], False) == [[[1, 2]]]
        assert old.world.actors[2].parent == 1
        assert old.world.asked == [("apply_vehicle_control", 2, VehicleControl(throttle=0.5))]


@pytest.mark.parametrize(("synchronous", "do_tick", "ticks"), [(True, True, 1), (True, False, 0), (False, True, 0)])
def test_only_a_synchronous_world_ticks_with_the_batch(synchronous, do_tick, ticks):
    with serving(synchronous=synchronous) as running:
        running.world.settings.fixed_delta_seconds = 100.0
        client = running.client()
        client.call("version")
        before = running.world.frame
        assert client.call("apply_batch", [], do_tick) == []
        assert running.world.frame == before + ticks


@pytest.mark.parametrize("command", [[], [[99, [1]]], [[2]], [["a", [1]]], 5, [[0, []]], [[2, []]], [[-1, [1]]]])
def test_a_command_that_cannot_be_read_fails_alone(command, capfd):
    with serving() as running:
        outcomes = running.client().call("apply_batch", [command, [[20, ["stat fps"]]]], False)
        assert outcomes[0][0][0] == 0
        assert outcomes[1] == [[1, 0]]
        assert "Traceback" not in capfd.readouterr().err
