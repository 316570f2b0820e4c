"""As much of the carla module as a stand-in calls; it asks the server at every step. Python 3.7 and later."""

import os
import socket
import time

CALL = b"\x94\x00\x01\xa7version\x91\x91\xc2"
hangs = set()
"""Names of methods that never come back."""


def _maybe_hang(name):
    while name in hangs:
        time.sleep(60)


class Client:
    def __init__(self, host="127.0.0.1", port=2000, worker_threads=0):
        self._address, self._peer, self._timeout = (host, port), None, 5.0
        self.worker_threads = worker_threads

    def set_timeout(self, seconds):
        self._timeout = seconds

    def ask(self):
        """One call of the server."""
        if os.environ.get("BESTRAND_STAND_IN_SERVER") == "none":
            return
        try:
            if self._peer is None:
                self._peer = socket.create_connection(self._address, timeout=self._timeout)
            self._peer.settimeout(self._timeout)
            self._peer.sendall(CALL)
            if not self._peer.recv(64):
                raise OSError("closed")
        except OSError as error:
            self._peer = None
            host, port = self._address
            raise RuntimeError(
                f"time-out of {1000 * self._timeout:.0f}ms while waiting for the simulator, make sure the simulator is "
                f"ready and connected to {host}:{port}"
            ) from error

    def get_world(self):
        self.ask()
        return World(self)

    def load_world(self, map_name, reset_settings=True):
        _maybe_hang("load_world")
        self.ask()
        return World(self)


class World:
    def __init__(self, client):
        self._client, self._frame = client, 0

    def tick(self, seconds=10.0):
        _maybe_hang("tick")
        self._client.ask()
        self._frame += 1
        return self._frame
