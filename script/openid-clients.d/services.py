"""The services that script/openid-clients tries itself, apart from those of resources.py, mail.py and lemonldap.py."""

from provider import HOST, eventually, free_port
from service import Service


class SocialAuth(Service):
    def renew(self, browser, origin):
        browser.visit(origin)
        browser.press("#refresh")
        eventually("an answer", lambda: browser.text.startswith(("new tokens", "signed out")))


class AppBuilder(Service):
    """Its page names the user in the bar at the top."""

    def begin(self, browser, origin):
        browser.visit(f"{origin}/login/idp")

    def shown(self, browser):
        return browser.run("""
            const out = document.querySelector('a[href="/logout/"]');
            return out && out.closest('.dropdown').querySelector('a').innerText.trim().split(/\\s/)[0]""")

    def leave(self, browser, origin):
        browser.visit(f"{origin}/logout/")


class Streamlit(Service):
    """Its page is made by a script: it says nothing until that has run."""

    def settings(self, running):
        running.write(".streamlit/secrets.toml", """[auth]
redirect_uri = "{ORIGIN}/oauth2callback"
cookie_secret = "{SESSION_KEY}"
client_id = "{CLIENT_ID}"
client_secret = "{CLIENT_SECRET}"
server_metadata_url = "{ISSUER}/.well-known/openid-configuration"
client_kwargs = {{ scope = "openid profile email" }}
""".format(**running.variables))

    def shown(self, browser):
        text = eventually("the app's page", lambda: next(
            (line for line in browser.text.splitlines() if line.startswith(("Hello ", "Sign in with"))), None))
        return text.split()[1].split("@")[0] if text.startswith("Hello") else None


class JupyterHub(Service):
    def settings(self, running):
        running.write("config.py", f"""
load_subconfig({running.service.files + '/jupyterhub_config.py'!r})
c.JupyterHub.bind_url = {running.origin!r}
c.JupyterHub.hub_bind_url = 'http://{HOST}:{free_port()}'
c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{free_port("127.0.0.1")}'
c.JupyterHub.db_url = 'sqlite:///{running.folder}/hub.sqlite'
c.JupyterHub.cookie_secret_file = '{running.folder}/cookie'
c.JupyterHub.pid_file = ''
# No notebook is begun: the page of the user.
c.JupyterHub.default_url = '/hub/home'
c.GenericOAuthenticator.auth_refresh_age = 1
""")

    def shown(self, browser):
        return browser.run("return window.jhdata && window.jhdata.user") or None

    def leave(self, browser, origin):
        browser.visit(f"{origin}/hub/logout")
        # It sends no hint, so the user is asked.
        if browser.address.startswith("http://localhost:"):
            browser.press("form[action$='/sign-out'] button, form button[type=submit]")


class IdPyOIDC(Service):
    """It reads ES256, as its example says."""

    def client(self, origin):
        return super().client(origin) | {"id_token_alg": "ES256"}


MIGRATE = ["{PYTHON}", "{EXAMPLE}/manage.py", "migrate", "-v0"]
MANAGE = ["{PYTHON}", "{EXAMPLE}/manage.py", "runserver", "--noreload", "{HOST}:{PORT}"]
APP = ["{PYTHON}", "{EXAMPLE}/app.py"]
APACHE = ("/usr/sbin/apache2", "/usr/lib/apache2/modules/mod_auth_openidc.so")
ALL = [
    JupyterHub(
        "jupyterhub", "JupyterHub", "jupyterhub", "/hub/oauth_callback",
        ["{PYTHON}", "-m", "jupyterhub", "-f", "{FOLDER}/config.py"],
        {"two tabs": "both fail", "disabled": "at once"},
        needs=("/usr/bin/configurable-http-proxy",), signed_out="/hub/", offline=True, start="/hub/home",
        sign_in="a[href*='oauth_login']"),
    SocialAuth(
        "social-auth", "social-auth-app-django", "social_auth_app_django", "/complete/oidc/", MANAGE,
        {"disabled": "when it refreshes"}, prepare=MIGRATE, offline=True),
    AppBuilder(
        "flask-appbuilder", "Flask-AppBuilder", "flask_appbuilder", "/oauth-authorized/idp",
        APP, {"two tabs": "the first fails"}),
    Streamlit(
        "streamlit", "Streamlit", "streamlit", "/oauth2callback",
        ["{PYTHON}", "-m", "streamlit", "run", "{EXAMPLE}/app.py", "--server.headless=true", "--server.address={HOST}",
         "--server.port={PORT}", "--global.developmentMode=false", "--browser.gatherUsageStats=false",
         "--server.fileWatcherType=none"],
        {"two tabs": "the first fails"}, signed_out="/oauth2callback",
        sign_in=".stButton button", sign_out=".stButton button"),
    Service(
        "flask-oidc", "flask-oidc", "flask_oidc", "/authorize", APP, {"disabled": "within 10 minutes"}, offline=True),
    Service(
        "django-pyoidc", "django-pyoidc", "django_pyoidc", "/idp-callback", MANAGE,
        {"two tabs": "the first fails", "disabled": "at once"}, prepare=MIGRATE,
        back_channel="/idp-backchannel-logout"),
    Service(
        "form-post", "a stand-in for .NET, form_post", "authlib", "/signin-oidc", APP,
        {}, signed_out="/signout-callback-oidc"),
    Service(
        "apache-form-post", "mod_auth_openidc, form_post", "", "/signed-in",
        ["/usr/sbin/apache2", "-X", "-d", "{FOLDER}", "-f", "{EXAMPLE}/httpd.conf", "-c", "OIDCResponseMode form_post"],
        {"disabled": "at once"}, needs=APACHE, example="apache",
        signed_out="/signed-out.html", back_channel="/signed-in?logout=backchannel", start="/index.html"),
    # These have journeys of their own among the tests, which do not look at two tabs.
    Service("flask", "Authlib with Flask", "authlib", "/callback", APP, {"disabled": "at once"}, back_channel="/signed-out"),
    Service("django", "mozilla-django-oidc", "mozilla_django_oidc", "/oidc/callback/", MANAGE, {}, prepare=MIGRATE),
    Service(
        "django-allauth", "django-allauth", "mozilla_django_oidc", "/accounts/oidc/idp/login/callback/", MANAGE,
        {"sign-out": "here only"}, signed_out="", prepare=MIGRATE),
    Service(
        "sinatra", "omniauth_openid_connect", "", "/auth/idp/callback", ["ruby", "{EXAMPLE}/app.rb"],
        {"two tabs": "both fail"}, needs=("/var/lib/dpkg/info/ruby-omniauth-openid-connect.list",)),
    IdPyOIDC(
        "idpyoidc", "idpyoidc", "idpyoidc", "/callback", APP, {"two tabs": "both fail", "disabled": "at once"},
        back_channel="/signed-out"),
    Service(
        "go", "go-oidc", "", "/callback", ["{FOLDER}/service"], {"two tabs": "the first fails"},
        prepare=["go", "build", "-o", "{FOLDER}/service", "{EXAMPLE}/main.go"],
        needs=("/usr/bin/go", "/usr/share/gocode/src/github.com/coreos/go-oidc")),
]
