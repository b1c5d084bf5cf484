"""A real browser: Chromium by W3C WebDriver, without a library."""

import json
import re
import tempfile
import time
import urllib.error
import urllib.request

from provider import Child, TrialError, environment, eventually

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
CHROMIUM = "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"


class Browser:
    """One user's browser with a fresh profile."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="sso-browser-", ignore_cleanup_errors=True)
        folder = self.holder.name
        self.driver = Child([DRIVER, "--port=0"], environment(HOME=folder, TMPDIR=folder), folder, f"{folder}/driver.log")
        port = eventually(
            "chromedriver's port", lambda: re.search(r"started successfully on port (\d+)", self.driver.text()))
        self.root = f"http://127.0.0.1:{port.group(1)}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server"]
        options = {"binary": CHROMIUM, "args": arguments}
        session = self.ask("POST", "", {
            "capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.root += f"/{session['sessionId']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise TrialError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def end(self):
        try:
            self.ask("DELETE", "")
        except (OSError, TrialError):
            pass
        self.driver.end()
        self.holder.cleanup()

    def visit(self, address):
        self.ask("POST", "/url", {"url": address})

    @property
    def address(self):
        return self.ask("GET", "/url")

    @property
    def text(self):
        """What a user reads."""
        return self.run("return document.body ? document.body.innerText : ''") or ""

    @property
    def source(self):
        return self.ask("GET", "/source")

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def has(self, css):
        return bool(self.ask("POST", "/elements", {"using": "css selector", "value": css}))

    def act(self, css, what, **body):
        """Acts on the first element that fits. Finds it again when a new page takes the place of the one with it."""
        def acted():
            found = self.ask("POST", "/elements", {"using": "css selector", "value": css})
            if found:
                self.ask("POST", f"/element/{found[0][ELEMENT]}/{what}", body)
            return bool(found)
        try:
            eventually(css, acted)
        except TrialError as error:
            raise TrialError(f"{error}; at {self.address}: {self.text[:500]}") from None

    def press(self, css):
        self.act(css, "click")

    def type(self, css, text):
        self.act(css, "value", text=text)

    def arrive(self, what, condition):
        """Waits until the address fulfils a condition."""
        try:
            return eventually(what, lambda: condition(self.address))
        except TrialError:
            raise TrialError(f"not at {what}, but at {self.address}: {self.text[:500]}") from None

    def open_tab(self):
        """Another tab of the same browser. Returns the handle of the one before."""
        before = self.ask("GET", "/window")
        self.switch(self.ask("POST", "/window/new", {"type": "tab"})["handle"])
        return before

    def switch(self, handle):
        self.ask("POST", "/window", {"handle": handle})

    def settle(self):
        """Waits until the page stays: its address is the same for half a second."""
        last, since = self.address, time.monotonic()
        end = since + 15
        while time.monotonic() < end and time.monotonic() - since < 0.5:
            time.sleep(0.1)
            if (now := self.address) != last:
                last, since = now, time.monotonic()
        return last
