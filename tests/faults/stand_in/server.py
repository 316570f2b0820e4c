"""A program in the place of CARLA's server: it answers calls, and fails when told to. Python 3.7 and later.

``BESTRAND_STAND_IN_SERVER``: ``slow=SECONDS`` before the port opens, ``exit`` at once, ``silent`` from the start,
``full=N`` complains of a full GPU at the N-th call and goes on, ``crash=N`` dies of SIGSEGV at the N-th call,
``hang=N`` answers no call from the N-th on. ``...@K``: only the K-th server that is started with one folder in
``BESTRAND_STAND_IN_STATE``.
"""

import contextlib
import itertools
import os
import signal
import socketserver
import sys
import time

ANSWER = b"\x94\x01\x01\xc0\xa60.9.15"
ORDER, _, WHICH = os.environ.get("BESTRAND_STAND_IN_SERVER", "").partition("@")


def start_number():
    """The number of this server, from 1."""
    path = os.path.join(os.environ["BESTRAND_STAND_IN_STATE"], "servers")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(handle, b".")
    return os.fstat(handle).st_size


FAULT, _, VALUE = (ORDER if not WHICH or start_number() == int(WHICH) else "").partition("=")
counter = itertools.count(1)


def may_answer():
    """Whether this call has an answer."""
    number = next(counter)
    if FAULT == "full" and number == int(VALUE):
        print("LogVulkanRHI: Error: Out of video memory; a texture is left out", flush=True)
    if FAULT == "crash" and number >= int(VALUE):
        print("Signal 11 caught.", flush=True)
        text = "Engine crash handling finished; re-raising signal 11 for the default handler. Good bye."
        print(text, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    return FAULT != "silent" and not (FAULT == "hang" and number >= int(VALUE))


class Peer(socketserver.BaseRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):  # clients end as they like
            while self.request.recv(4096):
                if may_answer():
                    self.request.sendall(ANSWER)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True


def main():
    flags = dict(flag.partition("=")[::2] for flag in sys.argv[1:])
    if FAULT == "exit":
        sys.exit("Unreal could not open the display")
    if FAULT == "slow":
        time.sleep(float(VALUE))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    Server(("127.0.0.1", int(flags.get("-carla-rpc-port", "2000"))), Peer).serve_forever()


if __name__ == "__main__":
    main()
