"""A service in Flask. Authlib signs its users in.

    pip install authlib flask requests

Register: redirect_uris [ORIGIN/callback], post_logout_redirect_uris [ORIGIN/], backchannel_logout_uri ORIGIN/signed-out
"""

import os
import secrets
import time
from urllib.parse import urlencode

import requests
from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, render_template_string, request, session
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

ISSUER, ORIGIN, CLIENT_ID = os.environ["ISSUER"], os.environ["ORIGIN"], os.environ["CLIENT_ID"]

app = Flask(__name__)
app.secret_key = os.environ["SESSION_KEY"]
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"))

idp = OAuth(app).register(
    "idp",
    client_id=CLIENT_ID,
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email groups", "code_challenge_method": "S256", "default_timeout": 10},
)

# Sessions are kept here and not in the cookie, so that a message of the identity provider can end them. A service with
# more than one process keeps them in its database.
signed_in = {}

PAGE = """<!doctype html><title>Flask</title>
{% if user %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.sub }}.</p>
<p>Signed in by <span id="amr">{{ user.amr|join(" ") }}</span>: <span id="acr">{{ user.acr }}</span></p>
<form method="post" action="/sign-out"><button id="sign-out">Sign out</button></form>
{% else %}<p><a id="sign-in" href="/sign-in">Sign in with Main App</a></p>{% endif %}"""


@app.get("/")
def home():
    return render_template_string(PAGE, user=signed_in.get(session.get("id")))


@app.get("/sign-in")
def sign_in():
    # /sign-in?acr=phr asks for a passkey. The request goes through the browser, so what counts is `acr` of the ID token.
    asked = {"acr_values": request.args["acr"]} if "acr" in request.args else {}
    return idp.authorize_redirect(f"{ORIGIN}/callback", **asked)


@app.get("/callback")
def callback():
    # Checks state, nonce, `iss`, and the ID token with its signature.
    try:
        token = idp.authorize_access_token()
    except OAuthError:
        # The user went back, or has begun another sign-in since.
        return 'The sign-in did not work. <a href="/sign-in">Begin again</a>.', 403
    session.clear()
    session["id"] = secrets.token_urlsafe()
    # `sub` names the user: it never changes, an address may.
    signed_in[session["id"]] = {**token["userinfo"], "id_token": token["id_token"]}
    return redirect("/")


@app.post("/sign-out")
def sign_out():
    user = signed_in.pop(session.pop("id", None), None)
    if user is None:
        return redirect("/")
    fields = {"id_token_hint": user["id_token"], "post_logout_redirect_uri": f"{ORIGIN}/"}
    return redirect(f"{idp.load_server_metadata()['end_session_endpoint']}?{urlencode(fields)}")


@app.post("/signed-out")
def signed_out():
    """OpenID Connect Back-Channel Logout 1.0, section 2.5 to 2.8."""
    try:
        keys = KeySet.import_key_set(requests.get(idp.load_server_metadata()["jwks_uri"], timeout=5).json())
        token = jwt.decode(request.form.get("logout_token", ""), keys, algorithms=["RS256"])
    except (JoseError, ValueError):
        return "", 400
    claims = token.claims
    event = "http://schemas.openid.net/event/backchannel-logout"
    if (
        token.header.get("typ") != "logout+jwt"
        or claims.get("iss") != ISSUER
        or claims.get("aud") != CLIENT_ID
        or claims.get("exp", 0) <= time.time()
        or event not in claims.get("events", {})
        or "nonce" in claims
    ):
        return "", 400
    for key, user in list(signed_in.items()):
        if user["sub"] == claims.get("sub") and claims.get("sid") in (None, user.get("sid")):
            del signed_in[key]
    return "", 200, {"Cache-Control": "no-store"}


if __name__ == "__main__":
    app.run(os.environ["HOST"], int(os.environ["PORT"]))
