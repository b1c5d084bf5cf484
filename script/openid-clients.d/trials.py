"""What each service is tried with. Each method of a column returns the words that stand there after it."""

from browser import Browser
from provider import TrialError, eventually


class Trial:
    """A service, an identity provider and a user's browser."""

    def __init__(self, provider, running):
        self.provider, self.running, self.service = provider, running, running.service
        self.browser, self.origin = Browser(), running.origin

    def prove(self, user):
        """Types the address and the code that came, at the identity provider's page."""
        address, earlier = f"{user}@example.com", self.provider.emails()
        self.browser.type("input[name=email]", address + "\n")
        self.browser.type("input[name=code]", self.provider.code(address, earlier))

    def enter(self, user):
        """From the service's page through the whole sign-in, and back to it."""
        self.service.begin(self.browser, self.origin)
        if not self.browser.settle().startswith(self.origin):
            self.prove(user)
        self.browser.arrive("the service", lambda address: address.startswith(self.origin))
        self.is_in(user)

    def is_in(self, user):
        eventually(f"{self.service.title} greets {user}", lambda: self.greeted() == user)

    def greeted(self):
        return self.service.user(self.browser, self.origin)

    def holds(self, user):
        """Whether the service greets the user within a moment."""
        try:
            return eventually(user, lambda: self.greeted() == user, limit=3)
        except TrialError:
            return False

    def is_asked(self):
        """Whether the identity provider asks for an address at a sign-in that begins now."""
        self.service.begin(self.browser, self.origin)
        self.browser.settle()
        return self.browser.has("input[name=email]")

    def leave(self):
        """Signs out. Returns where the browser stays: at the service or at the identity provider."""
        self.greeted()
        self.service.leave(self.browser, self.origin)
        return "back" if self.browser.settle().startswith(self.origin) else "stays"

    # MARK: Columns

    def sign_in(self):
        self.enter("ann")
        return "yes"

    def renewed(self):
        """Eleven minutes later the access token has expired: the user is still in, with new tokens."""
        if not self.service.offline:
            return "-"
        self.provider.later(11 * 60)
        self.service.renew(self.browser, self.origin)
        return "yes" if self.holds("ann") else "no"

    def sign_out(self):
        where = self.leave()
        if self.greeted():
            raise TrialError("the user is still signed in after the sign-out")
        if self.is_asked():
            return where
        self.fresh()
        return "here only"

    def two_tabs(self):
        """Begins in two tabs, signs in in the first, and then looks at the second."""
        self.service.begin(self.browser, self.origin)
        first = self.browser.open_tab()
        self.service.begin(self.browser, self.origin)
        second = self.browser.ask("GET", "/window")
        self.browser.settle()
        self.browser.switch(first)
        self.prove("bob")
        self.browser.arrive("the service", lambda address: address.startswith(self.origin))
        self.browser.settle()
        one = self.holds("bob")
        self.browser.switch(second)
        self.browser.ask("POST", "/refresh", {})
        self.browser.arrive("the service", lambda address: address.startswith(self.origin))
        self.browser.settle()
        two = self.holds("bob")
        return {(True, True): "both", (False, True): "the first fails", (True, False): "the second fails"}.get(
            (one, two), "both fail")

    def disabled(self):
        if not self.holds("bob"):
            self.enter("bob")
        self.provider.command("user", "disable", "bob@example.com")
        try:
            eventually("out", lambda: self.greeted() is None, limit=8, every=0.5)
            return "at once"
        except TrialError:
            if not self.service.offline:
                return "no"
        self.provider.later(22 * 60)
        if not self.greeted():
            return "within 10 minutes"
        self.service.renew(self.browser, self.origin)
        return "no" if self.greeted() else "when it refreshes"

    def late_sign_out(self):
        """The identity provider has ended the session. Then the user signs out at the service."""
        if self.service.expected["late sign-out"] == "-":
            return "-"
        self.fresh()
        self.enter("user3")
        self.provider.command("user", "sign-out", "user3@example.com")
        return self.leave()

    def fresh(self):
        """Another browser: nobody is signed in there."""
        self.browser.end()
        self.browser = Browser()

    COLUMNS = {
        "sign-in": sign_in, "renewed": renewed, "sign-out": sign_out, "two tabs": two_tabs, "disabled": disabled,
        "late sign-out": late_sign_out}

    def run(self, see):
        """Runs all, and tells each result as soon as it is known."""
        for name, trial in self.COLUMNS.items():
            try:
                see(name, trial(self))
            except (TrialError, OSError) as error:
                see(name, f"FAILED: {error}")
                if name == "sign-in":
                    return

    def end(self):
        self.browser.end()
