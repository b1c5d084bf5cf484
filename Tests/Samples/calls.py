"""Runs the calls of a file on the Python sample of docs/protocol.md: the file and the results are JSON arrays."""

import base64
import json
import sys

from sso import SSO, VerifyError


def run(call):
    sso = SSO(call["idp"], call["client"], call["secret"])
    match call["call"]:
        case "body":
            return sso.body(call["token"], call["redirect_uri"], call.get("code_verifier")).decode()
        case "sign":
            return sso.sign(base64.b64decode(call["body"]))
        case "check":
            return sso.check(base64.b64decode(call["body"]), call["signatures"], call["request_signature"])
        case "verify":
            return sso.verify(call["token"], call["redirect_uri"], call.get("code_verifier"))


def result(call):
    try:
        value = run(call)
        return {"text": value} if isinstance(value, str) else {"reply": value}
    except VerifyError as error:
        return {"refused": str(error), "error": error.error, "description": error.description}


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([result(call) for call in json.load(file)]))
