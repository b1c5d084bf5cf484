"""Dovecot, and Roundcube in front of it: each user's password is an access token."""

import imaplib
import os
import re

from provider import HOST, Child, environment, eventually, free_port
from resources import Resource
from service import BUILD, Service

ROUNDCUBE = os.path.join(BUILD, "roundcube", "usr", "share", "roundcube")
# What Debian has set up, for a Dovecot by itself.
DOVECOT = """
protocols = imap
base_dir = {folder}/run
state_dir = {folder}/state
log_path = /dev/stderr
auth_verbose = yes
listen = {host}
ssl = no
disable_plaintext_auth = no
mail_location = maildir:~/Maildir
service imap-login {{
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home={folder}/mail/%u
}}
"""


class Dovecot(Resource):
    def missing(self):
        return super().missing() + ([] if os.geteuid() == 0 else ["the rights of root"])

    def settings(self, running):
        self.write(running, running.folder, running.port)

    def write(self, running, folder, port):
        """Its files, from those of the example."""
        os.mkdir(f"{folder}/mail")
        os.chmod(f"{folder}/mail", 0o777)
        issuer, secret = running.provider.issuer, running.provider.secrets[self.name]
        for name in ("dovecot.conf", "oauth2.conf.ext"):
            with open(f"{self.files}/{name}", encoding="utf-8") as file:
                text = file.read().replace("/etc/dovecot", folder)
            text = text.replace("https://dovecot:SECRET@id.example.com", issuer.replace("://", f"://dovecot:{secret}@"))
            if name == "dovecot.conf":
                text += DOVECOT.format(folder=folder, host=HOST, port=port)
            running.write(os.path.join(folder, name), text)

    def answers(self, running):
        imaplib.IMAP4(HOST, running.port, timeout=5).shutdown()

    def takes(self, running, token):
        server = imaplib.IMAP4(HOST, running.port, timeout=20)
        try:
            words = f"user={running.user}@example.com\1auth=Bearer {token}\1\1".encode()
            server.authenticate("XOAUTH2", lambda _: words)
            return server.select()[0] == "OK"
        except imaplib.IMAP4.error:
            return False
        finally:
            server.shutdown()


DOVECOT_ALONE = Dovecot(
    "dovecot", "Dovecot", "", "/", ["/usr/sbin/dovecot", "-F", "-c", "{FOLDER}/dovecot.conf"],
    {"sign-out": "at once", "disabled": "at once"}, needs=("/usr/sbin/dovecot", "/usr/lib/dovecot/imap"))


class Roundcube(Service):
    def missing(self):
        return super().missing() + DOVECOT_ALONE.missing()

    def others(self):
        return [DOVECOT_ALONE.client(f"http://{HOST}:1")]

    def settings(self, running):
        folder, port = f"{running.folder}/dovecot", free_port()
        os.mkdir(folder)
        DOVECOT_ALONE.write(running, folder, port)
        words = ["/usr/sbin/dovecot", "-F", "-c", f"{folder}/dovecot.conf"]
        running.beside.append(Child(words, environment(), folder, f"{folder}/log"))
        eventually("Dovecot answers", lambda: imaplib.IMAP4(HOST, port, timeout=5).shutdown() is None)
        scripts = os.path.join(BUILD, "roundcube", "usr", "share", "javascript")
        if not os.path.lexists(scripts):
            os.symlink("/usr/share/javascript", scripts)
        for name in ("program", "skins", "plugins", "SQL", "index.php"):
            os.symlink(f"{ROUNDCUBE}/{name}", f"{running.folder}/{name}")
        for name in ("temp", "logs"):
            os.mkdir(f"{running.folder}/{name}")
        defaults = os.path.join(BUILD, "roundcube", "etc", "roundcube")
        os.mkdir(f"{running.folder}/config")
        for name in ("defaults.inc.php", "mimetypes.php"):
            os.symlink(f"{defaults}/{name}", f"{running.folder}/config/{name}")
        running.write("config/config.inc.php", f"""<?php
require '{self.files}/config.inc.php';
$config['db_dsnw'] = 'sqlite:///{running.folder}/roundcube.sqlite?mode=0600';
$config['imap_host'] = '{HOST}:{port}';
$config['des_key'] = '{os.urandom(12).hex()}';
$config['plugins'] = [];
$config['skin'] = 'elastic';
$config['log_driver'] = 'stdout';
$config['session_storage'] = 'db';
""")
        running.write("start.php", f"<?php define('INSTALL_PATH', '{running.folder}/');")

    def shown(self, browser):
        """The user whose folders it lists: the page alone may be of a session that Dovecot no longer lets in."""
        if not browser.has("#mailboxlist li.inbox"):
            return None
        return browser.run("return document.querySelector('.header-title.username').textContent.trim().split('@')[0]")

    def leave(self, browser, origin):
        token = re.search(r'"request_token":"(\w+)"', browser.source)
        browser.visit(f"{origin}/?_task=logout&_token={token.group(1)}")


ALL = [
    DOVECOT_ALONE,
    Roundcube(
        "roundcube", "Roundcube with Dovecot", "", "/index.php/login/oauth",
        ["php", "-d", "auto_prepend_file={FOLDER}/start.php", "-S", "{HOST}:{PORT}", "-t", "{FOLDER}"],
        {"two tabs": "the first fails", "sign-out": "here only", "disabled": "at once"}, needs=(ROUNDCUBE, "/usr/bin/php"),
        signed_out="", offline=True, start="/?_task=mail", sign_in="#rcmloginoauth"),
]
