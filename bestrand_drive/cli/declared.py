"""Options that several commands take, said once: by the parameters of a function that reads them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Asked = TypeVar("Asked")
Own = ParamSpec("Own")
Code = TypeVar("Code")


def parameters_of(function: Callable[..., object]) -> list[Parameter]:
    """The parameters of a function, their annotations evaluated, all by keyword: options have no order."""
    given = inspect.signature(function, eval_str=True).parameters.values()
    return [one.replace(kind=Parameter.KEYWORD_ONLY) for one in given]


def declared(
    command: Callable[Concatenate[Asked, Own], Code], ask: Callable[..., Asked], parameters: Sequence[Parameter]
) -> Callable[..., Code]:
    """A command that the parser sees with these parameters.

    Args:
        command: Gets what ``ask`` made as its first argument; its other parameters are options of its own.
        ask: Reads those of the parameters that are not the command's own.
        parameters: What the parser shall see, in the order of the help; keyword-only.
    """
    own = [one.name for one in parameters_of(command)[1:]]

    def called(**words: Any) -> Code:  # noqa: ANN401  of the parser, which knows their types
        others = {name: words.pop(name) for name in own}
        return cast(Callable[..., Code], command)(ask(**words), **others)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    cast(Any, called).__signature__ = inspect.Signature(parameters)
    return called
