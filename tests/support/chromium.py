"""Chromium without a window: found, started, and driven by its DevTools protocol through Tornado's websockets."""

import asyncio
import base64
import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tornado.websocket import websocket_connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
INSTALL = (
    "install it with: sudo apt install chromium; or brew install --cask chromium; "
    "or name one: CHROMIUM=/path/to/chromium ./run_all.sh test-report"
)
SECONDS = 90
KEY_CODES = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Tab": 9, "Home": 36}


def find_browser() -> str:
    """The one that CHROMIUM names, or the first that is found."""
    named = os.environ.get("CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else [*NAMES, MAC])), None)
    if not found:
        raise pytest.UsageError(f"no Chromium was found{f' as CHROMIUM={named}' if named else ''}; {INSTALL}")
    return found


def pytest_sessionstart(session):
    """Before pytest prints anything, so that the sentence stands alone; ordinary tests need no browser."""
    if any(Path(argument).name.startswith("check_") for argument in session.config.args):
        find_browser()


@pytest.fixture(scope="session")
def browser() -> str:
    return find_browser()


def flags(profile: Path) -> list[str]:
    """No window, no network beyond this machine, and a profile of its own."""
    always = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", f"--user-data-dir={profile}"]
    always.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    return [*always, "--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else always


class Tab(contextlib.AbstractContextManager):
    """One page in a browser of its own: goes to addresses, types, clicks, looks."""

    def __init__(self, browser: str, profile: Path):
        self._loop = asyncio.new_event_loop()
        command = [browser, *flags(profile), "--remote-debugging-port=0", "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._number = 0
        self.events: list[dict] = []
        port, path = self._address(profile / "DevToolsActivePort")
        self._socket = self._run(websocket_connect, f"ws://127.0.0.1:{port}{path}", max_message_size=2**28)
        target = self._send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __exit__(self, *exception):
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)
        self._loop.close()

    def _run(self, function, *arguments, **named):
        """What an asynchronous function gives, within the time limit."""

        async def limited():
            return await asyncio.wait_for(function(*arguments, **named), SECONDS)

        return self._loop.run_until_complete(limited())

    def _address(self, file: Path) -> list[str]:
        deadline = time.monotonic() + SECONDS
        while not (file.is_file() and len(file.read_text().split()) == 2):
            assert self._process.poll() is None and time.monotonic() < deadline, "Chromium did not start"
            time.sleep(0.05)
        return file.read_text().split()

    def _send(self, method: str, parameters: dict | None = None, **envelope) -> dict:
        self._number += 1
        row = {"id": self._number, "method": method, "params": parameters or {}, **envelope}
        self._run(self._socket.write_message, json.dumps(row))
        while True:
            message = json.loads(self._run(self._socket.read_message))
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)

    def call(self, method: str, **parameters) -> dict:
        """A command of the DevTools protocol, to this page."""
        return self._send(method, parameters, sessionId=self._session)

    def script(self, expression: str):
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str, seconds: float = SECONDS):
        """The value of an expression once it is true."""
        deadline = time.monotonic() + seconds
        while not (value := self.script(expression)):
            assert time.monotonic() < deadline, f"still not: {expression}"
            time.sleep(0.05)
        return value

    def resize(self, width: int, height: int, mobile: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def prefer(self, **features: str) -> None:
        """Media features of the reader: prefer(prefers_color_scheme="dark")."""
        rows = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=rows)

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete'")

    def type(self, text: str) -> None:
        """Key by key, into whatever has the focus."""
        for character in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=character, key=character)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def press(self, key: str) -> None:
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEY_CODES[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def click(self, selector: str) -> None:
        """A click with the mouse in the middle of an element, scrolled to first."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.script(f"{found}.scrollIntoView({{block: 'center'}})")
        place = self.script(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({found}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(image["data"]))

    def troubles(self) -> list[str]:
        """What the console complained about, and what was fetched from elsewhere."""
        self.script("0")
        logged = [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]
        thrown = [str(e["params"]) for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        return logged + thrown

    def fetched(self) -> set[str]:
        """The addresses that were asked for."""
        return {e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"}
