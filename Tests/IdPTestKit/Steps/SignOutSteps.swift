import SSOShared
import Storage

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Steps about the end of sessions.
extension TestDeployment {
    /// Asks for a code once more, without waiting for the budget of the address.
    func askingAgain(_ address: String = "ann@example.com", by browser: Browser? = nil) async throws -> PendingCode {
        try await forgetEmails(to: address)
        return try await asking(address, by: browser)
    }

    /// A further browser of a user, without any client.
    func furtherBrowser(of address: String = "ann@example.com") async throws -> Browser {
        let asking = try await askingAgain(address)
        guard try await asking.guess(asking.code).status == 303 else { throw ProbeFailure("not signed in") }
        return asking.browser
    }

    /// Signs in with a code in a browser that is signed in already, because a client asks for it. Redirects are followed.
    @discardableResult
    func signInOnceMore(_ browser: Browser, as address: String = "ann@example.com") async throws -> Visit {
        try await forgetEmails(to: address)
        let state = "again-\(TestSecret.new().prefix(12))"
        let page = try await browser.follow(browser.get(authorize(client, state: state) + "&prompt=login"))
        return try await signInAgain(browser, on: page, as: address)
    }

    /// Lets a client redeem a token of a browser's session.
    func enter(_ client: some TestClient, in browser: Browser) async throws -> VerifyReply {
        let state = "state-\(TestSecret.new().prefix(12))"
        let token = try await browser.token(for: client, of: self, state: state)
        let body = VerifyRequest(token: token).body()
        let reply = try await backChannel(body, signed(body, by: client))
        guard reply.status == 200 else { throw ProbeFailure("verify: \(reply.status) \(reply.text)") }
        return try VerifyReply(body: reply.body)
    }

    /// Where a client sends a browser whose user has signed out there.
    func signOutPage(of client: some TestClient, state: String? = "bye") -> String {
        let items = [
            ("client_id", client.id), ("redirect_uri", "https://\(client.id).example/bye"), ("state", state ?? ""),
        ].prefix(state == nil ? 2 : 3)
        return "\(origin)\(SSOPath.signOut)?\(PercentCoding.query(items.map { (name: $0.0, value: $0.1) }))"
    }

    /// Asks about a session as a client's server does.
    func ask(
        _ session: String, of user: String, as client: some TestClient, label: MessageLabel = .session
    ) async throws -> ProbeReply {
        let body = SessionQuestion(session: session, user: user).body()
        let secret = try SharedSecret.parse(client.secret, setting: "secret")
        let signature = RequestSignature.request(body: body, secret: secret, label: label)
        return try await HTTPProbe(port: port, authority: "localhost:4000").post(
            SSOPath.session,
            [
                ("Content-Type", "application/json"), (RequestSignature.clientHeaderName, client.id),
                (RequestSignature.headerName, signature.headerValue),
            ], body: body)
    }

    /// The answer to a question.
    func answer(_ session: String, of user: String, as client: some TestClient) async throws -> SessionAnswer {
        let reply = try await ask(session, of: user, as: client)
        guard reply.status == 200 else { throw ProbeFailure("session: \(reply.status) \(reply.text)") }
        return try SessionAnswer(body: reply.body)
    }
}
