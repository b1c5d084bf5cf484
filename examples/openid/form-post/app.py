"""A service that has its answers posted, as ASP.NET Core's OpenID Connect handler does: response_mode=form_post, and a cookie
of its own for each sign-in.

    pip install authlib flask requests

Register: redirect_uris [ORIGIN/signin-oidc], post_logout_redirect_uris [ORIGIN/signout-callback-oidc]
"""

import base64
import hashlib
import os
import secrets
from urllib.parse import urlencode

import requests
from flask import Flask, make_response, redirect, render_template_string, request, session, url_for
from itsdangerous import BadSignature, URLSafeTimedSerializer
from joserfc import jwt
from joserfc.jwk import KeySet
from markupsafe import escape

ISSUER, ORIGIN, CLIENT_ID = os.environ["ISSUER"], os.environ["ORIGIN"], os.environ["CLIENT_ID"]

app = Flask(__name__)
app.secret_key = os.environ["SESSION_KEY"]
# The session's cookie needs no other site. Only those of a pending sign-in do: the answer is a POST from the provider's page.
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"))
protector = URLSafeTimedSerializer(app.secret_key, salt="state")
metadata = requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=10).json()

PAGE = """<!doctype html><title>form_post</title>
{% if user %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.sub }}.</p>
<form method="post" action="/sign-out"><button id="sign-out">Sign out</button></form>
{% else %}<p><a id="sign-in" href="/sign-in">Sign in with Main App</a></p>{% endif %}"""


@app.get("/")
def home():
    return render_template_string(PAGE, user=session.get("user"))


@app.get("/sign-in")
def sign_in():
    correlation, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    # All that the answer needs is in the state, sealed. ASP.NET's is about as long.
    state = protector.dumps({"id": correlation, "nonce": nonce, "verifier": verifier, "redirect": "/", "pad": "x" * 400})
    fields = {
        "client_id": CLIENT_ID, "redirect_uri": f"{ORIGIN}/signin-oidc", "response_type": "code",
        "response_mode": "form_post", "scope": "openid profile email", "nonce": nonce, "state": state,
        "code_challenge": base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode(),
        "code_challenge_method": "S256", "x-client-SKU": "ID_NET9_0", "x-client-ver": "8.0.1.0",
    }
    answer = redirect(f"{metadata['authorization_endpoint']}?{urlencode(fields)}")
    # A cookie for each pending sign-in, so that tabs do not disturb each other. Browsers send it with a POST from another site
    # only with SameSite=None, which needs Secure, so https or an address of this machine.
    answer.set_cookie(f"Correlation.{correlation}", "N", path="/signin-oidc", max_age=900, samesite="None", secure=True,
                      httponly=True)
    return answer


@app.post("/signin-oidc")
def signed_in():
    try:
        begun = protector.loads(request.form.get("state", ""), max_age=900)
    except BadSignature:
        return "This sign-in did not begin here. Begin again.", 400
    name = f"Correlation.{begun['id']}"
    if request.cookies.get(name) != "N":
        return "Correlation failed. Begin again.", 400
    if request.form.get("iss", ISSUER) != ISSUER or "code" not in request.form:
        return f"The sign-in did not work: {escape(request.form.get('error'))}", 403
    tokens = requests.post(metadata["token_endpoint"], timeout=10, data={
        "grant_type": "authorization_code", "code": request.form["code"], "redirect_uri": f"{ORIGIN}/signin-oidc",
        "client_id": CLIENT_ID, "client_secret": os.environ["CLIENT_SECRET"], "code_verifier": begun["verifier"]}).json()
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())
    claims = jwt.decode(tokens["id_token"], keys, algorithms=["RS256"]).claims
    expected = {"iss": {"essential": True, "value": ISSUER}, "aud": {"essential": True, "value": CLIENT_ID},
                "nonce": {"essential": True, "value": begun["nonce"]}, "exp": {"essential": True}}
    jwt.JWTClaimsRegistry(**expected).validate(claims)
    session.clear()
    session["user"] = {"sub": claims["sub"], "email": claims["email"], "id_token": tokens["id_token"]}
    answer = make_response(redirect(begun["redirect"]))
    answer.delete_cookie(name, path="/signin-oidc", samesite="None", secure=True)
    return answer


@app.post("/sign-out")
def sign_out():
    hint = session.pop("user", {}).get("id_token", "")
    fields = {"id_token_hint": hint, "post_logout_redirect_uri": f"{ORIGIN}/signout-callback-oidc",
              "state": protector.dumps({"redirect": "/"})}
    return redirect(f"{metadata['end_session_endpoint']}?{urlencode(fields)}")


@app.get("/signout-callback-oidc")
def signed_out():
    """Where the user comes back to after the sign-out, with the state."""
    try:
        return redirect(protector.loads(request.args.get("state", ""), max_age=900)["redirect"])
    except BadSignature:
        return redirect(url_for("home"))


if __name__ == "__main__":
    app.run(os.environ["HOST"], int(os.environ["PORT"]))
