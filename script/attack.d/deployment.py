"""A fresh identity provider on this machine for the attacks beside this file: two processes, one database, proxies."""

import atexit
import hashlib
import hmac
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECRET = secrets.token_hex(32)
# When script/attack ends an attack that takes too long, its child processes end as well.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name):
    """The built program: SSO_PROGRAMS names the folder, else the newer of the release and the debug build."""
    folders = [os.environ.get("SSO_PROGRAMS")] if "SSO_PROGRAMS" in os.environ else [
        os.path.join(ROOT, ".build", kind) for kind in ("release", "debug")]
    paths = [os.path.join(folder, name) for folder in folders]
    paths = [path for path in paths if os.access(path, os.X_OK)]
    if not paths:
        raise SystemExit(f"No {name} in {' or '.join(folders)}: run swift build, or set SSO_PROGRAMS.")
    return max(paths, key=os.path.getmtime)


class Process:
    """A child that ends with this script."""

    def __init__(self, arguments, environment, folder, log):
        self.arguments, self.environment, self.folder, self.log = arguments, environment, folder, log
        self.child = None
        atexit.register(self.kill)

    def launch(self):
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                self.arguments, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)

    def terminate(self):
        self.child.send_signal(signal.SIGTERM)
        return self.child.wait(timeout=20)

    def kill(self):
        if self.child and self.child.poll() is None:
            self.child.kill()
            self.child.wait()


def answers(url, timeout=2):
    try:
        with urllib.request.urlopen(url, timeout=timeout) as reply:
            return reply.status == 200
    except OSError:
        return False


def wait_until(what, condition, limit=30):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"not within {limit} s: {what}")
        time.sleep(0.02)


class IdP:
    """Processes of one identity provider. They are stopped, and their files deleted, at the end of the script."""

    def __init__(self, count=1, without=(), **settings):
        self.holder = tempfile.TemporaryDirectory(prefix="sso-attack-", ignore_cleanup_errors=True)
        folder = self.holder.name
        self.ports = [free_port() for _ in range(count)]
        outbox = os.path.join(folder, "outbox")
        os.mkdir(outbox)
        shared = {
            "PATH": os.environ.get("PATH", ""), "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
            "IDP_PUBLIC_URL": f"http://localhost:{self.ports[0]}",
            "IDP_DATABASE_URL": f"sqlite:{folder}/idp.sqlite", "IDP_SECRET_KEY": secrets.token_hex(32),
            "IDP_MAIL_URL": f"outbox:{outbox}", "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com", "SSO_CLIENT_ID": "partner", "SSO_CLIENT_NAME": "Partner",
            "SSO_REDIRECT_URIS": "http://localhost:1/auth/sso/callback", "SSO_SHARED_SECRET": SECRET, **settings}
        for name in without:
            del shared[name]
        self.processes = [
            Process([program("idp"), "serve"], {**shared, "IDP_LISTEN": f"127.0.0.1:{port}"}, folder,
                    os.path.join(folder, f"idp-{port}.log"))
            for port in self.ports]
        for index in range(count):
            self.start(index)

    def start(self, index):
        self.processes[index].launch()
        url = f"http://127.0.0.1:{self.ports[index]}/readyz"
        wait_until(f"{url} is ready", lambda: answers(url))


def haproxy(backends, folder):
    port = free_port()
    servers = "".join(
        f"    server s{index} 127.0.0.1:{backend} check inter 500ms fall 1 rise 1\n"
        for index, backend in enumerate(backends))
    path = os.path.join(folder, "haproxy.cfg")
    with open(path, "w") as file:
        file.write(f"""global
    maxconn 5000
defaults
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 30s
    timeout http-request 5s
    retries 0
frontend front
    bind 127.0.0.1:{port}
    option http-buffer-request
    default_backend back
backend back
    balance roundrobin
    http-reuse always
    option httpchk GET /readyz
{servers}""")
    Process(["haproxy", "-db", "-f", path], dict(os.environ), folder, os.path.join(folder, "haproxy.log")).launch()
    return port


def caddy(backends, folder):
    """Caddy with the rules that deploy/Caddyfile has for both programs."""
    port = free_port()
    with open(os.path.join(ROOT, "deploy", "Caddyfile")) as file:
        text = file.read()
    rules = text.split("(patience) {\n", 1)[1].split("\n}\n", 1)[0]
    version = subprocess.run(["caddy", "version"], capture_output=True, text=True).stdout.strip().lstrip("v")
    if [int(part) for part in version.split()[0].split(".")[:3]] < [2, 6, 3]:
        # The older name of this rule, in Debian 12.
        rules = rules.replace("request_buffers 64KiB", "buffer_requests\n\tmax_buffer_size 64KiB")
    path = os.path.join(folder, "Caddyfile")
    with open(path, "w") as file:
        file.write(f"""{{
    admin off
    auto_https off
    servers {{
        timeouts {{
            read_header 15s
            read_body 15s
        }}
    }}
}}
http://127.0.0.1:{port} {{
    reverse_proxy {' '.join(f'127.0.0.1:{backend}' for backend in backends)} {{
        lb_policy random
        health_uri /readyz
        health_interval 500ms
        health_timeout 1s
{rules}
    }}
}}
""")
    Process(["caddy", "run", "--adapter", "caddyfile", "--config", path], {**os.environ, "HOME": folder}, folder,
            os.path.join(folder, "caddy.log")).launch()
    return port


def signed(body):
    """The headers of a verify request (docs/protocol.md)."""
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return {"Content-Type": "application/json", "X-SSO-Client": "partner", "X-SSO-Signature": f"sha256={signature}"}
