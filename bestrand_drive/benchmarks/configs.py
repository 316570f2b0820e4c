"""The YAML files of ``route_configs/`` that travel with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestrand_drive.errors import BestrandError
from bestrand_drive.files import shipped_folder


def configs_folder() -> Path:
    """Where they lie."""
    return shipped_folder("route_configs")


def read_config(path: Path) -> dict[str, Any]:
    """One of them.

    Raises:
        BestrandError: It is damaged.
    """
    import yaml  # noqa: PLC0415  the evaluator asks for paths only, and its start counts

    try:
        loaded = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  safe
    except (OSError, yaml.YAMLError) as error:
        raise damaged(path, error) from error
    if not isinstance(loaded, dict):
        raise damaged(path, "not a mapping")
    return loaded


def damaged(path: Path, fault: object) -> BestrandError:
    """What to raise about one that is not as it was shipped."""
    return BestrandError(f"{path}: {fault}. The installation is damaged; install the package again.")
