"""An identity provider of a trial, with one client, and the processes that a trial starts. All end with it."""

import atexit
import glob
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(1, os.path.join(ROOT, "script", "attack.d"))
sys.dont_write_bytecode = True

from deployment import answers, program  # noqa: E402

# Another host than the identity provider's `localhost`: its cookies are those of another site.
HOST = "127.0.0.9"
# Makes time pass for the identity provider and the service, where it is installed.
CLOCK = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), "/usr/lib/faketime/libfaketime.so.1")


class TrialError(Exception):
    """What was seen in place of what was expected."""


class EndedError(Exception):
    """A program has ended, or the time of a trial has. Waiting longer does not help."""


def free_port(host=HOST):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def eventually(what, condition, limit=20, every=0.1):
    """Waits for a condition, and returns what it gives."""
    end = time.monotonic() + limit
    while True:
        try:
            if found := condition():
                return found
        except (OSError, TrialError):
            if time.monotonic() > end:
                raise
        if time.monotonic() > end:
            raise TrialError(f"not within {limit} s: {what}")
        time.sleep(every)


class Child:
    """A program with all that it starts, in a group of processes of its own."""

    def __init__(self, arguments, environment, folder, log):
        self.log = log
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                arguments, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True)
        atexit.register(self.end)

    def end(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(timeout=5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        atexit.unregister(self.end)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()


def environment(**values):
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "PYENV_ROOT", "LANG") if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "NODE_PATH": "/usr/share/nodejs", **values}


class Provider:
    """The identity provider, as users, services and its operator have it."""

    def __init__(self, clients, moves_clock):
        """`clients`: their entries in IDP_CLIENTS_FILE, which JSON writes as YAML reads them. `moves_clock`: whether the trial
        needs `later`."""
        self.holder = tempfile.TemporaryDirectory(prefix="sso-clients-", ignore_cleanup_errors=True)
        self.folder = self.holder.name
        os.chmod(self.folder, 0o755)
        self.outbox, port = os.path.join(self.folder, "outbox"), free_port("127.0.0.1")
        os.mkdir(self.outbox)
        self.secrets = {client["id"]: secrets.token_hex(32) for client in clients}
        variables = {name: f"SECRET_{index}" for index, name in enumerate(self.secrets)}
        self.issuer = f"http://localhost:{port}"
        entries = [
            {"name": client["id"], "protocols": ["oidc"], "access": "everyone",
             "secrets": [f"env:{variables[client['id']]}"], **client} for client in clients]
        with open(os.path.join(self.folder, "clients.yaml"), "w", encoding="utf-8") as file:
            json.dump({"clients": entries}, file)
        self.clock = {}
        if moves_clock:
            self.set_clock(0)
            self.clock = {
                "LD_PRELOAD": CLOCK, "FAKETIME_TIMESTAMP_FILE": f"{self.folder}/clock", "FAKETIME_NO_CACHE": "1",
                "DONT_FAKE_MONOTONIC": "1"}
        self.settings = environment(
            **self.clock, IDP_PUBLIC_URL=self.issuer, IDP_LISTEN=f"127.0.0.1:{port}", IDP_SECRET_KEY=secrets.token_hex(32),
            IDP_DATABASE_URL=f"sqlite:{self.folder}/idp.sqlite", IDP_MAIL_URL=f"outbox:{self.outbox}",
            IDP_MAIL_FROM="Main App <sign-in@example.com>", IDP_ALLOWED_EMAILS="*@example.com",
            IDP_CLIENTS_FILE=f"{self.folder}/clients.yaml",
            **{variables[name]: secret for name, secret in self.secrets.items()})
        self.start()
        with urllib.request.urlopen(f"{self.issuer}/.well-known/openid-configuration", timeout=5) as reply:
            self.metadata = json.load(reply)

    def start(self):
        self.process = Child([program("idp"), "serve"], self.settings, self.folder, f"{self.folder}/idp.log")
        eventually("the identity provider is ready", self.is_ready, limit=60)

    def is_ready(self):
        if self.process.process.poll() is not None:
            raise EndedError(f"the identity provider ended:\n{self.process.text()[-3000:]}")
        return answers(f"{self.issuer}/readyz")

    def command(self, *words):
        """A command of its operator. Preloaded, the other clock would hide the words of the command from it."""
        settings = {name: value for name, value in self.settings.items() if name not in self.clock}
        done = subprocess.run(
            [program("idp"), *words], env=settings, cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise TrialError(f"idp {' '.join(words)}: {(done.stdout + done.stderr)[-500:]}")

    def code(self, address, earlier):
        """The code in the email to an address that came after the earlier ones."""
        def found():
            for path in set(glob.glob(f"{self.outbox}/*.eml")) - earlier:
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                if address in text and (code := re.search(r"^(\d{3}[ -]?\d{3})\s*$", text, re.MULTILINE)):
                    return re.sub(r"\D", "", code.group(1))
        return eventually(f"an email to {address}", found)

    def later(self, seconds):
        """Lets time pass for the service and the identity provider, which believes in a jump only when it is started again."""
        self.process.end()
        self.set_clock(seconds)
        self.start()

    def set_clock(self, seconds):
        with open(f"{self.folder}/clock", "w", encoding="utf-8") as file:
            file.write(f"+{seconds}")

    def emails(self):
        return set(glob.glob(f"{self.outbox}/*.eml"))

    def post(self, endpoint, **fields):
        """A request of the client to an endpoint; its answer's status and its JSON."""
        body = urllib.parse.urlencode({**fields, "client_secret": self.secrets[fields["client_id"]]}).encode()
        request = urllib.request.Request(self.metadata[endpoint], body)
        try:
            with urllib.request.urlopen(request, timeout=10) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def end(self):
        self.process.end()
        self.holder.cleanup()
