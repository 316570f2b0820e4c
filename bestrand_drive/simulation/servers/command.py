"""How a server is started and ended: CARLA's own script, or a command of the user's (a container)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import UsageError

SCRIPT = "CarlaUE4.sh"
FLAGS = "{flags}"
"""An element of a template that stands for all of CARLA's flags."""
PLACE = re.compile(r"\{([a-z]+)\}")
_KNOWN = {"port", "gpu", "run"}


@dataclass(frozen=True)
class ServerCommand:
    """What ``--carla-root``, ``--server-extra``, ``--server-command`` and ``--server-stop-command`` say.

    Attributes:
        root: CARLA's folder; needed unless there is a template.
        extra: Flags added to CARLA's.
        template: Another way to start it: arguments with ``{port}``, ``{gpu}`` (the adapter's number), ``{run}``
            in them, and ``{flags}`` as one of them for all of CARLA's flags. It must stay in the foreground (docker
            without ``-d``): when it ends, the server has ended.
        stop: Ends what ``template`` started, the same placeholders; () when ending its processes is enough.
        run: For ``{run}``, which no other run folder and no other user has: for a container's name, so that ``stop``
            ends nobody else's.
        ours: Whether ``template`` is this package's own.
    """

    root: Path | None = None
    extra: tuple[str, ...] = ()
    template: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    run: str = ""
    ours: bool = False

    @property
    def holds_server(self) -> bool:
        """Whether the server is a child of its command; of a user's we do not know: a container is a daemon's."""
        return self.ours or not self.template

    @property
    def script(self) -> Path:
        """CARLA's own script."""
        return (self.root or Path()).absolute() / SCRIPT

    def check(self) -> None:
        """Refuse what cannot start a server.

        Raises:
            UsageError: No script, an unknown placeholder, or a template without the port.
        """
        if not self.template:
            _check_root(self.root)
        for option, template in (("--server-command", self.template), ("--server-stop-command", self.stop)):
            _check_template(option, template)
        if self.template and not any("{port}" in part or part == FLAGS for part in self.template):
            raise UsageError("--server-command needs {port} (or {flags}) in it: each server has a port of its own.")
        if self.stop and not self.template:
            raise UsageError("--server-stop-command goes with --server-command.")

    def start_argv(self, port: int, adapter: int) -> tuple[str, ...]:
        """The command for one server.

        Args:
            port: Of remote calls.
            adapter: Number of the GPU for ``-graphicsadapter``.
        """
        flags = (*carla_flags(port, adapter), *self.extra)
        if self.template:
            return fill(self.template, self.values(str(port), adapter), flags)
        return (str(self.script), *flags)

    def stop_argv(self, port: int, adapter: int) -> tuple[str, ...]:
        """The command that ends it; () when there is none."""
        return fill(self.stop, self.values(str(port), adapter), carla_flags(port, adapter))

    def values(self, port: str, adapter: int) -> dict[str, str]:
        """Of the placeholders."""
        return {"port": port, "gpu": str(adapter), "run": self.run}


def carla_flags(port: int, adapter: int) -> tuple[str, ...]:
    """What the evaluators' own launchers give to CARLA."""
    return "-RenderOffScreen", "-nosound", f"-carla-rpc-port={port}", f"-graphicsadapter={adapter}"


def fill(template: Sequence[str], values: Mapping[str, str], flags: Sequence[str]) -> tuple[str, ...]:
    """A template with its values."""
    filled: list[str] = []
    for part in template:
        if part == FLAGS:
            filled += flags
        else:
            filled.append(PLACE.sub(lambda match: values[match[1]], part))
    return tuple(filled)


def _check_root(root: Path | None) -> None:
    if root is None:
        raise UsageError("a server needs --carla-root, or --server-command.")
    if not (root / SCRIPT).is_file():
        raise UsageError(f"--carla-root {root}: holds no {SCRIPT}; give the folder of CARLA's release.")


def _check_template(option: str, template: Sequence[str]) -> None:
    for part in template:
        for name in PLACE.findall(part) if part != FLAGS else ():
            if name not in _KNOWN:
                raise UsageError(
                    f"{option}: {{{name}}} means nothing; {{port}}, {{gpu}}, {{run}} may stand anywhere, {FLAGS} alone."
                )
