"""The folder of real scores and results that scripts measure on, as their option ``--data``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

VARIABLE = "BESTRAND_SHARED_DATA"
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def add_data_option(parser: argparse.ArgumentParser, *parts: str) -> None:
    """``--data``, a folder that must hold some folders: without them a table would be written of nothing."""

    def folder(text: str) -> Path:
        lacks = [part for part in parts if not Path(text, part).is_dir()]
        if lacks:
            raise argparse.ArgumentTypeError(f"{text} has no folder {' and no '.join(lacks)}")
        return Path(text)

    parser.add_argument(
        "--data",
        type=folder,
        default=os.environ.get(VARIABLE, str(BESIDE)),
        help=f"holds {', '.join(parts)} [default: ${VARIABLE}, else ../shared/data beside this checkout]",
    )
