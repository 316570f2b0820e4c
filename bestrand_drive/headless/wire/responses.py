"""Shapes of the answers to remote calls (``rpc/Response.h``)."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.versions import Answer

VOID_SUCCESS: list[Any] = [[False]]
"""``Response<void>`` without an error; never changed by anyone."""


def success(value: Any) -> list[Any]:  # noqa: ANN401  anything MessagePack can hold
    """``Response<T>`` with a value: variant index 1."""
    return [[1, value]]


def failure(message: str) -> list[Any]:
    """``Response<T>`` with an error: variant index 0; clients raise ``RuntimeError(message)``."""
    return [[0, [message]]]


def void_failure(message: str) -> list[Any]:
    """``Response<void>`` with an error: a filled optional."""
    return [[True, [message]]]


def answer_value(shape: Answer | None, value: Any) -> Any:  # noqa: ANN401  anything that MessagePack can hold
    """A successful answer in the shape that the client expects."""
    if shape is Answer.VOID:
        return VOID_SUCCESS
    return value if shape is Answer.LIST else success(value)


def answer_error(shape: Answer | None, message: str) -> list[Any]:
    """An error in the shape that the client expects.

    For a name of unknown shape the form of ``Response<T>`` serves both: clients read an optional by its length
    (``MsgPackAdaptors.h``). In a bare list it is the failure of a first command: clients cannot read anything else.
    """
    if shape is Answer.LIST:
        return [failure(message)]
    return void_failure(message) if shape is Answer.VOID else failure(message)
