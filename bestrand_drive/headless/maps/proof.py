"""Whether carla's library survives an OpenDRIVE text, found out in another process before the server loads it.

The library does not check what it reads: a link to a missing lane ends the whole process, a wrong number fills the
memory. What is wrong is told in words where it can be.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from subprocess import PIPE, CompletedProcess, Popen, TimeoutExpired
from tempfile import TemporaryFile

from bestrand_drive.errors import DataRefused, EnvironmentFault
from bestrand_drive.files import sha256_bytes
from bestrand_drive.headless.maps.references import missing_reference

CPU_S, CPU_S_PER_MB = 10, 1
"""Processor time that a text may take; CARLA's largest towns take 0.1 s a megabyte."""
MEMORY_BYTES, MEMORY_PER_BYTE = 2 << 30, 100
_PATIENCE = 6
"""Times as long may pass by the clock, on a machine that is busy."""
_NAP_S = 0.1
_KEPT = 512
_PROGRAM = (
    "import sys; cpu_s, memory_bytes, *sys.path = sys.argv[1:]; "
    "from bestrand_drive.headless.maps.trial import main; main(int(cpu_s), int(memory_bytes))"
)
_OVER_LIMITS = frozenset({signal.SIGXCPU, signal.SIGKILL})

Look = Callable[[], None]
"""Called now and then while a text is tried; what it raises ends the trial."""

_verdicts: OrderedDict[str, str] = OrderedDict()
"""SHA-256 of a text -> what speaks against it, or nothing; the youngest of this process."""


def prove(name: str, xodr: str, look: Look = lambda: None) -> None:
    """Refuse a text that carla's library does not survive, or that leads to no usable map.

    Args:
        name: Of the map, for the message.
        xodr: Well-formed OpenDRIVE text.
        look: See ``Look``.

    Raises:
        DataRefused: It was tried, now or before, and is unusable.
        EnvironmentFault: It cannot be tried.
    """
    digest = sha256_bytes(xodr.encode())
    if digest not in _verdicts:
        _verdicts[digest] = _tried(name, xodr, look)
        while len(_verdicts) > _KEPT:
            _verdicts.popitem(last=False)
    if _verdicts[digest]:
        raise DataRefused(f"carla cannot use the OpenDRIVE text of {name}: {_verdicts[digest]}.")


def _tried(name: str, xodr: str, look: Look = lambda: None) -> str:
    """Try a text; what speaks against it, or nothing. A trial that the clock ended is not remembered."""
    data = xodr.encode()
    cpu_s = CPU_S + CPU_S_PER_MB * (len(data) >> 20)
    memory_bytes = MEMORY_BYTES + MEMORY_PER_BYTE * len(data)
    command = [sys.executable, "-c", _PROGRAM, str(cpu_s), str(memory_bytes), *sys.path]
    try:
        done = _ran(command, data, _PATIENCE * cpu_s, look)
    except TimeoutExpired as error:
        raise DataRefused(f"The OpenDRIVE text of {name} takes more than {_PATIENCE * cpu_s} s to load.") from error
    except OSError as error:
        raise EnvironmentFault(f"The OpenDRIVE text of {name} cannot be tried: {error}.") from error
    if done.returncode > 0:
        raise EnvironmentFault(f"The OpenDRIVE text of {name} cannot be tried: {done.stderr.decode()[-400:].strip()}")
    return done.stdout.decode() if done.returncode == 0 else _death(-done.returncode, cpu_s, xodr)


def _ran(command: list[str], data: bytes, limit_s: float, look: Look) -> CompletedProcess[bytes]:
    """As ``subprocess.run``, with a look every ``_NAP_S``."""
    end_s = time.monotonic() + limit_s
    with TemporaryFile() as given:  # communicate forgets what it had not written yet when its time is over
        given.write(data)
        given.seek(0)
        with Popen(command, stdin=given, stdout=PIPE, stderr=PIPE) as trial:  # noqa: S603  this interpreter and package
            try:
                out, err = _answer(trial, end_s, look)
            except BaseException:
                trial.kill()
                raise
    return CompletedProcess(command, trial.returncode, out, err)


def _answer(trial: Popen[bytes], end_s: float, look: Look) -> tuple[bytes, bytes]:
    """What a trial writes until it ends."""
    while True:
        try:
            return trial.communicate(timeout=_NAP_S)
        except TimeoutExpired:
            if time.monotonic() > end_s:
                raise
            look()


def _death(number: int, cpu_s: int, xodr: str) -> str:
    """Why the process of a trial did not survive."""
    if number in _OVER_LIMITS:
        return f"loading it takes more than {cpu_s} s"
    reason = missing_reference(xodr) or "something in it is inconsistent"
    return f"{reason} (its library ends with {signal.Signals(number).name})"
