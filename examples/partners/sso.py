import contextlib, hashlib, hmac, http.client, json, re, socket, threading, time, urllib.parse

class VerifyError(Exception):
    """The visitor is not signed in. `error` and `description` come from the IdP, if it sent them."""
    def __init__(self, reason, error=None, description=None):
        super().__init__(": ".join(part for part in (reason, error, description) if part))
        self.error, self.description = error, description

class EventError(Exception):
    """The message ends nothing. Answer it with `status`."""
    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status

def readable(text) -> str | None:
    """A text of an unsigned response, if it can be logged: one line of printable ASCII."""
    return text if isinstance(text, str) and re.fullmatch("[ -~]{1,300}", text) else None

class SSO:
    def __init__(self, idp: str, client: str, secret: str):
        self.idp = urllib.parse.urlsplit(idp)
        self.client, self.key = client, secret.strip().encode()

    def body(self, token: str, redirect_uri: str, code_verifier: str | None = None) -> bytes:
        fields = {"token": token, "redirect_uri": redirect_uri}
        if code_verifier is not None:
            fields["code_verifier"] = code_verifier
        return json.dumps(fields, separators=(",", ":")).encode()

    def sign(self, body: bytes) -> str:
        return "sha256=" + hmac.new(self.key, body, hashlib.sha256).hexdigest()

    def is_signed(self, signatures: list[str], message: bytes) -> bool:
        return len(signatures) == 1 and hmac.compare_digest(
            signatures[0].lower().encode(), self.sign(message).encode())

    def signed(self, raw: bytes, signatures: list[str], request_signature: str) -> dict:
        """A response of the IdP to this client. `signatures`: all values of its header X-SSO-Signature."""
        hex_digits = request_signature.removeprefix("sha256=").lower()
        if not self.is_signed(signatures, b"response." + hex_digits.encode() + b"." + raw):
            raise VerifyError("response not signed by the IdP")
        try:
            reply = json.loads(raw.decode())
            client = reply["client_id"]
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise VerifyError("response not as documented") from problem
        if client != self.client:
            raise VerifyError("response for another client")
        return reply

    def check(self, raw: bytes, signatures: list[str], request_signature: str) -> dict:
        """The verified response."""
        reply = self.signed(raw, signatures, request_signature)
        try:
            user_id, session_id = reply["user"]["id"], reply["session"]["id"]
            time = reply["session"].get("authenticated_at", 0)
        except (KeyError, TypeError) as problem:
            raise VerifyError("response not as documented") from problem
        if not all(isinstance(text, str) and text for text in (user_id, session_id)) or type(time) is not int:
            raise VerifyError("response not as documented")
        return reply

    def check_session(self, raw: bytes, signatures: list[str], request_signature: str, user: str) -> dict:
        """The same for the response to a question about a session of `user`."""
        reply = self.signed(raw, signatures, request_signature)
        reason = reply.get("reason")
        if reply.get("active") is True:
            if self.check(raw, signatures, request_signature)["user"]["id"] != user:
                raise VerifyError("response about another user")
        elif reply.get("active") is not False or not isinstance(reason, str) or reason == "":
            raise VerifyError("response not as documented")
        return reply

    def verify(self, token: str, redirect_uri: str, code_verifier: str | None = None) -> dict:
        return self.check(*self.call("/auth/sso/verify", "", self.body(token, redirect_uri, code_verifier), 5))

    def session(self, id: str, user: str) -> dict:
        """Whether a session at the IdP still holds: `active`, and the user of today or the `reason`."""
        body = json.dumps({"session": id, "user": user}, separators=(",", ":")).encode()
        return self.check_session(*self.call("/auth/sso/session", "session.", body, 2), user)

    def ping(self, redirect_uri: str) -> dict:
        """Tries client id, secret and clock: `redirect_uri` is "registered" or "not_registered". Changes nothing."""
        body = json.dumps({"redirect_uri": redirect_uri, "time": int(time.time())}, separators=(",", ":")).encode()
        return self.signed(*self.call("/auth/sso/ping", "ping.", body, 5))

    def event(self, raw: bytes, headers, now: float | None = None) -> dict:
        """The verified sign-out message. `headers`: a mapping, or pairs of names and values."""
        pairs = headers.items() if hasattr(headers, "items") else headers
        if not self.is_signed([value for name, value in pairs if name.lower() == "x-sso-signature"], b"logout." + raw):
            raise EventError(401, "message not signed by the IdP")
        try:
            event = json.loads(raw.decode())
            texts = [event["id"], event["user"], event.get("session", "all")]
            ours = event["event"] == "logout" and event["client_id"] == self.client
            issued_at = event["issued_at"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise EventError(400, "message not as documented") from problem
        if not ours or not all(isinstance(text, str) and text for text in texts) or type(issued_at) is not int:
            raise EventError(400, "message not as documented, or for another client")
        if abs((time.time() if now is None else now) - issued_at) > 300:
            raise EventError(400, "message not of these minutes")
        return event

    def call(self, path: str, label: str, body: bytes, seconds: float):
        """Body, signatures and the request's signature of a response 200."""
        signature = self.sign(label.encode() + body)
        status, headers, raw = self.post(path, body, {
            "Content-Type": "application/json", "X-SSO-Client": self.client, "X-SSO-Signature": signature}, seconds)
        if status != 200:
            try:
                refusal = json.loads(raw.decode())
                refusal = [readable(refusal.get(name)) for name in ("error", "error_description")]
            except (ValueError, AttributeError, RecursionError):
                refusal = []
            raise VerifyError(f"status {status}", *refusal)
        if headers.get_content_type() != "application/json":
            raise VerifyError("response is not JSON")
        if len(raw) > 65536:
            raise VerifyError("response too large")
        return raw, headers.get_all("X-SSO-Signature", []), signature

    def post(self, path: str, body: bytes, headers: dict[str, str], seconds: float):
        """Status, headers and body. http.client follows no redirect and uses no proxy of the environment."""
        kind = http.client.HTTPSConnection if self.idp.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.idp.netloc, timeout=seconds)
        sockets, result = [], []
        def call():
            try:
                connection.connect()
                sockets.append(connection.sock)
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                result.append((response.status, response.headers, response.read(65537)))
            except Exception as problem:
                result.append(problem)
        # A timeout of http.client is for each read. The seconds are for the whole call.
        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(seconds)
        answer = result[0] if result else TimeoutError()
        with contextlib.suppress(OSError):
            for opened in sockets: opened.shutdown(socket.SHUT_RDWR)
        if isinstance(answer, Exception):
            raise VerifyError(f"no response: {answer!r}")
        return answer
