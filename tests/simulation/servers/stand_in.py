"""A stand-in for CARLA's server: a program that answers one remote call, and misbehaves on request."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

PROGRAM = r"""
import os, socket, sys, time
faults = os.environ.get("STAND_IN", "").split()
port = next(int(flag.partition("=")[2]) for flag in sys.argv if flag.startswith("-carla-rpc-port="))
with open(os.environ["STAND_IN_ARGV"], "a") as stream:
    stream.write("\0".join([str(os.getpid()), *sys.argv[1:]]) + "\n")
if "exits" in faults:
    print("LogInit: this and that\nOut of video memory trying to allocate a texture", flush=True)
    sys.exit(3)
if "taken" in faults or ("taken-once" in faults and not os.path.exists("been-here")):
    open("been-here", "w").close()
    print("bind error: Address already in use", flush=True)
    os.abort()
time.sleep(600 if "boots" in faults else 0.2 if "slow" in faults else 0)
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", port))
server.listen()
text = os.environ.get("STAND_IN_VERSION", "0.9.15").encode()
while True:
    peer, _ = server.accept()
    if "silent" in faults:
        held = peer  # keeps the connection open
        continue
    asked = peer.recv(100)
    if asked == b"\x94\x00\x01\xa7version\x91\x91\xc2":
        peer.sendall(b"\x94\x01\x01\xc0\x91\x92\x01" + bytes([0xA0 | len(text)]) + text)
    peer.close()
"""


def make_root(root: Path) -> Path:
    """A CARLA_ROOT: the script, the PythonAPI that evaluators look for, and other files."""
    for name in ("PythonAPI/carla", "CarlaUE4/Content", ".hidden"):
        (root / name).mkdir(parents=True)
    (root / "VERSION").write_text("0.9.15\n")
    (root / "server.py").write_text(PROGRAM)
    script = root / "CarlaUE4.sh"
    script.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S {shlex.quote(str(root / "server.py"))} "$@"\n'
    )
    script.chmod(0o755)
    return root


def asked(path: Path) -> list[list[str]]:
    """Id and arguments of each stand-in that was started."""
    return [line.split("\0") for line in path.read_text().splitlines()] if path.exists() else []
