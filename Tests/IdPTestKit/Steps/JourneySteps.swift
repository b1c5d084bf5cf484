import SSOShared

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// The steps of a user, found by fields and links and not by wording.
extension Browser {
    /// From the client's page over its link to the IdP's sign-in form.
    func beginSignIn(at client: some TestClient) async throws -> Visit {
        let home = try await get(client.origin + "/")
        let link = try home.page().link(containing: SSOPath.authorize)
        return try await follow(click(link, on: home))
    }

    /// Types the address and returns the code page.
    func ask(for address: String, on form: Visit) async throws -> Visit {
        try await follow(submit(form.page().form(with: "email"), on: form, ["email": address]))
    }

    /// Types the code and follows redirects to the last page.
    func enter(_ code: String, on form: Visit) async throws -> Visit {
        try await follow(submit(form.page().form(with: "code"), on: form, ["code": code]))
    }

    /// The complete journey from the client's page to "Authentication complete".
    func signIn(at client: some TestClient, of pair: some Deployment, as address: String) async throws -> Visit {
        let earlier = pair.mailbox.all(to: address)
        let waiting = try await ask(for: address, on: beginSignIn(at: client))
        let complete = try await enter(pair.mailbox.code(to: address, besides: earlier), on: waiting)
        guard complete.status == 200, try complete.page().link(containing: "token=") != nil else {
            throw ProbeFailure("no completion page: \(complete.status) \(complete.address.absolute)\n\(complete.text)")
        }
        return complete
    }

    /// Whether this browser has a session of the client.
    func isSignedIn(at client: some TestClient) async throws -> Bool {
        let reply = try await get(client.origin + "/api/session")
        guard reply.status == 200 || reply.status == 401 else { throw ProbeFailure("/api/session: \(reply.status)") }
        return reply.status == 200
    }

    /// Whether this browser is signed in at the IdP: only then does authorize answer with a page instead of the sign-in
    /// form.
    func isSignedIn(at pair: some Deployment) async throws -> Bool {
        let reply = try await get(pair.authorize(pair.client, state: "is-signed-in"))
        guard reply.status == 200 || reply.status == 303 else { throw ProbeFailure("authorize: \(reply.status)") }
        return reply.status == 200
    }

    /// A new token for a client, directly from authorize. The browser must be signed in.
    func token(for client: some TestClient, of pair: some Deployment, state: String = "a-state") async throws
        -> String
    {
        try await get(pair.authorize(client, state: state)).token()
    }
}

extension Visit {
    /// The callback address on the completion page.
    func callback() throws -> WebAddress {
        guard let link = try page().link(containing: "token=") else {
            throw ProbeFailure("no callback link at \(address.absolute) (\(status)):\n\(text)")
        }
        return try WebAddress(link)
    }

    /// The token on the completion page.
    func token() throws -> String {
        guard let token = try callback().query("token") else { throw ProbeFailure("no token in the link") }
        return token
    }
}

extension ProcessDeployment {
    /// Redeems a token over the back channel as the client's server does.
    func verify(
        _ token: String, as client: some TestClient, at process: ProgramProcess? = nil
    ) async throws -> ProbeReply {
        let process = process ?? idp
        let body = VerifyRequest(token: token, redirectURI: client.callback, codeVerifier: nil).body()
        return try await HTTPProbe(port: process.port, authority: "localhost:\(idp.port)")
            .post(SSOPath.verify, try signed(body, by: client), body: body)
    }

    /// Starts a deployment, lets a test use it, and stops it.
    static func running<Result>(
        _ pair: ProcessDeployment, _ body: (ProcessDeployment) async throws -> Result
    ) async throws -> Result {
        try await pair.start()
        let result = try await body(pair)
        try await pair.stop()
        return result
    }
}
