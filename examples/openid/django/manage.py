"""A service in Django, in one file. mozilla-django-oidc signs its users in.

    pip install mozilla-django-oidc
    python manage.py migrate && python manage.py runserver --noreload HOST:PORT

Register: redirect_uris [ORIGIN/oidc/callback/], post_logout_redirect_uris [ORIGIN/]
"""

import os
import sys
from urllib.parse import urlencode, urlsplit

from django.conf import settings

ISSUER = os.environ["ISSUER"]
HTTPS = os.environ["ORIGIN"].startswith("https:")

settings.configure(
    ALLOWED_HOSTS=[urlsplit(os.environ["ORIGIN"]).hostname],
    SECRET_KEY=os.environ["SESSION_KEY"],
    SESSION_COOKIE_SECURE=HTTPS,
    CSRF_COOKIE_SECURE=HTTPS,
    # The library makes its redirect URI of the request. The proxy says that it was https.
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None,
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["FOLDER"] + "/django.sqlite"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        # Asks again every 15 minutes, with prompt=none: a user who was signed out elsewhere is out here.
        "mozilla_django_oidc.middleware.SessionRefresh",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    AUTHENTICATION_BACKENDS=[f"{__name__}.Users"],
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{ISSUER}/oidc/authorize",
    OIDC_OP_TOKEN_ENDPOINT=f"{ISSUER}/oidc/token",
    OIDC_OP_USER_ENDPOINT=f"{ISSUER}/oidc/userinfo",
    OIDC_OP_JWKS_ENDPOINT=f"{ISSUER}/oidc/jwks",
    OIDC_RP_CLIENT_ID=os.environ["CLIENT_ID"],
    OIDC_RP_CLIENT_SECRET=os.environ["CLIENT_SECRET"],
    OIDC_RP_SCOPES="openid profile email groups",
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_USE_PKCE=True,
    OIDC_STORE_ID_TOKEN=True,
    OIDC_TIMEOUT=10,
    OIDC_OP_LOGOUT_URL_METHOD=f"{__name__}.sign_out_address",
    LOGIN_REDIRECT_URL="/",
    LOGIN_REDIRECT_URL_FAILURE="/?failed",
    LOGOUT_REDIRECT_URL="/",
)

import django  # noqa: E402

django.setup()

from django.core.management import execute_from_command_line  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import include, path  # noqa: E402
from mozilla_django_oidc.auth import OIDCAuthenticationBackend  # noqa: E402


class Users(OIDCAuthenticationBackend):
    """The user's name here is `sub`, which never changes. An address may change, and pass to another user."""

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def create_user(self, claims):
        return self.UserModel.objects.create_user(claims["sub"], email=claims["email"])

    def update_user(self, user, claims):
        user.email = claims["email"]
        user.save()
        return user


def sign_out_address(request):
    fields = {
        "id_token_hint": request.session["oidc_id_token"], "post_logout_redirect_uri": request.build_absolute_uri("/"),
    }
    return f"{ISSUER}/oidc/logout?{urlencode(fields)}"


PAGE = """<!doctype html><title>Django</title>
{% if user.is_authenticated %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.username }}.</p>
<form method="post" action="/oidc/logout/">{% csrf_token %}<button id="sign-out">Sign out</button></form>
{% else %}<p><a id="sign-in" href="/oidc/authenticate/">Sign in with Main App</a></p>{% endif %}"""


def home(request):
    return HttpResponse(engines["django"].from_string(PAGE).render({"user": request.user}, request))


urlpatterns = [path("", home), path("oidc/", include("mozilla_django_oidc.urls"))]

if __name__ == "__main__":
    sys.modules["manage"] = sys.modules[__name__]
    execute_from_command_line(sys.argv)
