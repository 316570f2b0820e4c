"""Make the golden suites again after an intended change: run the recorded commands and keep ids and hashes.

``python tests/golden/make.py FOLDER``, FOLDER holding the real data; look at the difference before you keep it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from bestrand_drive.cli.app import run


def main() -> None:
    here = Path(__file__).resolve().parent
    os.chdir(sys.argv[1])
    for path in sorted(here.glob("*.json")):
        record = json.loads(path.read_text())
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "suite"
            if run([part.replace("OUT", str(out)) for part in record["command"]]):
                sys.exit(f"{path.name}: the command failed")
            suite = json.loads((out / "suite.json").read_text())
            files = (file for file in sorted(out.rglob("*")) if file.is_file() and file.name != "provenance.json")
            record |= {"k": suite["k"], "seed": suite["choice"]["seed"], "ids": suite["chosen"]}
            record["sha256"] = {str(f.relative_to(out)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}
        path.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
