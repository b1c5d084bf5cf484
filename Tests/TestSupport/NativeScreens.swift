import Foundation

/// The native screens of an app: they speak JSON with the IdP and have no web view.
struct NativeScreens: Sendable {
    let mailbox: Mailbox
    private let probe: HTTPProbe

    /// What a sign-in brings.
    struct SignIn: Sendable {
        let token: String
        /// `Set-Cookie` of the session, for the web view.
        let cookie: String
    }

    init(of pair: ProcessDeployment) {
        mailbox = pair.mailbox
        probe = HTTPProbe(host: "localhost", port: pair.idp.port)
    }

    /// Asks for an email and sends its code.
    func signIn(as address: String, device: String) async throws -> SignIn {
        let earlier = mailbox.all(to: address)
        let asked = try await post("/api/v1/sign-in", ["email": .string(address)])
        guard asked.status == 202, let challenge = try JSONDecoding.value(asked.body)["challenge"]?.text else {
            throw ProbeFailure("sign-in: \(asked.status) \(asked.text)")
        }
        let code = try await mailbox.code(to: address, besides: earlier)
        let answer = try await post(
            "/api/v1/sign-in/code",
            ["challenge": .string(challenge), "code": .string(code), "device_name": .string(device)])
        guard answer.status == 200, let token = try JSONDecoding.value(answer.body)["access_token"]?.text,
            let cookie = answer.all("set-cookie").first(where: { $0.hasPrefix("idp_session=") })
        else { throw ProbeFailure("sign-in/code: \(answer.status) \(answer.text)") }
        return SignIn(token: token, cookie: cookie)
    }

    /// The address of the token's owner; nil when the token is worth nothing.
    func email(_ token: String) async throws -> String? {
        try JSONDecoding.value(await me(token).body)["email"]?.text
    }

    func status(_ token: String) async throws -> Int { try await me(token).status }

    private func me(_ token: String) async throws -> ProbeReply {
        try await probe.get("/api/v1/me", headers + [("Authorization", "Bearer \(token)")])
    }

    private func post(_ path: String, _ body: JSONValue) async throws -> ProbeReply {
        try await probe.post(
            path, headers + [("Content-Type", "application/json")], body: Array(JSONEncoder().encode(body)))
    }

    private var headers: HTTPProbe.Headers {
        [("User-Agent", Browser.shellUserAgent), ("Accept", "application/json")]
    }
}
