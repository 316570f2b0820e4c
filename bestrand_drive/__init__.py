"""Closed-loop evaluation of driving policies on a small, representative suite of routes.

The public names are loaded on first use, so that ``import bestrand_drive`` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestrand_drive.compression import theory
    from bestrand_drive.errors import BestrandError
    from bestrand_drive.scores.matrix import ScoreMatrix
    from bestrand_drive.scores.metrics import MetricSpec
    from bestrand_drive.suite.reading import read_suite
    from bestrand_drive.suite.schema import Suite
    from bestrand_drive.workflows.comparing.verb import compare, compare_many
    from bestrand_drive.workflows.estimating.verb import enough, order
    from bestrand_drive.workflows.exporting.verb import export
    from bestrand_drive.workflows.gating.verb import gate
    from bestrand_drive.workflows.importing.verb import import_logs
    from bestrand_drive.workflows.living.check import check
    from bestrand_drive.workflows.planning.verb import plan
    from bestrand_drive.workflows.reporting.verb import report
    from bestrand_drive.workflows.verbs import compress, estimate

__version__ = "0.1.0"
__all__ = [
    "BestrandError",
    "MetricSpec",
    "ScoreMatrix",
    "Suite",
    "check",
    "compare",
    "compare_many",
    "compress",
    "enough",
    "estimate",
    "export",
    "gate",
    "import_logs",
    "order",
    "plan",
    "read_suite",
    "report",
    "theory",
]

_HOME = {
    "BestrandError": "bestrand_drive.errors",
    "MetricSpec": "bestrand_drive.scores.metrics",
    "ScoreMatrix": "bestrand_drive.scores.matrix",
    "Suite": "bestrand_drive.suite.schema",
    "check": "bestrand_drive.workflows.living.check",
    "compare": "bestrand_drive.workflows.comparing.verb",
    "compare_many": "bestrand_drive.workflows.comparing.verb",
    "compress": "bestrand_drive.workflows.verbs",
    "enough": "bestrand_drive.workflows.estimating.verb",
    "estimate": "bestrand_drive.workflows.verbs",
    "export": "bestrand_drive.workflows.exporting.verb",
    "gate": "bestrand_drive.workflows.gating.verb",
    "import_logs": "bestrand_drive.workflows.importing.verb",
    "order": "bestrand_drive.workflows.estimating.verb",
    "plan": "bestrand_drive.workflows.planning.verb",
    "read_suite": "bestrand_drive.suite.reading",
    "report": "bestrand_drive.workflows.reporting.verb",
    "theory": "bestrand_drive.compression.theory",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  a module's attribute can be anything
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOME[name])
    return home if name == "theory" else getattr(home, name)
