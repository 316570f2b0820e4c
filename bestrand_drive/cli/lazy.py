"""A group whose commands are imported when they are asked for: help, completion and typing errors need none of them."""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from bestrand_drive.cli.commands import ERRANDS, Place
from bestrand_drive.cli.examples import Command, with_examples


class LazyGroup(TyperGroup):
    """Lists all commands by errand; commands that were registered with ``typer`` itself stand beside them."""

    def __init__(self, **words: Any) -> None:  # noqa: ANN401  of typer, which knows them
        super().__init__(**words)
        listed = {
            name: TyperCommand(name=name, help=place.summary, rich_help_panel=errand, add_help_option=False)
            for errand, places in ERRANDS.items()
            for name, place in places.items()
        }
        for command in self.commands.values():
            with_examples(command)
        self.commands = {**listed, **self.commands}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  typer's own untyped interface
        """The command that is named, imported."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else self.loaded(name), rest

    def loaded(self, name: str) -> Command:
        """A command by its name, imported; what was registered with typer goes first."""
        place = next((places[name] for places in ERRANDS.values() if name in places), None)
        listed = self.commands[name]
        if place is None or getattr(listed, "callback", None) is not None:
            return listed
        return load(name, place)


def load(name: str, place: Place) -> Command:
    """Import a command."""
    found = getattr(importlib.import_module(f"bestrand_drive.cli.{place.module}"), place.name)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        command: Command = typer.main.get_command(alone)
    else:
        command = typer.main.get_group(found)
        command.name = name
    with_examples(command)
    return command
