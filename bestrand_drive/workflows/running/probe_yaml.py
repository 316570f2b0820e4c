"""YAML written by hand: a key that stands there twice is an error, where PyYAML lets the later one win in silence."""

from __future__ import annotations

from typing import Any

import yaml

from bestrand_drive.errors import DataRefused


class _Loader(yaml.SafeLoader):
    """Refuses what stands there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """See PyYAML; the node's keys as they are written, before ``<<`` brings others."""
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value} is given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def parse_yaml(content: bytes, where: str) -> Any:  # noqa: ANN401  whatever YAML holds
    """What a file's bytes hold.

    Args:
        content: Of the file.
        where: For messages.

    Raises:
        DataRefused: It is no YAML, or a key is given twice; the line is named.
    """
    try:
        return yaml.load(content, Loader=_Loader)  # noqa: S506  a safe one
    except (yaml.YAMLError, ValueError) as error:  # the latter: a number or date that is none
        raise DataRefused(f"{where}: no YAML that can be read ({_fault(error)}).") from error
    except (LookupError, AttributeError) as error:  # what PyYAML trips over there
        said = "a tag such as !!bool stands before what is of another kind"
        raise DataRefused(f"{where}: no YAML that can be read ({said}).") from error
    except RecursionError as error:
        raise DataRefused(f"{where}: no YAML that can be read (nested too deep).") from error


def _fault(error: Exception) -> str:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    if mark is None:
        return str(error).splitlines()[0]
    problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else ""
    return f"line {mark.line + 1}: {problem}"
