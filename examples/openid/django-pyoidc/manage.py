"""A service in Django, in one file. django-pyoidc signs its users in, and takes sign-outs by back channel.

    pip install django-pyoidc
    python manage.py migrate && python manage.py runserver --noreload HOST:PORT

Register: redirect_uris [ORIGIN/idp-callback], post_logout_redirect_uris [ORIGIN/],
          backchannel_logout_uri ORIGIN/idp-backchannel-logout
"""

import os
import sys
from urllib.parse import urlsplit

from django.conf import settings

ORIGIN = os.environ["ORIGIN"]
HTTPS = ORIGIN.startswith("https:")

settings.configure(
    ALLOWED_HOSTS=[urlsplit(ORIGIN).hostname],
    SECRET_KEY=os.environ["SESSION_KEY"],
    SESSION_COOKIE_SECURE=HTTPS,
    CSRF_COOKIE_SECURE=HTTPS,
    # The library makes its redirect URI of the request. The proxy says that it was https.
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None,
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["FOLDER"] + "/pyoidc.sqlite"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django_pyoidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    # Pending sign-ins are kept here. A service with more than one process needs a cache that all of them see.
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    SESSION_ENGINE="django.contrib.sessions.backends.db",
    DJANGO_PYOIDC={
        "idp": {
            "provider_discovery_uri": os.environ["ISSUER"],
            "client_id": os.environ["CLIENT_ID"],
            "client_secret": os.environ["CLIENT_SECRET"],
            "oidc_paths_prefix": "idp",
            "scopes": ["openid", "profile", "email"],
            "post_login_uri_success": "/",
            "post_login_uri_failure": "/?failed",
            "post_logout_redirect_uri": f"{ORIGIN}/",
            "hook_get_user": f"{__name__}:user",
            # True, the default, asks what each access token is: register the client with `introspect: true` then.
            "use_introspection_on_access_tokens": False,
        }
    },
)

import django  # noqa: E402

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import execute_from_command_line  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import include, path  # noqa: E402
from django_pyoidc.helper import OIDCHelper  # noqa: E402


def user(client, tokens):
    """The name of a user is `sub`, which never changes. The library's own hook takes the address."""
    claims = tokens["info_token_claims"]
    found, _ = get_user_model().objects.update_or_create(username=claims["sub"], defaults={"email": claims["email"]})
    found.backend = "django.contrib.auth.backends.ModelBackend"
    return found


PAGE = """<!doctype html><title>django-pyoidc</title>
{% if user.is_authenticated %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.username }}.</p>
<form method="post" action="/idp-logout">{% csrf_token %}<button id="sign-out">Sign out</button></form>
{% else %}<p><a id="sign-in" href="/idp-login">Sign in with Main App</a></p>{% endif %}"""


def home(request):
    return HttpResponse(engines["django"].from_string(PAGE).render({"user": request.user}, request))


urlpatterns = [path("", home), path("", include(OIDCHelper(op_name="idp").get_urlpatterns()))]

if __name__ == "__main__":
    sys.modules["manage"] = sys.modules[__name__]
    execute_from_command_line(sys.argv)
