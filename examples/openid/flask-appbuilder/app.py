"""A service with Flask-AppBuilder, as Airflow and Superset are. Authlib signs its users in.

    pip install flask-appbuilder authlib requests

Register: redirect_uris [ORIGIN/oauth-authorized/idp], post_logout_redirect_uris [ORIGIN/]
"""

import os
from urllib.parse import urlencode

from flask import Flask, redirect, session
from flask_appbuilder import AppBuilder, expose
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.security.manager import AUTH_OAUTH
from flask_appbuilder.security.sqla.manager import SecurityManager
from flask_appbuilder.security.views import AuthOAuthView
from werkzeug.middleware.proxy_fix import ProxyFix

ISSUER, ORIGIN = os.environ["ISSUER"], os.environ["ORIGIN"]

# --- What Airflow has in webserver_config.py and Superset in superset_config.py ---
AUTH_TYPE = AUTH_OAUTH
AUTH_USER_REGISTRATION = True
AUTH_USER_REGISTRATION_ROLE = "Public"
OAUTH_PROVIDERS = [{
    "name": "idp",
    "icon": "fa-key",
    "token_key": "access_token",
    "remote_app": {
        "client_id": os.environ["CLIENT_ID"],
        "client_secret": os.environ["CLIENT_SECRET"],
        "server_metadata_url": f"{ISSUER}/.well-known/openid-configuration",
        "client_kwargs": {"scope": "openid profile email groups", "code_challenge_method": "S256", "default_timeout": 10},
    },
}]


class SignIn(AuthOAuthView):
    """Its own sign-out ends the session here alone: the next sign-in asks nothing."""

    @expose("/logout/")
    def logout(self):
        hint = session.pop("id_token", None)
        super().logout()
        fields = {"id_token_hint": hint, "post_logout_redirect_uri": f"{ORIGIN}/"}
        return redirect(f"{ISSUER}/oidc/logout?{urlencode(fields)}" if hint else "/")


class Users(SecurityManager):
    authoauthview = SignIn

    def oauth_user_info(self, provider, response=None):
        claims = response["userinfo"]
        session["id_token"] = response["id_token"]
        # Users are known by `username`: `preferred_username` is never given to another user, unlike an address.
        name = claims["preferred_username"]
        return {"username": name, "first_name": claims.get("name", name), "last_name": "", "email": claims["email"],
                "role_keys": claims.get("groups", [])}


# --- A service to try it with ---
app = Flask(__name__)
app.config.from_object(__name__)
app.config.update(
    SECRET_KEY=os.environ["SESSION_KEY"], SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"),
    APP_NAME="Flask-AppBuilder", SQLALCHEMY_DATABASE_URI=f"sqlite:///{os.environ['FOLDER']}/appbuilder.sqlite")
if ORIGIN.startswith("https:"):
    # The library makes its redirect URI of the request. The proxy says in X-Forwarded-Proto that it was https.
    app.wsgi_app = ProxyFix(app.wsgi_app)
db = SQLA(app)
with app.app_context():
    appbuilder = AppBuilder(app, db.session, security_manager_class=Users)

if __name__ == "__main__":
    app.run(os.environ["HOST"], int(os.environ["PORT"]))
