"""Remote calls without a handler: those accepted without effect, and those that cannot be emulated.

Together with the handlers these tables cover every call of the versions that are tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NO_SHAPE = "only looks would change"
_NO_SCENERY = "a world of roads, lights and actors has no scenery"
_CLIENT_SIDE = "the client does it"

ACCEPTED: Mapping[str, tuple[Any, str]] = {
    "apply_color_texture_to_objects": (None, _NO_SHAPE),
    "apply_float_color_texture_to_objects": (None, _NO_SHAPE),
    "are_gbuffers_enabled": (False, "nothing is rendered"),
    "blend_pose": (None, _NO_SHAPE),
    "clear_debug_shape": (None, _NO_SHAPE),
    "clear_debug_string": (None, _NO_SHAPE),
    "console_command": (False, "there is no Unreal console; CARLA answers false to a command that it does not know"),
    "draw_debug_shape": (None, _NO_SHAPE),
    "enable_environment_objects": (None, _NO_SCENERY),
    "get_environment_objects": ([], _NO_SCENERY),
    "get_names_of_all_objects": ([], _NO_SCENERY),
    "get_navigation_mesh": (b"", "walkers have no navigation mesh; they follow WalkerControl"),
    "get_pose_from_animation": (None, _NO_SHAPE),
    "get_required_files": ([], "maps travel by get_map_data"),
    "get_wheel_pitch_angle": (0.0, _NO_SHAPE),
    "is_sensor_enabled_for_ros": (False, "there is no ROS bridge"),
    "load_map_layer": (None, _NO_SCENERY),
    "query_lights_state": ([], "there are no street lights"),
    "restore_physx_physics": (None, "vehicles are kinematic"),
    "set_actor_autopilot": (None, _CLIENT_SIDE),
    "set_annotations_traverse_translucency": (None, _NO_SHAPE),
    "set_bones_transform": (None, _NO_SHAPE),
    "set_ignored_vehicles": (None, "obstacle sensors see all vehicles"),
    "set_replayer_ignore_hero": (None, "nothing is replayed"),
    "set_replayer_ignore_spectator": (None, "nothing is replayed"),
    "set_replayer_time_factor": (None, "nothing is replayed"),
    "set_wheel_pitch_angle": (None, _NO_SHAPE),
    "set_wheel_steer_direction": (None, _NO_SHAPE),
    "show_vehicle_debug_telemetry": (None, _NO_SHAPE),
    "start_recorder": ("nothing is recorded by the headless server", "evaluators record by default"),
    "stop_recorder": (None, "nothing is recorded"),
    "stop_replayer": (None, "nothing is replayed"),
    "unload_map_layer": (None, _NO_SCENERY),
    "update_day_night_cycle": (None, _NO_SHAPE),
    "update_lights_state": (None, "there are no street lights"),
}
"""Name -> the answer, and why nothing needs to happen."""

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
