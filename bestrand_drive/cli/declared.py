"""Options that several commands take, said once: by the parameters of a function that reads them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, TypeVar, cast

Code = TypeVar("Code")


@dataclass(frozen=True)
class Options:
    """What a command takes where a parameter of its own is ``Annotated[What, Options(read)]``.

    Attributes:
        read: Gets their values by name, and makes of them what the command gets; its parameters are the options.
        without: Names of those that the command has not; ``read`` has defaults for them.
        needed: Whether those without a default must be given; else they are None.
    """

    read: Callable[..., object]
    without: Collection[str] = ()
    needed: bool = True

    def parameters(self) -> list[Parameter]:
        """What the parser shall see, in the order of the help."""
        taken = [one for one in parameters_of(self.read) if one.name not in self.without]
        return taken if self.needed else [_free(one) for one in taken]


def declared(command: Callable[..., Code]) -> Callable[..., Code]:
    """A command that the parser sees with the options that stand for its parameters; those that it needs come first."""
    own = parameters_of(command)
    read = {one.name: options for one in own if (options := _options_of(one)) is not None}
    given = {name: options.parameters() for name, options in read.items()}
    shown = [option for one in own for option in given.get(one.name, [one])]

    def called(**words: Any) -> Code:  # noqa: ANN401  of the parser, which knows their types
        made = {
            name: options.read(**{one.name: words.pop(one.name) for one in given[name]})
            for name, options in read.items()
        }
        return command(**words, **made)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__annotations__ = {one.name: one.annotation for one in shown}
    cast(Any, called).__signature__ = inspect.Signature(sorted(shown, key=lambda one: one.default is not one.empty))
    return called


def parameters_of(function: Callable[..., object]) -> list[Parameter]:
    """The parameters of a function, their annotations evaluated, all by keyword: options have no order."""
    given = inspect.signature(function, eval_str=True).parameters.values()
    return [one.replace(kind=Parameter.KEYWORD_ONLY) for one in given]


def _options_of(parameter: Parameter) -> Options | None:
    said = getattr(parameter.annotation, "__metadata__", ())
    return next((one for one in said if isinstance(one, Options)), None)


def _free(parameter: Parameter) -> Parameter:
    return parameter.replace(default=None) if parameter.default is parameter.empty else parameter
