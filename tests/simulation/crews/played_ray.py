"""Ray, played: what is asked of an actor waits until the test answers it; an end is what Ray raises then."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    """Root of Ray's."""


class Ref:
    """An answer that may be there."""

    def __init__(self, value: Any = None, *, there: bool = False) -> None:
        self.value, self.there = value, there

    def answer(self, value: Any) -> None:
        self.value, self.there = value, True


class Method:
    """Of an actor."""

    def __init__(self, asked: list[tuple[str, Any, Ref]], name: str) -> None:
        self.asked, self.name = asked, name

    def remote(self, *given: Any, **named: Any) -> Ref:
        ref = Ref()
        self.asked.append((self.name, (*given, *named.values()), ref))
        return ref


class Actor:
    """What was asked of it, in order."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any, Ref]] = []
        self.killed = False

    def __getattr__(self, name: str) -> Method:
        return Method(self.asked, name)

    def last(self, name: str) -> Ref | None:
        found = [ref for called, _, ref in self.asked if called == name]
        return found[-1] if found else None

    def count(self, name: str) -> int:
        return sum(called == name for called, _, _ in self.asked)


class Ray:
    """The module."""

    exceptions = SimpleNamespace(RayError=RayError)
    __version__ = "2.60.0"

    def __init__(self) -> None:
        self.actors: list[Actor] = []
        self.options: list[dict[str, Any]] = []

    def remote(self, _kind: type) -> Any:
        return SimpleNamespace(options=self._options)

    def _options(self, **given: Any) -> Any:
        self.options.append(given)
        return SimpleNamespace(remote=self._make)

    def _make(self, *_: Any) -> Actor:
        self.actors.append(Actor())
        return self.actors[-1]

    def put(self, value: Any) -> Ref:
        return Ref(value, there=True)

    def get(self, ref: Ref) -> Any:
        if isinstance(ref.value, Exception):
            raise ref.value
        return ref.value

    def wait(self, refs: list[Ref], num_returns: int, timeout: float) -> tuple[list[Ref], list[Ref]]:
        assert num_returns == len(refs)
        return [ref for ref in refs if ref.there], [ref for ref in refs if not ref.there]

    def kill(self, actor: Actor) -> None:
        actor.killed = True

    def nodes(self) -> list[dict[str, Any]]:
        return []
