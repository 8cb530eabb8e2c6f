"""A real browser for tests: headless Chromium, driven through a pipe by its DevTools protocol, with
nothing but the standard library.

A page clicks where an element is seen, types keys as a keyboard does, and keeps what it must not
do: errors, messages, requests.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE = 30.0  # seconds for one answer, on a machine that does other things
SWITCHES = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe", "about:blank",
)  # fmt: skip
HAND_OVER = """import fcntl, os, sys  # the protocol's pipes are Chromium's descriptors 3 and 4
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3), os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])"""
KEYS = {
    "Enter": ("\r", 13),
    "Escape": ("", 27),
    "Tab": ("", 9),
    " ": (" ", 32),
    "ArrowLeft": ("", 37),
    "ArrowRight": ("", 39),
}  # the text that they type, their code
SEEN = """(selector, text) => [...document.querySelectorAll(selector)].filter(
  (one) => one.checkVisibility({visibilityProperty: true}) && (text === null || one.textContent.includes(text)))"""
POINT = """(one) => {
  one.scrollIntoView({block: "center", inline: "nearest"});
  const box = one.getClientRects()[0], x = box.x + box.width / 2, y = box.y + box.height / 2;
  const there = document.elementFromPoint(x, y);
  return {x, y, met: there !== null && (one.contains(there) || there.contains(one)), there: there && there.outerHTML.slice(0, 200)};
}"""


class Chromium:
    """The browser, while its `with` lasts."""

    def __init__(self) -> None:
        found = (
            shutil.which("chromium")
            or shutil.which("chromium-browser")
            or shutil.which("google-chrome")
        )
        assert found, "no Chromium is installed"
        self._profile = tempfile.TemporaryDirectory(
            prefix="kernlint-chromium-", ignore_cleanup_errors=True
        )
        theirs, self._to = os.pipe()
        self._from, ours = os.pipe()
        words = [
            sys.executable,
            "-c",
            HAND_OVER,
            str(theirs),
            str(ours),
            found,
            f"--user-data-dir={self._profile.name}",
            *SWITCHES,
        ]
        environment = os.environ | {"HOME": self._profile.name}
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(words, pass_fds=(theirs, ours), env=environment, **silent)
        os.close(theirs)
        os.close(ours)
        self._number, self._read = 0, b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, subprocess.TimeoutExpired, TimeoutError):
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    @property
    def version(self) -> str:
        return str(self.call("Browser.getVersion")["product"])

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """One command's result; what the pages report meanwhile goes to them."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters} | (
            {"sessionId": session} if session else {}
        )
        os.write(self._to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while number not in self._answers:
            self._receive(until)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def settle(self, met: Any) -> None:
        """Waits until `met()`."""
        until = time.monotonic() + PATIENCE
        while not met():
            self._receive(until)

    def _receive(self, until: float) -> None:
        ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise TimeoutError("Chromium does not answer")
        got = os.read(self._from, 1 << 20)
        if not got:
            raise TimeoutError("Chromium has ended")
        *whole, self._read = (self._read + got).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            elif (page := self._pages.get(message.get("sessionId", ""))) is not None:
                page.told(message["method"], message["params"])

    @contextmanager
    def page(
        self,
        address: str,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        scale: float = 1.0,
    ) -> Iterator[Page]:
        """A page of that size, which must not have had a fault when it is left. Below 600 pixels it
        is a phone, with a finger."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)[
            "targetId"
        ]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, address)
        for part in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{part}.enable")
        page.resize(width, height, scale)
        page.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        page.call("Page.navigate", url=address)
        self.settle(lambda: page.loaded)
        try:
            yield page
            page.evaluate("new Promise(requestAnimationFrame)")
            assert not page.faults, page.faults
        finally:
            del self._pages[session]
            self.call("Target.closeTarget", targetId=target)
            self.call("Target.disposeBrowserContext", browserContextId=context)


class Page:
    """One page. `faults`: errors, messages on the console, dialogs, requests for anything but the
    page itself."""

    def __init__(self, browser: Chromium, session: str, address: str) -> None:
        self._browser, self._session, self._address = browser, session, address
        self.loaded, self.faults = False, list[str]()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def told(self, event: str, what: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self.loaded = True
        elif (
            event == "Network.requestWillBeSent"
            and what["request"]["url"].split("#")[0] != self._address.split("#")[0]
        ):
            self.faults.append(f"asked for {what['request']['url']}")
        elif event in (
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        ):
            self.faults.append(f"{event}: {json.dumps(what)[:500]}")

    def resize(self, width: int, height: int, scale: float = 1.0) -> None:
        phone = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=phone,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)

    # ------------------------------------------------------------ looking

    def evaluate(self, expression: str, *arguments: Any) -> Any:
        """The value of an expression, or of a function called with the arguments."""
        text = (
            f"({expression})({', '.join(map(json.dumps, arguments))})" if arguments else expression
        )
        result = self.call(
            "Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def count(self, selector: str) -> int:
        """How many of them are seen."""
        return int(self.evaluate(f"(selector) => ({SEEN})(selector, null).length", selector))

    def texts(self, selector: str) -> list[str]:
        """What is written in those that are seen."""
        return list(
            self.evaluate(
                f"(selector) => ({SEEN})(selector, null).map((one) => one.textContent)", selector
            )
        )

    def text(self, selector: str) -> str:
        (only,) = self.texts(selector)
        return only

    def attributes(self, selector: str, name: str) -> list[str]:
        every = "(selector, name) => [...document.querySelectorAll(selector)].map((one) => one.getAttribute(name))"
        return list(self.evaluate(every, selector, name))

    def style(self, selector: str, name: str) -> str:
        return str(
            self.evaluate(
                "(selector, name) => getComputedStyle(document.querySelector(selector))[name]",
                selector,
                name,
            )
        )

    def box(self, selector: str) -> dict[str, float]:
        """Where it is on the screen: x, y, width, height."""
        return dict(
            self.evaluate(
                "(selector) => document.querySelector(selector).getBoundingClientRect().toJSON()",
                selector,
            )
        )

    # ------------------------------------------------------------ doing

    def click(self, selector: str, text: str | None = None, number: int = 0) -> None:
        """Where the element is seen; fails where another one lies over it."""
        point = self.evaluate(
            f"(selector, text, number) => ({POINT})(({SEEN})(selector, text).at(number))",
            selector,
            text,
            number,
        )
        assert point["met"], f"{selector} lies below {point['there']}"
        for event in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=event,
                x=point["x"],
                y=point["y"],
                button="left",
                clickCount=1,
            )

    def press(self, *keys: str) -> None:
        """Keys by their names, one after the other."""
        for key in keys:
            text, code = KEYS.get(key, (key, ord(key.upper()[0])))
            self.call(
                "Input.dispatchKeyEvent",
                type="keyDown",
                key=key,
                text=text,
                windowsVirtualKeyCode=code,
            )
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        self.press(*text)

    def choose(self, selector: str, label: str) -> None:
        """The entry of a list, as a browser tells the page of it."""
        chosen = """(selector, label) => {
          const list = document.querySelector(selector);
          list.value = [...list.options].find((one) => one.label === label).value;
          list.dispatchEvent(new Event("change", {bubbles: true}));
        }"""
        self.evaluate(chosen, selector, label)

    def screenshot(
        self, path: Path, whole: bool = False, part: dict[str, float] | None = None
    ) -> None:
        """Of what is on the screen, of the whole page, or of a part of the screen."""
        clip = (
            {}
            if part is None
            else {
                "clip": {name: part[name] for name in ("x", "y", "width", "height")} | {"scale": 1}
            }
        )
        if part is not None:
            clip["clip"]["y"] += self.evaluate("scrollY")
        shown = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=whole, **clip
        )
        path.write_bytes(base64.b64decode(shown["data"]))
