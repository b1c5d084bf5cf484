// Runs the calls of a file on the Node.js sample of examples/partners: the file and the results are JSON arrays.
import { readFileSync } from "node:fs";
import { EventError, SSO, VerifyError } from "./sso.mjs";

// fetch and node:http join repeated headers.
const joined = (values) => (values.length ? values.join(", ") : null);
const kinds = { event: "event", ping: "pong", session: "state", check_session: "state" };

// As node:http has them.
const headers = (pairs) => {
  const all = {};
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    all[key] = key in all ? `${all[key]}, ${value}` : value;
  }
  return all;
};

const run = (call) => {
  const sso = new SSO(call.idp, call.client, call.secret);
  const body = Buffer.from(call.body ?? "", "base64");
  switch (call.call) {
    case "body": return sso.body(call.token, call.redirect_uri, call.code_verifier).toString();
    case "sign": return sso.sign(body);
    case "check": return sso.check(body, joined(call.signatures), call.request_signature);
    case "check_session": return sso.checkSession(body, joined(call.signatures), call.request_signature, call.user);
    case "session": return sso.session(call.session, call.user);
    // Either form of headers.
    case "event": return sso.event(body, body.length % 2 ? new Headers(call.headers) : headers(call.headers), call.now);
    case "ping": return sso.ping(call.redirect_uri);
    case "verify": return sso.verify(call.token, call.redirect_uri, call.code_verifier);
  }
};

const results = [];
for (const call of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  try {
    const value = await run(call);
    results.push(typeof value === "string" ? { text: value } : { [kinds[call.call] ?? "reply"]: value });
  } catch (error) {
    if (error instanceof EventError) {
      results.push({ refused: error.message, status: error.status });
      continue;
    }
    if (!(error instanceof VerifyError)) throw error;
    results.push({ refused: error.message, error: error.error, description: error.description });
  }
}
console.log(JSON.stringify(results));
