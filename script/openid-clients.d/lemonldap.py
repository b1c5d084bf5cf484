"""The portal LemonLDAP::NG by itself, without the web server of a company around it."""

import json
import os
import urllib.request

from provider import HOST
from service import Service

PERL = "/usr/share/perl5/Lemonldap/NG/Portal.pm"
# What Debian has set up: where the portal keeps its files, and those of its pages.
STORED = """[all]
logLevel = warn
[configuration]
type = File
dirName = {folder}/conf
localStorage = Cache::NullCache
localStorageOptions = {{}}
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
"""
START = """
use Plack::Builder;
use Lemonldap::NG::Portal;
builder {
    enable "Static", path => sub { s!^/static/!/! }, root => "/usr/share/lemonldap-ng/portal/htdocs/static";
    enable "Static", path => sub { s!^/javascript/!/! }, root => "/usr/share/javascript";
    Lemonldap::NG::Portal->run({});
};
"""


class LemonLDAP(Service):
    def settings(self, running):
        metadata = running.provider.metadata
        with urllib.request.urlopen(metadata["jwks_uri"], timeout=5) as reply:
            keys = json.load(reply)
        with open(f"{self.files}/lemonldap-ng.ini", encoding="utf-8") as file:
            text = file.read()
        for old, new in (("METADATA", json.dumps(metadata)), ("KEYS", json.dumps(keys)),
                         ('"CLIENT_ID"', f'"{self.name}"'), ('"CLIENT_SECRET"', f'"{running.variables["CLIENT_SECRET"]}"')):
            text = text.replace(old, new)
        running.write("lemonldap-ng.ini", STORED.format(folder=running.folder) + text.split("[portal]")[1])
        storage = {"Directory": f"{running.folder}/sessions", "LockDirectory": f"{running.folder}/sessions"}
        running.write("conf/lmConf-1.json", json.dumps({
            "cfgNum": 1, "cfgDate": 1, "cfgVersion": "2.16.1", "portal": f"{running.origin}/", "domain": HOST,
            "cookieName": "lemonldap", "securedCookie": 0, "globalStorage": "Apache::Session::File",
            "globalStorageOptions": storage, "persistentStorage": "Apache::Session::File",
            "persistentStorageOptions": storage, "localSessionStorage": "Cache::FileCache",
            "localSessionStorageOptions": {"cache_root": f"{running.folder}/cache", "namespace": "sessions"},
            "locationRules": {HOST: {"default": "accept"}},
            "exportedHeaders": {HOST: {}}, "macros": {}, "exportedVars": {}, "groups": {}, "loginHistoryEnabled": 0}))
        os.mkdir(f"{running.folder}/sessions")
        running.write("portal.psgi", START)
        running.environment["LLNG_DEFAULTCONFFILE"] = f"{running.folder}/lemonldap-ng.ini"

    def begin(self, browser, origin):
        browser.visit(origin)

    def shown(self, browser):
        text = browser.run("return document.querySelector('[trspan=connectedAs]')?.parentElement.textContent")
        return text and text.split()[-1]

    def leave(self, browser, origin):
        browser.visit(f"{origin}/?logout=1")


ALL = [
    LemonLDAP(
        "lemonldap", "LemonLDAP::NG", "", "/?openidconnectcallback=1",
        ["plackup", "--host", "{HOST}", "--port", "{PORT}", "{FOLDER}/portal.psgi"],
        {}, needs=(PERL, "/usr/bin/plackup"), signed_out="/?logout=1", start="/"),
]
