"""A service in Django, in one file. Python Social Auth (social-auth-app-django) signs its users in.

    pip install social-auth-app-django
    python manage.py migrate && python manage.py runserver --noreload HOST:PORT

Register: redirect_uris [ORIGIN/complete/oidc/], post_logout_redirect_uris [ORIGIN/], with offline_access in scopes
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
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["FOLDER"] + "/social.sqlite"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "social_django"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        # Sends a user who went back to SOCIAL_AUTH_LOGIN_ERROR_URL. Without it the answer is 500.
        "social_django.middleware.SocialAuthExceptionMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=ISSUER,
    SOCIAL_AUTH_OIDC_KEY=os.environ["CLIENT_ID"],
    SOCIAL_AUTH_OIDC_SECRET=os.environ["CLIENT_SECRET"],
    # Without these lines: `openid profile email`, no PKCE.
    SOCIAL_AUTH_OIDC_SCOPE=["openid", "profile", "email", "offline_access"],
    SOCIAL_AUTH_OIDC_IGNORE_DEFAULT_SCOPE=True,
    SOCIAL_AUTH_OIDC_USE_PKCE=True,
    SOCIAL_AUTH_REQUESTS_TIMEOUT=10,
    # The library knows a user by `sub` (its ID_KEY), which never changes. A name is only what is shown.
    SOCIAL_AUTH_LOGIN_REDIRECT_URL="/",
    SOCIAL_AUTH_LOGIN_ERROR_URL="/?failed",
)

import django  # noqa: E402

django.setup()

from django.contrib.auth import logout  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.shortcuts import redirect  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.views.decorators.http import require_POST  # noqa: E402
from social_django.utils import load_strategy  # noqa: E402
from django.core.management import execute_from_command_line  # noqa: E402

PAGE = """<!doctype html><title>Python Social Auth</title>
{% if user.is_authenticated %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.username }}.</p>
<form method="post" action="/refresh">{% csrf_token %}<button id="refresh">New tokens</button></form>
<form method="post" action="/sign-out">{% csrf_token %}<button id="sign-out">Sign out</button></form>
{% else %}<form method="post" action="/login/oidc/">{% csrf_token %}<button id="sign-in">Sign in with Main App</button></form>
{% endif %}"""


def home(request):
    return HttpResponse(engines["django"].from_string(PAGE).render({"user": request.user}, request))


@require_POST
def refresh(request):
    """The library refreshes only when it is told to. An error says that the provider has ended the session."""
    try:
        request.user.social_auth.get(provider="oidc").refresh_token(load_strategy(request))
    except Exception as error:
        logout(request)
        return HttpResponse(f"signed out: {error}")
    return HttpResponse("new tokens")


@require_POST
def sign_out(request):
    """The library has no sign-out at the provider."""
    grant = request.user.social_auth.get(provider="oidc").extra_data if request.user.is_authenticated else {}
    logout(request)
    fields = {"id_token_hint": grant.get("id_token", ""), "post_logout_redirect_uri": request.build_absolute_uri("/")}
    return redirect(f"{ISSUER}/oidc/logout?{urlencode(fields)}")


urlpatterns = [
    path("", home), path("refresh", refresh), path("sign-out", sign_out),
    path("", include("social_django.urls", namespace="social")),
]

if __name__ == "__main__":
    sys.modules["manage"] = sys.modules[__name__]
    execute_from_command_line(sys.argv)
