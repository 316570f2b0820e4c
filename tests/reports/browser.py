"""A headless Chromium, asked over a pipe by its own protocol (DevTools): no driver, no port, no package."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
WAIT_S = 60
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
)  # fmt: skip


def found() -> str | None:
    """Where one is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of a browser.

    Attributes:
        said: Whatever it complained of: errors and messages of the console, exceptions, refused loads.
        asked: Addresses that pages asked for, with the page's own.
    """

    def __init__(self, program: str, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._back, to_write = os.pipe()
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, program, *_FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self._session = b"", 0, ""
        self._events: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.asked: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(OSError, EOFError):
            self._session = ""
            self.call("Browser.close")
        os.close(self._to)
        os.close(self._back)
        try:
            self._process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)  # a session of its own, see start_new_session
            self._process.wait(WAIT_S)
            raise

    def call(self, method: str, **parameters: Any) -> Any:
        """Ask for something; its answer."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, page: Path, width: int, height: int = 900, *, script: bool = True, dark: bool = False) -> None:
        """Show a file in a window of that size."""
        self._events, self.said, self.asked = [], [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self._events.append(self._next())
        self.listen()

    def value(self, expression: str) -> Any:
        """What an expression has in the page; a promise is waited for."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        self.listen()
        return found["result"].get("value")

    def picture(self, place: Path) -> None:
        """The whole page as PNG."""
        place.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def listen(self) -> None:
        """Take in what it has said so far."""
        for event in self._events:
            method, told = event.get("method"), event.get("params", {})
            if method == "Runtime.consoleAPICalled":
                self.said.append(str([one.get("value") for one in told["args"]]))
            elif method == "Runtime.exceptionThrown":
                self.said.append(str(told["exceptionDetails"]))
            elif method == "Log.entryAdded":
                self.said.append(told["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                self.asked.append(told["request"]["url"])
        self._events = []

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._back], [], [], WAIT_S)[0]:
                raise TimeoutError(f"the browser has said nothing for {WAIT_S} s")
            more = os.read(self._back, 1 << 20)
            if not more:
                raise EOFError("the browser has gone")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        told: dict[str, Any] = json.loads(message)
        return told


@contextlib.contextmanager
def browser(program: str, profile: Path) -> Iterator[Browser]:
    """A browser, ended at the end."""
    made = Browser(program, profile)
    try:
        yield made
    finally:
        made.close()
