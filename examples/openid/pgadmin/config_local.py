"""pgAdmin 4: this part of its config_local.py lets users sign in with Main App.

    pip install pgadmin4 gunicorn
    gunicorn --chdir .../pgadmin4 --bind HOST:PORT --workers 1 --threads 4 pgAdmin4:app

Register: redirect_uris [ORIGIN/oauth2/authorize], post_logout_redirect_uris [ORIGIN/]
"""

import os

ISSUER = os.environ["ISSUER"]
AUTHENTICATION_SOURCES = ["oauth2"]
OAUTH2_AUTO_CREATE_USER = True
OAUTH2_CONFIG = [{
    "OAUTH2_NAME": "main-app",
    "OAUTH2_DISPLAY_NAME": "Main App",
    "OAUTH2_CLIENT_ID": os.environ["CLIENT_ID"],
    "OAUTH2_CLIENT_SECRET": os.environ["CLIENT_SECRET"],
    "OAUTH2_SERVER_METADATA_URL": f"{ISSUER}/.well-known/openid-configuration",
    "OAUTH2_TOKEN_URL": f"{ISSUER}/oidc/token",
    "OAUTH2_AUTHORIZATION_URL": f"{ISSUER}/oidc/authorize",
    "OAUTH2_API_BASE_URL": f"{ISSUER}/oidc/",
    "OAUTH2_USERINFO_ENDPOINT": "userinfo",
    "OAUTH2_SCOPE": "openid email profile",
    # Never given to another user, unlike an address.
    "OAUTH2_USERNAME_CLAIM": "preferred_username",
    "OAUTH2_CHALLENGE_METHOD": "S256",
    "OAUTH2_RESPONSE_TYPE": "code",
    "OAUTH2_LOGOUT_URL":
        f"{ISSUER}/oidc/logout?id_token_hint={{id_token}}&post_logout_redirect_uri={{redirect_uri}}",
    "OAUTH2_ICON": "fa-key",
    "OAUTH2_BUTTON_COLOR": "#1f6feb",
}]

SESSION_COOKIE_SECURE = os.environ["ORIGIN"].startswith("https:")

# Where pgAdmin keeps its own files.
SERVER_MODE = True
DATA_DIR = os.environ["FOLDER"]
LOG_FILE = f"{DATA_DIR}/pgadmin.log"
SQLITE_PATH = f"{DATA_DIR}/pgadmin.sqlite"
SESSION_DB_PATH = f"{DATA_DIR}/sessions"
STORAGE_DIR = f"{DATA_DIR}/storage"
AZURE_CREDENTIAL_CACHE_DIR = f"{DATA_DIR}/azure"
KERBEROS_CCACHE_DIR = f"{DATA_DIR}/kerberos"
MASTER_PASSWORD_REQUIRED = False
UPGRADE_CHECK_ENABLED = False
