"""Runs the calls of a file on the Python sample of examples/partners: the file and the results are JSON arrays."""

import base64
import json
import sys

from sso import SSO, EventError, VerifyError


def run(call):
    sso = SSO(call["idp"], call["client"], call["secret"])
    match call["call"]:
        case "body":
            return sso.body(call["token"], call["redirect_uri"], call.get("code_verifier")).decode()
        case "sign":
            return sso.sign(base64.b64decode(call["body"]))
        case "check":
            return sso.check(base64.b64decode(call["body"]), call["signatures"], call["request_signature"])
        case "event":
            return sso.event(base64.b64decode(call["body"]), call["headers"], call["now"])
        case "check_session":
            return sso.check_session(
                base64.b64decode(call["body"]), call["signatures"], call["request_signature"], call["user"])
        case "session":
            return sso.session(call["session"], call["user"])
        case "ping":
            return sso.ping(call["redirect_uri"])
        case "verify":
            return sso.verify(call["token"], call["redirect_uri"], call.get("code_verifier"))


def result(call):
    try:
        value = run(call)
        kind = {"event": "event", "ping": "pong", "session": "state", "check_session": "state"}.get(call["call"], "reply")
        return {"text": value} if isinstance(value, str) else {kind: value}
    except EventError as error:
        return {"refused": str(error), "status": error.status}
    except VerifyError as error:
        return {"refused": str(error), "error": error.error, "description": error.description}


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([result(call) for call in json.load(file)]))
