"""pgAdmin behind the gate: it takes its user from a field of its proxy."""
import contextlib
import os
import re
import sqlite3
import sys


def start(library, port, folder):
    """Writes the file of pgAdmin, and returns the command that runs it and its environment."""
    data = os.path.join(folder, "pgadmin")
    os.makedirs(data)
    with open(os.path.join(data, "config_local.py"), "w", encoding="utf-8") as file:
        file.write(
            "AUTHENTICATION_SOURCES = ['webserver']\nWEBSERVER_REMOTE_USER = 'Remote-User'\n"
            "WEBSERVER_REMOTE_USER_FROM_HEADER = True\nWEBSERVER_TRUSTED_PROXIES = ['127.0.0.1']\n"
            "SERVER_MODE = True\nMASTER_PASSWORD_REQUIRED = False\nUPGRADE_CHECK_ENABLED = False\n"
            f"DATA_DIR = {data!r}\nLOG_FILE = DATA_DIR + '/pgadmin.log'\nSQLITE_PATH = DATA_DIR + '/pgadmin.sqlite'\n"
            "SESSION_DB_PATH = DATA_DIR + '/sessions'\nSTORAGE_DIR = DATA_DIR + '/storage'\n"
            "AZURE_CREDENTIAL_CACHE_DIR = DATA_DIR + '/azure'\nKERBEROS_CCACHE_DIR = DATA_DIR + '/kerberos'\n")
    command = [
        sys.executable, "-m", "gunicorn", "--chdir", os.path.join(library, "pgadmin4"), "--bind", f"127.0.0.1:{port}",
        "--workers", "1", "--threads", "4", "--timeout", "300", "pgAdmin4:app"]
    return command, {
        "PYTHONPATH": library + ":" + data, "PGADMIN_SETUP_EMAIL": "setup@example.com", "PGADMIN_SETUP_PASSWORD": "setup-only-here"}


def journey(say, send, cookies, page, folder):
    """What a browser with a session sees, and what a forged field does.

    `send` sends a request through the proxy: method, path, cookies, fields, body. Returns the status, the fields, the text.
    """
    path, steps = "/", 0
    status, headers, _ = send("GET", path, cookies, page, None)
    while status in (301, 302, 303, 307, 308) and steps < 8:
        path = re.sub(r"^http://[^/]+", "", headers["location"])
        status, headers, _ = send("GET", path, cookies, page, None)
        steps += 1
    say(status == 200 and path.startswith("/browser"), f"pgAdmin: a user with a session is signed in ({status} {path})")
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "pgadmin/pgadmin.sqlite"))) as database:
        users = database.execute("SELECT username FROM user WHERE auth_source = 'webserver'").fetchall()
    say(users == [("ann",)], f"pgAdmin: as the user of the gate, and nobody else was made {users}")
    status, headers, _ = send("GET", "/browser/", None, page + [("Remote-User", "ann"), ("Remote_User", "ann")], None)
    say(status in (302, 403), f"pgAdmin: a forged user without a session is not ({status})")
