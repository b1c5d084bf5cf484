import { createHmac, timingSafeEqual } from "node:crypto";

// The visitor is not signed in. `error` and `description` come from the IdP, if it sent them.
export class VerifyError extends Error {
  constructor(reason, refusal = {}) {
    const [error, description] = [refusal.error, refusal.error_description].map(readable);
    super([reason, error, description].filter(Boolean).join(": "));
    Object.assign(this, { error, description });
  }
}

// The message ends nothing. Answer it with `status`.
export class EventError extends Error {
  constructor(status, reason) {
    super(reason);
    Object.assign(this, { status });
  }
}

// A text of an unsigned response, if it can be logged: one line of printable ASCII.
const readable = (text) => (typeof text === "string" && /^[ -~]{1,300}$/.test(text) ? text : undefined);

const parse = (raw) => {
  try {
    return JSON.parse(raw.toString("utf8")) ?? {};
  } catch {
    return {};
  }
};

const isFilled = (text) => typeof text === "string" && text !== "";

export class SSO {
  constructor(idp, client, secret) {
    Object.assign(this, { idp, client, key: secret.trim() });
  }

  body(token, redirectURI, codeVerifier) {
    // JSON.stringify leaves out what is undefined.
    return Buffer.from(JSON.stringify({ token, redirect_uri: redirectURI, code_verifier: codeVerifier }));
  }

  sign(...parts) {
    const hmac = createHmac("sha256", this.key);
    for (const part of parts) hmac.update(part);
    return "sha256=" + hmac.digest("hex");
  }

  // Two headers arrive as one, joined by a comma.
  isSigned(header, ...parts) {
    const expected = Buffer.from(this.sign(...parts));
    const given = Buffer.from((header ?? "").toLowerCase());
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  // A response of the IdP to this client. `header`: its X-SSO-Signature, or null.
  signed(raw, header, requestSignature) {
    const hexDigits = requestSignature.replace(/^sha256=/, "").toLowerCase();
    if (!this.isSigned(header, `response.${hexDigits}.`, raw)) throw new VerifyError("response not signed by the IdP");
    const reply = parse(raw);
    if (reply.client_id !== this.client) throw new VerifyError("response for another client");
    return reply;
  }

  // The verified response.
  check(raw, header, requestSignature) {
    const reply = this.signed(raw, header, requestSignature);
    const { user, session } = reply;
    // The default is for a missing value. null is a wrong one.
    const { id, authenticated_at: time = 0 } = session ?? {};
    if (!isFilled(user?.id) || !isFilled(id) || !Number.isInteger(time)) {
      throw new VerifyError("response not as documented");
    }
    return reply;
  }

  // The same for the response to a question about a session of `user`.
  checkSession(raw, header, requestSignature, user) {
    const reply = this.signed(raw, header, requestSignature);
    if (reply.active === true) {
      if (this.check(raw, header, requestSignature).user.id !== user) throw new VerifyError("response about another user");
    } else if (reply.active !== false || !isFilled(reply.reason)) {
      throw new VerifyError("response not as documented");
    }
    return reply;
  }

  async verify(token, redirectURI, codeVerifier) {
    return this.check(...(await this.call("/auth/sso/verify", "", this.body(token, redirectURI, codeVerifier), 5)));
  }

  // Whether a session at the IdP still holds: `active`, and the user of today or the `reason`.
  async session(id, user) {
    const body = Buffer.from(JSON.stringify({ session: id, user }));
    return this.checkSession(...(await this.call("/auth/sso/session", "session.", body, 2)), user);
  }

  // Tries client id, secret and clock: `redirect_uri` is "registered" or "not_registered". Changes nothing.
  async ping(redirectURI) {
    const body = Buffer.from(JSON.stringify({ redirect_uri: redirectURI, time: Math.floor(Date.now() / 1000) }));
    return this.signed(...(await this.call("/auth/sso/ping", "ping.", body, 5)));
  }

  // The verified sign-out message. `headers`: those of a request of node:http, or a Headers.
  event(raw, headers, now = Date.now() / 1000) {
    const given = typeof headers.get === "function" ? headers.get("x-sso-signature") : headers["x-sso-signature"];
    if (!this.isSigned(given, "logout.", raw)) throw new EventError(401, "message not signed by the IdP");
    const message = parse(raw);
    const { event, client_id: client, id, user, session = "all", issued_at: time } = message;
    if (event !== "logout" || client !== this.client || ![id, user, session].every(isFilled) || !Number.isInteger(time)) {
      throw new EventError(400, "message not as documented, or for another client");
    }
    if (Math.abs(now - time) > 300) throw new EventError(400, "message not of these minutes");
    return message;
  }

  // Body, X-SSO-Signature and the request's signature of a response 200.
  async call(path, label, body, seconds) {
    const signature = this.sign(label, body);
    let response;
    let raw = Buffer.alloc(0);
    try {
      response = await fetch(this.idp + path, {
        method: "POST", body, redirect: "manual", signal: AbortSignal.timeout(seconds * 1000),
        headers: { "Content-Type": "application/json", "X-SSO-Client": this.client, "X-SSO-Signature": signature },
      });
      for await (const chunk of response.body ?? []) {
        raw = Buffer.concat([raw, chunk]);
        if (raw.length > 65536) break;
      }
    } catch (problem) {
      throw new VerifyError(`no response: ${readable(problem.cause?.message ?? problem.message)}`);
    }
    if (response.status !== 200) throw new VerifyError(`status ${response.status}`, parse(raw));
    const type = response.headers.get("content-type") ?? "";
    if (!/^application\/json\s*(;|$)/i.test(type)) throw new VerifyError("response is not JSON");
    if (raw.length > 65536) throw new VerifyError("response too large");
    return [raw, response.headers.get("x-sso-signature"), signature];
  }
}
