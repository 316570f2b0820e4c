"""The command line that an evaluator accepts, taken from its source without running the evaluator."""

from __future__ import annotations

import argparse
import ast


def parser_of(source: str) -> argparse.ArgumentParser:
    """A parser with exactly the options that a program defines; the calls that define them are run, nothing else."""
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            call = ast.Expression(ast.Call(ast.Name("add", ast.Load()), node.args, node.keywords))
            scope = {
                "__builtins__": {},
                "add": parser.add_argument,
                "int": int,
                "str": str,
                "float": float,
                "bool": bool,
            }
            eval(compile(ast.fix_missing_locations(call), "option", "eval"), scope)
    return parser


def options_of(source: str) -> dict[str, tuple[object, object]]:
    """Type and default of each long option."""
    actions = parser_of(source)._actions
    return {
        option: (getattr(action.type, "__name__", None), action.default)
        for action in actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    }
