"""A user's browser without script, at both programs of script/try-proxies."""

import collections
import http.client
import re
import socket
import ssl
import urllib.parse


class Connection(http.client.HTTPSConnection):
    """To a name that stands for this machine."""

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        # As browsers do: a small request is not held back.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._context.wrap_socket(plain, server_hostname=self.host)


class Browser:
    """One user's browser without script. Connections are kept, as browsers do."""

    def __init__(self, deployed, outcomes):
        self.deployed, self.outcomes = deployed, outcomes
        self.connections, self.cookies = {}, collections.defaultdict(dict)

    def ask(self, url, fields=None):
        """One request. Returns the answer's status, the next address and the page."""
        parts = urllib.parse.urlsplit(url)
        host, target = parts.hostname, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = self.connections.get(host)
        is_kept = connection is not None and connection.sock is not None
        if connection is None:
            connection = self.connections[host] = Connection(host, parts.port, context=self.deployed.context)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies[host].items())}
        body = None
        if fields is not None:
            body = urllib.parse.urlencode(fields)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://{parts.netloc}"}
        what = f"{'GET' if body is None else 'POST'} {parts.path}"
        def send():
            connection.request("GET" if body is None else "POST", target, body, headers)
            return connection.getresponse()

        try:
            try:
                reply = send()
            except (ConnectionError, ssl.SSLEOFError, http.client.BadStatusLine):
                connection.close()
                if not is_kept:
                    raise
                # As browsers do, when a kept connection ends without a byte of an answer.
                self.outcomes["repeated"] += 1
                reply = send()
            page = reply.read().decode()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            self.outcomes[f"{what}: {type(error).__name__}"] += 1
            raise
        for line in reply.headers.get_all("Set-Cookie") or []:
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[host][name] = value
        answered = reply.status in (200, 302, 303)
        self.outcomes["answered" if answered else f"{what}: {reply.status}"] += 1
        if not answered:
            raise OSError(f"{what}: {reply.status}")
        location = reply.getheader("Location")
        return urllib.parse.urljoin(url, location) if location else None, url, page

    def visit(self, url, fields=None):
        """A request and its redirects. Returns the address and the page of the last one."""
        location, url, page = self.ask(url, fields)
        while location:
            location, url, page = self.ask(location)
        return url, page

    def sign_in(self, address):
        """Begins at the relying party, and ends there, signed in."""
        url, page = self.visit(f"{self.deployed.partner}/auth/sso/start")
        url, page = self.visit(*form(url, page, "email", address))
        url, page = self.visit(*form(url, page, "code", self.deployed.mailbox.code(address)))
        # The page that leads back to the relying party.
        back = re.search(rf'href="({re.escape(self.deployed.partner)}/auth/sso/callback\?[^"]*)"', page)
        if not back:
            raise AssertionError(f"no way back at {urllib.parse.urlsplit(url).path}: {page[:3000]}")
        self.visit(back.group(1).replace("&amp;", "&"))
        _, page = self.visit(f"{self.deployed.partner}/")
        if "/sign-out" not in page:
            raise AssertionError(f"not signed in: {url}")


def form(url, page, field=None, value=None):
    """The address and the fields of the form that has the field, or of the last form."""
    found = None
    for attributes, inside in re.findall(r"<form\b([^>]*)>(.*?)</form>", page, re.DOTALL):
        named = {}
        for tag in re.findall(r"<input\b[^>]*>", inside):
            name, text = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
            if name:
                named[name.group(1)] = text.group(1) if text else ""
        if field is None or field in named:
            action = re.search(r'action="([^"]*)"', attributes)
            found = (urllib.parse.urljoin(url, action.group(1) if action else ""), named | ({field: value} if field else {}))
    if not found:
        raise AssertionError(f"no form with {field} at {url}")
    return found
