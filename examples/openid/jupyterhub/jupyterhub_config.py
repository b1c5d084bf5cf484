"""JupyterHub: this part of its jupyterhub_config.py lets users sign in with Main App.

    pip install jupyterhub oauthenticator
    apt install node-configurable-http-proxy
    jupyterhub -f jupyterhub_config.py

Register: redirect_uris [ORIGIN/hub/oauth_callback], post_logout_redirect_uris [ORIGIN/hub/], with offline_access in scopes.
Its environment has JUPYTERHUB_CRYPT_KEY, 64 hex digits.
"""

import os
from urllib.parse import urlencode

ISSUER, ORIGIN = os.environ["ISSUER"], os.environ["ORIGIN"]

c = get_config()  # noqa: F821
c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.login_service = "Main App"
c.GenericOAuthenticator.client_id = os.environ["CLIENT_ID"]
c.GenericOAuthenticator.client_secret = os.environ["CLIENT_SECRET"]
c.GenericOAuthenticator.authorize_url = f"{ISSUER}/oidc/authorize"
c.GenericOAuthenticator.token_url = f"{ISSUER}/oidc/token"
c.GenericOAuthenticator.userdata_url = f"{ISSUER}/oidc/userinfo"
c.GenericOAuthenticator.oauth_callback_url = f"{ORIGIN}/hub/oauth_callback"
# By default it asks for no scope at all.
c.GenericOAuthenticator.scope = ["openid", "profile", "email", "offline_access"]
# Never given to another user. JupyterHub writes names in lower case, so `sub` would be another one.
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.allow_all = True
# Every five minutes (auth_refresh_age) it asks whether the user is still signed in. For that it must keep the tokens.
c.GenericOAuthenticator.enable_auth_state = True
# It sends no hint, so the user is asked first, and then comes back.
fields = {"client_id": os.environ["CLIENT_ID"], "post_logout_redirect_uri": f"{ORIGIN}/hub/"}
c.GenericOAuthenticator.logout_redirect_url = f"{ISSUER}/oidc/logout?{urlencode(fields)}"
