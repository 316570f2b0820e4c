"""From a name on the wire to its handler, and every outcome to an answer."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from bestrand_drive.headless.actor import Kind
from bestrand_drive.headless.rpc import (
    actors,
    batch,
    decoding,
    environment,
    episode,
    level_boxes,
    lights,
    traffic_manager,
    vehicles,
)
from bestrand_drive.headless.rpc.context import Context, Refused
from bestrand_drive.headless.rpc.explanations import explain
from bestrand_drive.headless.rpc.tables import ACCEPTED, REFUSED, UNWRITTEN
from bestrand_drive.headless.versions import Answer
from bestrand_drive.headless.wire.responses import answer_error, answer_value

HANDLERS: Mapping[str, Callable[..., Any]] = {
    **episode.HANDLERS,
    **actors.HANDLERS,
    **vehicles.HANDLERS,
    **lights.HANDLERS,
    **environment.HANDLERS,
    **level_boxes.HANDLERS,
    **traffic_manager.HANDLERS,
    **batch.HANDLERS,
}
"""Name -> what it does; with ``ACCEPTED`` and ``REFUSED`` these are all calls of ``versions.yaml``."""

_LONGEST_NAME = 80
_MOST_NAMES = 500


class Dispatcher:
    """Answers the calls of all connections.

    Attributes:
        unknown: How often each unknown name was called; names beyond the first few hundred count as one.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._registry = {name: (HANDLERS.get(name), shape) for name, shape in context.version.calls.items()}
        self._of_actors = {name for name, handler in HANDLERS.items() if "actor_id" in signature(handler).parameters}
        self._unheard: set[str] = set()
        self.unknown: Counter[str] = Counter()

    def call(self, caller: int, name: str, arguments: list[Any], *, awaited: bool = True) -> Any:  # noqa: ANN401  anything that MessagePack can hold
        """The answer to one call, in the shape that the client expects; ``awaited`` if somebody looks at it."""
        context = self._context
        if name != "apply_batch":
            context.release()
        handler, shape = self._registry.get(name, (None, None))
        if handler is None or shape is None:
            return self._without_handler(name, shape, arguments, awaited)
        context.caller = caller
        try:
            if name in self._of_actors:
                decoding.whole(arguments[0])
            value = handler(context, *arguments)
        except Exception as error:
            return answer_error(shape, explain(name, error))
        return answer_value(shape, value)

    def _without_handler(self, name: str, shape: Answer | None, arguments: list[Any], awaited: bool) -> Any:  # noqa: ANN401  anything that MessagePack can hold
        """Accepted without effect, refused, or unknown."""
        if shape is not None and name in ACCEPTED:
            try:
                self._check_actor(ACCEPTED[name].of, arguments)
            except Exception as error:
                return answer_error(shape, explain(name, error))
            return answer_value(shape, ACCEPTED[name].answer)
        return answer_error(shape, self._unknown(name) if shape is None else self._refused(name, awaited))

    def _check_actor(self, kinds: tuple[Kind, ...], arguments: list[Any]) -> None:
        """Refuse a call that is accepted for some kinds of actor where its first argument names none of them."""
        if not kinds:
            return
        actor = self._context.world.actor(decoding.whole(arguments[0]))
        if actor.kind not in kinds:
            raise Refused(f"actor {actor.id} is not a {kinds[0].value}")

    def _refused(self, name: str, awaited: bool) -> str:
        """Why a call cannot be emulated; printed once if no client will be told."""
        message = f"{name} is not emulated by the headless server: {REFUSED.get(name, UNWRITTEN)}"
        if not awaited and name not in self._unheard:
            self._unheard.add(name)
            print(
                f"headless server: {message} (the client does not wait for this answer).", file=sys.stderr, flush=True
            )
        return message

    def _unknown(self, name: str) -> str:
        """Count an unknown name and print it the first time; the message for the client."""
        message = f"the headless server knows no call {name[:_LONGEST_NAME]!r} in CARLA {self._context.version.name}"
        kept = name if len(name) <= _LONGEST_NAME and len(self.unknown) < _MOST_NAMES else "(others)"
        self.unknown[kept] += 1
        if self.unknown[kept] == 1:
            print(f"headless server: {message}; further calls of it are only counted.", file=sys.stderr, flush=True)
        return message

    def failed(self, name: str, error: Exception) -> Any:  # noqa: ANN401  anything that MessagePack can hold
        """The answer when arguments are too large, or a handler's result does not fit into MessagePack (our defect)."""
        return answer_error(self._context.version.calls.get(name), explain(name, error))

    def hung_up(self, caller: int) -> None:
        """Connection ``caller`` is gone."""
        traffic_manager.forget_caller(self._context, caller)
