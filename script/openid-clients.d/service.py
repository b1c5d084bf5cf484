"""A service of examples/openid: how it is registered, started and used."""

import dataclasses
import os
import secrets
import shutil
import sys
import urllib.error
import urllib.request

from provider import CLOCK, HOST, ROOT, Child, EndedError, TrialError, environment, eventually
from trials import Trial

BUILD = os.path.join(ROOT, ".build")
PYTHON = sys.executable


@dataclasses.dataclass
class Service:
    """One service. Paths begin with a slash and are below its address."""

    name: str
    title: str
    # Its library in .build, and the files of Debian packages that it needs.
    library: str
    callback: str
    command: list
    # What the table says after a run where it is not the usual: see `expected`.
    special: dict
    needs: tuple = ()
    prepare: tuple = ()
    example: str = ""
    signed_out: str = "/"
    back_channel: str = ""
    offline: bool = False
    start: str = "/"
    sign_in: str = "#sign-in"
    sign_out: str = "#sign-out"

    @property
    def expected(self):
        """What is seen in each column (see trials.py)."""
        learns = self.special.get("disabled") == "at once"
        return {"sign-in": "yes", "renewed": "yes" if self.offline else "-", "sign-out": "back", "two tabs": "both",
                "disabled": "no", "late sign-out": "-" if learns else "back", **self.special}

    @property
    def files(self):
        return os.path.join(ROOT, "examples", "openid", self.example or self.name)

    def missing(self):
        paths = [os.path.join(BUILD, self.library)] if self.library else []
        paths += [CLOCK] if self.offline else []
        return [path for path in [*paths, *self.needs] if not os.path.exists(path)]

    def client(self, origin):
        """Its entry in the identity provider's list of clients."""
        scopes = ["openid", "profile", "email", "groups"] + (["offline_access"] if self.offline else [])
        entry = {"id": self.name, "redirect_uris": [origin + self.callback], "scopes": scopes}
        if self.signed_out:
            entry["post_logout_redirect_uris"] = [origin + self.signed_out]
        if self.back_channel:
            entry["backchannel_logout_uri"] = origin + self.back_channel
        return entry

    def others(self):
        """Entries of other clients that its trial needs."""
        return []

    def trial(self, provider, running):
        return Trial(provider, running)

    def answers(self, running):
        """Nothing, or an error while it does not listen."""
        try:
            urllib.request.urlopen(running.origin + self.signed_out, timeout=5).close()
        except urllib.error.HTTPError:
            pass

    def settings(self, running):
        """Writes the files that it reads beside those of the example."""

    def begin(self, browser, origin):
        """Opens its page and begins a sign-in there."""
        browser.visit(origin + self.start)
        if browser.address.startswith(origin):
            browser.press(self.sign_in)

    def user(self, browser, origin):
        """The user whom its page greets, as the part before the @ of the address, or None."""
        browser.visit(origin + self.start)
        return self.shown(browser)

    def shown(self, browser):
        text = browser.run("const e = document.querySelector('span#email'); return e && e.innerText")
        return text and text.split("@")[0]

    def leave(self, browser, origin):
        """Signs out at its page, where a user is signed in."""
        browser.press(self.sign_out)

    def renew(self, browser, origin):
        """What a user does after the access token has expired. By default nothing."""


class Running:
    """A service that runs, at a port of its own."""

    def __init__(self, service, port, provider):
        self.service, self.provider, self.folder = service, provider, os.path.join(provider.folder, "service")
        self.port, self.origin = port, f"http://{HOST}:{port}"
        # A copy of the example that everyone may read: as root, Apache serves as another user.
        example = shutil.copytree(service.files, os.path.join(self.folder, "example"))
        for folder, _, names in os.walk(self.folder):
            os.chmod(folder, 0o755)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o644)
        self.variables = {
            "HOST": HOST, "PORT": str(port), "ORIGIN": self.origin, "ISSUER": provider.issuer,
            "CLIENT_ID": service.name, "CLIENT_SECRET": provider.secrets[service.name], "SESSION_KEY": secrets.token_hex(32),
            "FOLDER": self.folder, "EXAMPLE": example}
        self.environment = environment(
            **self.variables, **provider.clock, HOME=self.folder, PYTHONPATH=os.path.join(BUILD, service.library),
            JUPYTERHUB_CRYPT_KEY=secrets.token_hex(32), GO111MODULE="off", GOPATH="/usr/share/gocode",
            GOCACHE=os.path.join(BUILD, "go-cache"))
        # Other programs that it needs.
        self.beside = []
        service.settings(self)
        log = os.path.join(self.folder, "log")
        if service.prepare:
            child = Child(self.words(service.prepare), self.environment, self.folder, log)
            if child.process.wait(timeout=120):
                raise TrialError(f"cannot be prepared: {child.text()[-2000:]}")
        self.child = Child(self.words(service.command), self.environment, self.folder, log)
        eventually(f"{service.name} answers", self.answers, limit=90)

    def words(self, words):
        return [word.format(**self.variables, BUILD=BUILD, PYTHON=PYTHON) for word in words]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def answers(self):
        if self.child.process.poll() is not None:
            raise EndedError(f"{self.service.name} ended:\n{self.child.text()[-3000:]}")
        self.service.answers(self)
        return True

    def end(self):
        for child in [self.child, *self.beside]:
            child.end()
