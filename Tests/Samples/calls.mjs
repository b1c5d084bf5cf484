// Runs the calls of a file on the Node.js sample of docs/protocol.md: the file and the results are JSON arrays.
import { readFileSync } from "node:fs";
import { SSO, VerifyError } from "./sso.mjs";

const run = (call) => {
  const sso = new SSO(call.idp, call.client, call.secret);
  const body = Buffer.from(call.body ?? "", "base64");
  switch (call.call) {
    case "body": return sso.body(call.token, call.redirect_uri, call.code_verifier).toString();
    case "sign": return sso.sign(body);
    // fetch joins repeated headers.
    case "check": return sso.check(body, call.signatures.length ? call.signatures.join(", ") : null, call.request_signature);
    case "verify": return sso.verify(call.token, call.redirect_uri, call.code_verifier);
  }
};

const results = [];
for (const call of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  try {
    const value = await run(call);
    results.push(typeof value === "string" ? { text: value } : { reply: value });
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    results.push({ refused: error.message, error: error.error, description: error.description });
  }
}
console.log(JSON.stringify(results));
