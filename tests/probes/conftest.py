"""The probes' shared modules are importable as under an evaluator: their folder is on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("carla", reason="the probes drive with the carla client")
PROBES = Path(__file__).resolve().parents[2] / "probes"
if str(PROBES) not in sys.path:
    sys.path.append(str(PROBES))
