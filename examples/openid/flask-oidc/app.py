"""A service in Flask. flask-oidc signs its users in.

    pip install flask-oidc

Register: redirect_uris [ORIGIN/authorize], post_logout_redirect_uris [ORIGIN/], with offline_access in scopes
"""

import os
from urllib.parse import urlencode

from flask import Flask, g, redirect, render_template_string, session
from flask_oidc import OpenIDConnect

ISSUER, ORIGIN = os.environ["ISSUER"], os.environ["ORIGIN"]

app = Flask(__name__)
app.config.update(
    SECRET_KEY=os.environ["SESSION_KEY"],
    SESSION_COOKIE_SAMESITE="Lax",
    SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"),
    OIDC_OVERWRITE_REDIRECT_URI=f"{ORIGIN}/authorize",
    OIDC_CLIENT_SECRETS={"web": {
        "client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"], "issuer": ISSUER}},
    # With a refresh token, the library asks for a new access token when one has expired. Without, the user signs in again.
    OIDC_SCOPES="openid profile email offline_access",
)
oidc = OpenIDConnect(app)

PAGE = """<!doctype html><title>flask-oidc</title>
{% if user %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.sub }}.</p>
<form method="post" action="/sign-out"><button id="sign-out">Sign out</button></form>
{% else %}<p><a id="sign-in" href="/login">Sign in with Main App</a></p>{% endif %}"""


@app.get("/")
def home():
    # `sub` names the user: it never changes, an address may.
    return render_template_string(PAGE, user=session.get("oidc_auth_profile") if oidc.user_loggedin else None)


@app.post("/sign-out")
def sign_out():
    """The library's own /logout ends the session here alone: with `require_login` the user is in again at once."""
    token = session.get("oidc_auth_token", {})
    session.clear()
    fields = {"id_token_hint": token.get("id_token", ""), "post_logout_redirect_uri": f"{ORIGIN}/"}
    return redirect(f"{g._oidc_auth.load_server_metadata()['end_session_endpoint']}?{urlencode(fields)}")


if __name__ == "__main__":
    app.run(os.environ["HOST"], int(os.environ["PORT"]))
