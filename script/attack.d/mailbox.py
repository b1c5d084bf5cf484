"""A mail server on loopback that keeps what it receives."""

import re
import socketserver
import threading
import time


class Session(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self):
        recipients = []
        self.say("220 mailbox")
        while line := self.rfile.readline().decode(errors="replace").strip():
            word = line.split(" ")[0].upper()
            if word == "RCPT":
                recipients.append(re.search(r"<([^>]*)>", line).group(1))
            if word == "DATA":
                self.say("354 go on")
                lines = []
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(part.decode(errors="replace").strip())
                for recipient in recipients:
                    self.server.received[recipient] = "\n".join(lines)
                recipients = []
            self.say("221 bye" if word == "QUIT" else "250 mailbox")
            if word == "QUIT":
                return


class Mailbox(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 100

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Session)
        self.received = {}
        self.url = f"smtp://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def code(self, address, limit=20):
        """The code that was sent to an address."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if text := self.received.get(address):
                return re.search(r"^(\d{6})$", text, re.MULTILINE).group(1)
            time.sleep(0.05)
        raise AssertionError(f"no email within {limit} s")
