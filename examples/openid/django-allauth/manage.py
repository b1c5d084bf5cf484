"""A service in Django, in one file. django-allauth signs its users in.

    pip install 'django-allauth[socialaccount]'
    python manage.py migrate && python manage.py runserver --noreload HOST:PORT

Register: redirect_uris [ORIGIN/accounts/oidc/idp/login/callback/]
"""

import os
import sys
from urllib.parse import urlsplit

from django.conf import settings

HTTPS = os.environ["ORIGIN"].startswith("https:")

settings.configure(
    ALLOWED_HOSTS=[urlsplit(os.environ["ORIGIN"]).hostname],
    SECRET_KEY=os.environ["SESSION_KEY"],
    SESSION_COOKIE_SECURE=HTTPS,
    CSRF_COOKIE_SECURE=HTTPS,
    # The library makes its redirect URI of the request. The proxy says that it was https.
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None,
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["FOLDER"] + "/allauth.sqlite"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
        "allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    SOCIALACCOUNT_PROVIDERS={
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [{
                "provider_id": "idp",
                "name": "Main App",
                "client_id": os.environ["CLIENT_ID"],
                "secret": os.environ["CLIENT_SECRET"],
                "settings": {"server_url": os.environ["ISSUER"], "scope": ["openid", "profile", "email", "groups"]},
            }],
        }
    },
    # Accounts come from the identity provider alone.
    SOCIALACCOUNT_ONLY=True,
    ACCOUNT_EMAIL_VERIFICATION="none",
    LOGIN_REDIRECT_URL="/",
    ACCOUNT_LOGOUT_REDIRECT_URL="/",
)

import django  # noqa: E402

django.setup()

from django.core.management import execute_from_command_line  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import include, path  # noqa: E402

PAGE = """<!doctype html><title>django-allauth</title>
{% if user.is_authenticated %}<p>Hello <span id="email">{{ user.email }}</span>, you are {{ user.username }}.</p>
<form method="post" action="/accounts/logout/">{% csrf_token %}<button id="sign-out">Sign out here</button></form>
{% else %}<form method="post" action="/accounts/oidc/idp/login/">{% csrf_token %}
<button id="sign-in">Sign in with Main App</button></form>{% endif %}"""


def home(request):
    return HttpResponse(engines["django"].from_string(PAGE).render({"user": request.user}, request))


urlpatterns = [path("", home), path("accounts/", include("allauth.urls"))]

if __name__ == "__main__":
    sys.modules["manage"] = sys.modules[__name__]
    execute_from_command_line(sys.argv)
