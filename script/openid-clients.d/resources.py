"""Servers that take the access tokens of other clients: mod_oauth2 and Dovecot, with a client that has such tokens."""

import dataclasses
import http.server
import threading
import urllib.error
import urllib.parse
import urllib.request

from provider import HOST, TrialError, eventually
from service import Service
from trials import Trial


class App(http.server.ThreadingHTTPServer):
    """A client with access tokens. Its page says nothing: the code is in the browser's address."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    daemon_threads = True

    def __init__(self):
        super().__init__((HOST, 0), self.Page)
        self.callback = f"http://{HOST}:{self.server_address[1]}/callback"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def registration(self):
        return {"id": "app", "redirect_uris": [self.callback], "scopes": ["openid", "profile", "email", "offline_access"]}


@dataclasses.dataclass
class Resource(Service):
    """A server that asks the identity provider what an access token is. `ends`: how soon it learns that one has ended."""

    ends: str = "at once"

    def __post_init__(self):
        self.app = App()
        self.offline = True

    def client(self, origin):
        return {"id": self.name, "introspect": True, "redirect_uris": [origin + "/"]}

    def others(self):
        return [self.app.registration()]

    def trial(self, provider, running):
        return ResourceTrial(provider, running)

    def takes(self, running, token):
        """Whether the server lets the user of a token in."""
        request = urllib.request.Request(running.origin + "/", headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=10) as reply:
                return b"usr_" in reply.read()
        except urllib.error.HTTPError as error:
            if error.code != 401:
                raise TrialError(f"status {error.code}") from None
            return False


class ResourceTrial(Trial):
    """The columns of the table, for a server without pages of its own."""

    def tokens(self, **fields):
        status, answer = self.provider.post("token_endpoint", client_id="app", **fields)
        if status != 200:
            raise TrialError(f"no tokens: {answer}")
        return answer

    def enter(self, user):
        callback = self.service.app.callback
        fields = {"client_id": "app", "redirect_uri": callback, "response_type": "code", "state": "s",
                  "scope": "openid profile email offline_access"}
        self.browser.visit(f"{self.provider.metadata['authorization_endpoint']}?{urllib.parse.urlencode(fields)}")
        self.running.user = user
        self.prove(user)
        self.browser.arrive("the client", lambda address: address.startswith(callback))
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.browser.address).query)
        self.held = self.tokens(grant_type="authorization_code", code=query["code"][0], redirect_uri=callback)
        if not self.takes():
            raise TrialError(f"a fresh token is refused: {self.running.child.text()[-1000:]}")

    def takes(self):
        return self.service.takes(self.running, self.held["access_token"])

    def ends(self):
        try:
            eventually("refused", lambda: not self.takes(), limit=12, every=0.5)
        except TrialError:
            return "no"
        return self.service.ends

    def renewed(self):
        self.provider.later(11 * 60)
        if self.ends() == "no":
            raise TrialError("the token of eleven minutes ago is still taken")
        self.held = self.tokens(grant_type="refresh_token", refresh_token=self.held["refresh_token"])
        return "yes" if self.takes() else "no"

    def sign_out(self):
        self.provider.command("user", "sign-out", f"{self.running.user}@example.com")
        return self.ends()

    def disabled(self):
        self.fresh()
        self.enter("bob")
        self.provider.command("user", "disable", "bob@example.com")
        return self.ends()

    COLUMNS = {"sign-in": Trial.sign_in, "renewed": renewed, "sign-out": sign_out, "disabled": disabled}


ALL = [
    Resource(
        "mod-oauth2", "mod_oauth2", "", "/", ["/usr/sbin/apache2", "-X", "-d", "{FOLDER}", "-f", "{EXAMPLE}/httpd.conf"],
        {"sign-out": "within 5 s", "disabled": "within 5 s"},
        needs=("/usr/sbin/apache2", "/usr/lib/apache2/modules/mod_oauth2.so"), ends="within 5 s"),
]
