"""A service in Flask. idpyoidc, which checks every answer strictly, signs its users in.

    pip install idpyoidc flask

Register: redirect_uris [ORIGIN/callback], post_logout_redirect_uris [ORIGIN/], backchannel_logout_uri ORIGIN/signed-out
"""

import os
from urllib.parse import parse_qs, urlsplit

from flask import Flask, redirect, render_template_string, request, session
from idpyoidc.client.defaults import DEFAULT_OIDC_SERVICES
from idpyoidc.client.oauth2.stand_alone_client import backchannel_logout
from idpyoidc.client.rp_handler import RPHandler
from markupsafe import escape

ISSUER, ORIGIN = os.environ["ISSUER"], os.environ["ORIGIN"]

app = Flask(__name__)
app.secret_key = os.environ["SESSION_KEY"]
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"))

handler = RPHandler(
    base_url=ORIGIN,
    services={**DEFAULT_OIDC_SERVICES, "end_session": {"class": "idpyoidc.client.oidc.end_session.EndSession"}},
    client_configs={
        "idp": {
            "client_type": "oidc",
            "issuer": ISSUER,
            "client_id": os.environ["CLIENT_ID"],
            "client_secret": os.environ["CLIENT_SECRET"],
            "redirect_uris": [f"{ORIGIN}/callback"],
            "post_logout_redirect_uris": [f"{ORIGIN}/"],
            "backchannel_logout_uri": f"{ORIGIN}/signed-out",
            "backchannel_logout_session_required": True,
            "preference": {
                "scopes_supported": ["openid", "profile", "email", "groups"],
                "response_types_supported": ["code"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
                "id_token_signing_alg_values_supported": ["ES256"],
            },
            "add_ons": {
                "pkce": {
                    "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                    "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
                }
            },
        }
    },
)
signed_in = {}

PAGE = """<!doctype html><title>idpyoidc</title>
{% if user %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.sub }}.</p>
<form method="post" action="/sign-out"><button id="sign-out">Sign out</button></form>
{% else %}<p><a id="sign-in" href="/sign-in">Sign in with Main App</a></p>{% endif %}"""


@app.get("/")
def home():
    return render_template_string(PAGE, user=signed_in.get(session.get("state")))


@app.get("/sign-in")
def sign_in():
    address = handler.begin("idp")
    session.clear()
    session["begun"] = parse_qs(urlsplit(address).query)["state"][0]
    return redirect(address)


@app.get("/callback")
def callback():
    state = session.pop("begun", None)
    if state is None or state != request.args.get("state"):
        return "This sign-in did not begin here. Begin again.", 400
    result = handler.finalize(ISSUER, request.args.to_dict())
    if "userinfo" not in result:
        return f"The sign-in did not work: {escape(result.get('error'))}", 403
    session["state"] = state
    signed_in[state] = result["userinfo"]
    return redirect("/")


@app.post("/sign-out")
def sign_out():
    state = session.pop("state", None)
    if signed_in.pop(state, None) is None:
        return redirect("/")
    return redirect(handler.logout(state, post_logout_redirect_uri=f"{ORIGIN}/")["url"])


@app.post("/signed-out")
def signed_out():
    client = handler.issuer2rp[ISSUER]
    # The library expects the algorithm in an answer to a registration, and there was none.
    client.get_context().registration_response["id_token_signed_response_alg"] = "ES256"
    try:
        state = backchannel_logout(client, request_args=request.form.to_dict())
    except Exception as error:
        app.logger.warning("logout token: %s", error)
        return "", 400
    signed_in.pop(state, None)
    return "", 200, {"Cache-Control": "no-store"}


if __name__ == "__main__":
    app.run(os.environ["HOST"], int(os.environ["PORT"]))
