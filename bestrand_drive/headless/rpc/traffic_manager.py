"""Where TrafficManagers run. They live inside clients; the server only keeps the list, as CARLA does."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.rpc import decoding
from bestrand_drive.headless.rpc.context import Context, TrafficManager


def is_traffic_manager_running(context: Context, port: int) -> bool:
    """Whether one was announced on a port."""
    return port in context.traffic_managers


def get_traffic_manager_running(context: Context, port: int) -> tuple[str, int]:
    """Address and port; an empty address and 0 for none."""
    found = context.traffic_managers.get(port)
    return (found.address, port) if found else ("", 0)


def add_traffic_manager_running(context: Context, place: Any) -> bool:  # noqa: ANN401  whatever a client sent
    """Announce one by its address and port; false when the port has one already."""
    address, port = decoding.text(place[0], decoding.LONGEST_HOST), decoding.port(place[1])
    if port in context.traffic_managers:
        return False
    context.traffic_managers[port] = TrafficManager(address, context.caller)
    return True


def destroy_traffic_manager(context: Context, port: int) -> bool:
    """Take one off the list; false when there was none."""
    return context.traffic_managers.pop(port, None) is not None


def forget_caller(context: Context, caller: int) -> None:
    """A client is gone, and its TrafficManagers with it; without this its ports would stay taken for ever."""
    for port, manager in tuple(context.traffic_managers.items()):
        if manager.caller == caller:
            del context.traffic_managers[port]


HANDLERS = {
    handler.__name__: handler
    for handler in (
        is_traffic_manager_running,
        get_traffic_manager_running,
        add_traffic_manager_running,
        destroy_traffic_manager,
    )
}
