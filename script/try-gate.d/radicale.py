"""Radicale behind the gate: calendars for apps that know a user and a password alone."""
import base64
import os
import sys

# Radicale reads X-Remote-User, and its server takes X_Remote_User for the same field.
FURTHER = {
    "nginx": ("        proxy_set_header Remote-User $sso_remote_user;", "        proxy_set_header X-Remote-User $sso_remote_user;"),
    "caddy": (
        "            request_header -Authorization",
        "            request_header -X_Remote_User\n            request_header X-Remote-User {http.request.header.Remote-User}"),
    "haproxy": (
        "    http-request del-header Authorization",
        "    http-request del-header ^x[-_]remote[-_]user$ -m reg\n    http-request set-header X-Remote-User %[req.hdr(remote-user)]"),
}


def start(library, port, folder):
    """Writes the file of Radicale, and returns the command that runs it and its environment."""
    path = os.path.join(folder, "radicale.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = http_x_remote_user\n"
            f"[storage]\nfilesystem_folder = {folder}/radicale\n[rights]\ntype = owner_only\n")
    return [sys.executable, "-m", "radicale", "--config", path], {"PYTHONPATH": library}


def journey(say, send, key, cookies, page, calendar):
    """What a calendar app does with a key, and a browser with a session.

    `send` sends a request through the proxy: method, path, cookies, fields, body. Returns the status, the fields, the text.
    `calendar` is a name that is new.
    """
    app = [("Authorization", "Basic " + base64.b64encode(f"phone:{key}".encode()).decode())]
    status, headers, _ = send("PROPFIND", "/ann/", None, [("Depth", "0")], None)
    say(status == 401 and "Basic" in (headers["www-authenticate"] or ""), "Radicale: an app without a key is asked for one")
    status, _, text = send("MKCALENDAR", f"/ann/{calendar}/", None, app, None)
    say(status == 201, f"Radicale: an app makes a calendar with a key ({status})")
    event = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:try-gate\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTAMP:20260101T000000Z\r\n"
        "DTSTART:20260101T100000Z\r\nSUMMARY:Tea\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
    status, _, _ = send("PUT", f"/ann/{calendar}/one.ics", None, app + [("Content-Type", "text/calendar")], event)
    say(status == 201, f"Radicale: it saves an appointment ({status})")
    status, _, text = send("PROPFIND", f"/ann/{calendar}/", None, app + [("Depth", "1")], None)
    say(status == 207 and "one.ics" in text, f"Radicale: it lists the appointment ({status})")
    status, _, _ = send("PROPFIND", "/ben/", None, app + [("Depth", "1")], None)
    say(status == 403, f"Radicale: another user's calendars are closed ({status})")
    for name in ["X-Remote-User", "X_Remote_User", "x-remote_user", "Remote-User", "REMOTE_USER"]:
        status, _, _ = send("PROPFIND", "/ben/", None, app + [("Depth", "1"), (name, "ben")], None)
        say(status == 403, f"Radicale: a forged {name} does not open them ({status})")
    status, _, text = send("GET", f"/ann/{calendar}/one.ics", cookies, page, None)
    say(status == 200 and "Tea" in text, f"Radicale: a browser with a session reads the appointment ({status})")
    status, headers, _ = send("GET", "/.web/", None, page, None)
    say(status == 302 and "/.sso/start" in headers["location"], "Radicale: one without a session is led to the sign-in")
