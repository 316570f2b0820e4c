"""Remote calls without a handler: those accepted without effect, and those that cannot be emulated.

Together with the handlers these tables cover every call of the versions that are tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bestrand_drive.headless.actor import Kind


class Accepted(NamedTuple):
    """A call that is accepted without effect.

    Attributes:
        answer: What it answers.
        reason: Why nothing needs to happen.
        of: Kinds of actor that its first argument may name; empty where it names none.
    """

    answer: Any
    reason: str
    of: tuple[Kind, ...] = ()


_VEHICLE, _WALKER, _ANYBODY = (Kind.VEHICLE,), (Kind.WALKER,), tuple(Kind)
_NO_DOORS = "a door does not change a vehicle's box"
_NO_SHAPE = "only looks would change"
_NO_SCENERY = "a world of roads, lights and actors has no scenery"
_CLIENT_SIDE = "the client does it"

ACCEPTED: Mapping[str, Accepted] = {
    "apply_color_texture_to_objects": Accepted(None, _NO_SHAPE),
    "apply_float_color_texture_to_objects": Accepted(None, _NO_SHAPE),
    "are_gbuffers_enabled": Accepted(False, "nothing is rendered"),
    "blend_pose": Accepted(None, _NO_SHAPE, _WALKER),
    "clear_debug_shape": Accepted(None, _NO_SHAPE),
    "clear_debug_string": Accepted(None, _NO_SHAPE),
    "close_vehicle_door": Accepted(None, _NO_DOORS, _VEHICLE),
    "console_command": Accepted(
        False, "there is no Unreal console; CARLA answers false to a command that it does not know"
    ),
    "draw_debug_shape": Accepted(None, _NO_SHAPE),
    "enable_environment_objects": Accepted(None, _NO_SCENERY),
    "get_environment_objects": Accepted([], _NO_SCENERY),
    "get_names_of_all_objects": Accepted([], _NO_SCENERY),
    "get_navigation_mesh": Accepted(b"", "walkers have no navigation mesh; they follow WalkerControl"),
    "get_pose_from_animation": Accepted(None, _NO_SHAPE, _WALKER),
    "get_required_files": Accepted([], "maps travel by get_map_data"),
    "get_wheel_pitch_angle": Accepted(0.0, _NO_SHAPE, _VEHICLE),
    "is_sensor_enabled_for_ros": Accepted(False, "there is no ROS bridge"),
    "load_map_layer": Accepted(None, _NO_SCENERY),
    "open_vehicle_door": Accepted(None, _NO_DOORS, _VEHICLE),
    "query_lights_state": Accepted([], "there are no street lights"),
    "restore_physx_physics": Accepted(None, "vehicles are kinematic", _VEHICLE),
    "set_actor_autopilot": Accepted(None, _CLIENT_SIDE, _VEHICLE),
    "set_actor_dead": Accepted(None, "a dead actor stays where it is", _ANYBODY),
    "set_annotations_traverse_translucency": Accepted(None, _NO_SHAPE),
    "set_bones_transform": Accepted(None, _NO_SHAPE, _WALKER),
    "set_ignored_vehicles": Accepted(None, "obstacle sensors see all vehicles"),
    "set_replayer_ignore_hero": Accepted(None, "nothing is replayed"),
    "set_replayer_ignore_spectator": Accepted(None, "nothing is replayed"),
    "set_replayer_time_factor": Accepted(None, "nothing is replayed"),
    "set_wheel_pitch_angle": Accepted(None, _NO_SHAPE, _VEHICLE),
    "set_wheel_steer_direction": Accepted(None, _NO_SHAPE, _VEHICLE),
    "show_vehicle_debug_telemetry": Accepted(None, _NO_SHAPE, _VEHICLE),
    "start_recorder": Accepted("nothing is recorded by the headless server", "evaluators record by default"),
    "stop_recorder": Accepted(None, "nothing is recorded"),
    "stop_replayer": Accepted(None, "nothing is replayed"),
    "unload_map_layer": Accepted(None, _NO_SCENERY),
    "update_day_night_cycle": Accepted(None, _NO_SHAPE),
    "update_lights_state": Accepted(None, "there are no street lights"),
}
"""Calls that need no effect: it could not be seen here, or happens elsewhere."""

_NO_BONES = "actors are boxes without skeletons, components or sockets"
_NO_RECORDS = "there is no recorder or replayer"
_NO_ROS = "there is no ROS bridge"
_NO_DYNAMICS = "vehicles are kinematic"

REFUSED: Mapping[str, str] = {
    "disable_sensor_for_ros": _NO_ROS,
    "enable_carsim": _NO_DYNAMICS,
    "enable_chrono_physics": _NO_DYNAMICS,
    "enable_gbuffers": "nothing is rendered",
    "enable_sensor_for_ros": _NO_ROS,
    "get_actor_bone_names": _NO_BONES,
    "get_actor_bone_relative_transforms": _NO_BONES,
    "get_actor_bone_world_transforms": _NO_BONES,
    "get_actor_component_names": _NO_BONES,
    "get_actor_component_relative_transform": _NO_BONES,
    "get_actor_component_world_transform": _NO_BONES,
    "get_actor_socket_names": _NO_BONES,
    "get_actor_socket_relative_transforms": _NO_BONES,
    "get_actor_socket_world_transforms": _NO_BONES,
    "get_bones_transform": _NO_BONES,
    "get_gbuffer_token": "nothing is rendered",
    "get_telemetry_data": _NO_DYNAMICS,
    "get_vehicle_bone_world_transforms": _NO_BONES,
    "replay_file": _NO_RECORDS,
    "request_file": "maps travel by get_map_data; there are no other files",
    "send": "V2X messages are not emulated",
    "show_recorder_actors_blocked": _NO_RECORDS,
    "show_recorder_collisions": _NO_RECORDS,
    "show_recorder_file_info": _NO_RECORDS,
    "use_carsim_road": _NO_DYNAMICS,
}
"""Name -> why it cannot be emulated; the client gets an error that says so."""

UNWRITTEN = "nothing is written for it yet"
"""The same for a call that a version has and none of these tables."""
