"""Options that several commands take: where a command has them, which it lacks, and what it gets."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Annotated

from bestrand_drive.cli.declared import Options, declared


def read(place: str, size: int = 3, colour: str = "red") -> tuple[str, int, str]:
    return place, size, colour


SHARED = Options(read)


def taken(command):
    return {name: one.default for name, one in inspect.signature(command).parameters.items()}


def test_they_stand_where_the_command_takes_them_and_what_it_needs_comes_first():
    def command(*, before: int = 0, what: Annotated[tuple, SHARED], after: int = 1) -> tuple:
        return what, before, after

    seen = declared(command)
    none = inspect.Parameter.empty
    assert list(taken(seen).items()) == [("place", none), ("before", 0), ("size", 3), ("colour", "red"), ("after", 1)]
    assert seen(place="here", size=4, colour="blue", before=2, after=5) == (("here", 4, "blue"), 2, 5)


def test_those_that_a_command_lacks_keep_their_defaults():
    def command(what: Annotated[tuple, replace(SHARED, without=("size",))]) -> tuple:
        return what

    assert list(taken(declared(command))) == ["place", "colour"]
    assert declared(command)(place="here", colour="blue") == ("here", 3, "blue")


def test_a_command_that_needs_none_has_none_instead():
    def command(what: Annotated[tuple, replace(SHARED, needed=False)]) -> tuple:
        return what

    assert taken(declared(command)) == {"place": None, "size": 3, "colour": "red"}
