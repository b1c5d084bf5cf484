import Foundation
import SSOClient
import SSOShared

struct SSO {
    let idp, client: String
    let secret: SharedSecret
    let backChannel: BackChannelClient  // make one, keep it: it holds the connections

    init(idp: String, client: String, secretText: String) throws {
        (self.idp, self.client) = (idp, client)
        secret = try SharedSecret.parse(secretText, setting: "SSO_SHARED_SECRET")
        backChannel = try BackChannelClient(origin: idp, clientID: client, secret: secret)
    }

    /// The link for the page, and what to keep in this browser's session until the callback.
    func start(redirectURI: String) throws -> (link: String, state: String, codeVerifier: String) {
        let state = Base64URL.encode(try RandomBytes.generate(32))
        let codeVerifier = try CodeChallenge.makeVerifier()
        let request = AuthorizeRequest(
            clientID: client, redirectURI: redirectURI, state: state, codeChallenge: CodeChallenge.s256(codeVerifier))
        return (request.url(at: idp), state, codeVerifier)
    }

    func body(token: String, redirectURI: String, codeVerifier: String? = nil) -> [UInt8] {
        VerifyRequest(token: token, redirectURI: redirectURI, codeVerifier: codeVerifier).body()
    }

    func sign(_ body: [UInt8]) -> String { RequestSignature.request(body: body, secret: secret).headerValue }

    /// Checks a sign-out message. Throws `SignOutError`, whose `status` and `body` are the answer.
    func event(
        _ raw: [UInt8], headers: [(name: String, value: String)], now: Date = Date()
    ) throws -> SignOutMessage {
        func values(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name }.map(\.value) }
        return try SignOutReceiver(clientID: client, secret: secret)
            .read(
                raw, signatures: values("x-sso-signature"), contentTypes: values("content-type"), now: now)
    }

    /// Whether a session at the IdP still holds. Throws `BackChannelError`: nobody knows, so nothing changes.
    func session(id: String, user: String) async throws -> SessionAnswer {
        try await backChannel.ask(session: id, user: user)
    }

    /// Tries client id, secret, redirect URI and clock. Changes nothing. Throws `BackChannelError`.
    func ping(redirectURI: String) async throws -> PingAnswer {
        try await backChannel.ping(redirectURI: redirectURI, time: Int(Date().timeIntervalSince1970))
    }

    /// Builds, signs and sends the request, and checks the response. Throws `BackChannelError`.
    func verify(token: String, redirectURI: String, codeVerifier: String? = nil) async throws -> VerifyReply {
        try await backChannel.verify(token: token, redirectURI: redirectURI, codeVerifier: codeVerifier)
    }
}
