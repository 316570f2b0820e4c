"""A CARLA_ROOT for one slot, for evaluators that start their server themselves.

Bench2Drive's evaluator starts ``$CARLA_ROOT/CarlaUE4.sh ... -graphicsadapter=<rank>`` and, after a crash, kills
whatever ``ps`` shows with its rank: the servers of its siblings on that GPU too. So each slot has a rank that no other
process of this user has (other users' it cannot end), and a script that hands the true number on. Everything else of
the root is linked.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.files import write_atomic
from bestrand_drive.simulation.processes.tree import descendants
from bestrand_drive.simulation.servers.command import FLAGS, PLACE, SCRIPT, ServerCommand

_LAUNCHED = "launched"
_STOP = "StopServer.sh"
_PORT = '"$port"'


def rank_token(rpc_port: int) -> int:
    """The rank of a slot: this user has it once because its leased port is, never a real GPU's, always seven digits.

    One of other width could be the beginning of another slot's, and ``grep`` would find both.
    """
    return 9_000_000 + rpc_port


@dataclass(frozen=True)
class SlotRoot:
    """A slot's CARLA_ROOT.

    Attributes:
        folder: For the variable.
        rank: For the evaluator's ``--gpu-rank``.
        stop_argv: Ends the server that was started from here, if it needs a command for that; () otherwise.
    """

    folder: Path
    rank: int
    stop_argv: tuple[str, ...] = ()

    def launched(self) -> tuple[int, int] | None:
        """Id of the process that became the server (or its client), and the port it was told; None before."""
        try:
            pid, port = (self.folder / _LAUNCHED).read_text().split()
            return int(pid), int(port)
        except (OSError, ValueError):
            return None

    def server_pids(self) -> tuple[int, ...]:
        """Ids of the server's tree, without the evaluator's, which may sit on the GPU where the server should."""
        launched = self.launched()
        if launched is None:
            return ()
        return (launched[0], *(one.process.pid for one in descendants([launched[0]])))


def make_slot_root(folder: Path, command: ServerCommand, rank: int, adapter: int) -> SlotRoot:
    """Make a slot's CARLA_ROOT.

    Args:
        folder: To be made.
        command: How the server is really started.
        rank: See ``rank_token``.
        adapter: What it stands for: the number of the GPU for ``-graphicsadapter``.

    Raises:
        UsageError: The command cannot start a server.
        EnvironmentFault: The folder cannot be made, or is there.
    """
    command.check()
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True)
        for entry in sorted(command.root.absolute().iterdir()) if command.root else ():
            if entry.name not in (SCRIPT, _LAUNCHED, _STOP):
                (folder / entry.name).symlink_to(entry)
        _write(folder / SCRIPT, _start_script(folder, command, adapter))
        if command.stop:
            _write(folder / _STOP, _stop_script(folder, command, adapter))
    except OSError as error:
        raise EnvironmentFault(f"{error.filename}: a slot's CARLA_ROOT cannot be made ({error.strerror}).") from error
    return SlotRoot(folder, rank, (str(folder / _STOP),) if command.stop else ())


def _write(path: Path, text: str) -> None:
    write_atomic(path, text.encode(errors="surrogateescape"))
    path.chmod(0o755)


def _start_script(folder: Path, command: ServerCommand, adapter: int) -> str:
    """Translate the rank, note pid and port, become the server: without the note, nobody could end a container."""
    note = shlex.quote(str(folder / _LAUNCHED))
    if command.template:
        server = _words(command.template, command.values(_PORT, adapter), command.extra)
    else:
        server = " ".join([shlex.quote(str(command.script)), '"$@"', *map(shlex.quote, command.extra)])
    return (
        "#!/bin/sh\n"
        "# Written for one slot of a run: hands the evaluator's flags on, with the true number of the GPU.\n"
        "port=2000\n"
        'for flag in "$@"; do\n'
        "  shift\n"
        "  case $flag in\n"
        f"    -graphicsadapter=*) flag=-graphicsadapter={adapter} ;;\n"
        "    -carla-rpc-port=*) port=${flag#*=} ;;\n"
        "  esac\n"
        '  set -- "$@" "$flag"\n'
        "done\n"
        f'printf "%s %s\\n" "$$" "$port" > {note}.new && mv {note}.new {note} || exit 1\n'
        f"exec {server}\n"
    )


def _stop_script(folder: Path, command: ServerCommand, adapter: int) -> str:
    """End the server by its own command, if it was ever started."""
    note = shlex.quote(str(folder / _LAUNCHED))
    return (
        "#!/bin/sh\n"
        "# Written for one slot of a run: ends what its CarlaUE4.sh started.\n"
        f"[ -f {note} ] || exit 0\n"
        f"read -r pid port < {note}\n"
        f"exec {_words(command.stop, command.values(_PORT, adapter), ())}\n"
    )


def _words(template: tuple[str, ...], values: Mapping[str, str], extra: tuple[str, ...]) -> str:
    """A template as shell words; the port is known to the script only, as a variable."""
    words: list[str] = []
    for part in template:
        if part == FLAGS:
            words += ['"$@"', *map(shlex.quote, extra)]
        else:
            words.append(_word(part, values))
    return " ".join(words)


def _word(part: str, values: Mapping[str, str]) -> str:
    """One argument: quoted text, with the values where they stand."""
    pieces, place = [], 0
    for match in PLACE.finditer(part):
        pieces.append(shlex.quote(part[place : match.start()]))
        pieces.append(values[match[1]])
        place = match.end()
    return "".join([*pieces, shlex.quote(part[place:])])
