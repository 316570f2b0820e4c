"""Server processes for tests: towns of one road, commands, free ports, and what a process left with."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.headless.fakes import PATIENCE_S, Raw, Stream, wait_for
from tests.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
ROAD = """<?xml version="1.0"?>
<OpenDRIVE><header revMajor="1" revMinor="4" name="" north="0" south="0" east="0" west="0">
<geoReference><![CDATA[+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84]]></geoReference></header>
<road name="a" length="200.0" id="0" junction="-1"><type s="0.0" type="town"/>
<planView><geometry s="0.0" x="0.0" y="0.0"
 hdg="0.0" length="200.0"><line/></geometry></planView><lanes><laneSection s="0.0"><center><lane id="0" type="none"
 level="false"/></center><right><lane id="-1" type="driving" level="false"><width sOffset="0.0" a="3.5" b="0.0" c="0.0"
 d="0.0"/></lane></right></laneSection></lanes></road></OpenDRIVE>"""


def launcher(maps: Path, *flags: object, options: tuple[object, ...] = ()) -> tuple[object, ...]:
    """The command of an installed script."""
    return sys.executable, "-m", "bestrand_drive.headless", "--maps", maps, *options, "--", *flags


def serve(maps: Path, *options: object) -> tuple[object, ...]:
    """The ``bestrand headless serve`` command."""
    return sys.executable, "-m", "bestrand_drive", "headless", "serve", "--maps", maps, *options


class Started:
    """A server process. Its standard error goes into a file, unless ``undrained``: then into a pipe nobody reads."""

    def __init__(
        self, folder: Path, *command: object, environment: dict[str, str] | None = None, undrained: bool = False
    ) -> None:
        self._opened: list[Raw | Stream] = []
        self._errors = folder / f"stderr-{time.monotonic_ns()}"
        with self._errors.open("w") as file:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if undrained else file,
                text=True,
                env=surroundings(environment),
            )

    @property
    def errors(self) -> str:
        """Standard error so far."""
        return self._errors.read_text()

    def first_line(self) -> str:
        """What it says once it listens."""
        return self.process.stdout.readline()

    def code(self) -> int:
        """What it ends with, which it must."""
        return self.process.wait(PATIENCE_S)

    def end(self, number: int) -> int:
        """Send a signal; the code."""
        self.process.send_signal(number)
        return self.code()

    def peer(self, port: int) -> Raw:
        """A peer, once it listens; closed with the rest."""
        self._opened.append(wait_for(lambda: connected(port), "it does not listen"))
        return self._opened[-1]

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in self._opened:
            opened.socket.close()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


class Serving(Started):
    """A server in synchronous mode with faults."""

    def __init__(self, folder: Path, maps: Path, *faults: str, undrained: bool = False) -> None:
        self.port = free_ports(2)
        options = [part for fault in faults for part in ("--fault", fault)]
        command = launcher(maps, f"-carla-rpc-port={self.port}", options=("--synchronous", *options))
        super().__init__(folder, *command, undrained=undrained)

    def client(self) -> Raw:
        """A peer, once it listens."""
        return self.peer(self.port)

    def stream(self) -> Stream:
        """A listener of snapshots."""
        self._opened.append(Stream(self.port + 1, 1))
        return self._opened[-1]

    def refuses(self) -> bool:
        """Whether nobody listens."""
        found = connected(self.port)
        if found:
            found.socket.close()
        return found is None


def surroundings(more: dict[str, str] | None = None) -> dict[str, str]:
    """Environment of a server of this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **(more or {})}


def connected(port: int) -> Raw | None:
    """A peer, or none where nobody listens."""
    try:
        return Raw(port)
    except ConnectionRefusedError:
        return None


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def silent(client: Raw, patience_s: float = 1.0) -> bool:
    """Whether a call gets no answer."""
    client.socket.settimeout(patience_s)
    try:
        client.call("version")
    except TimeoutError:
        return True
    return False
