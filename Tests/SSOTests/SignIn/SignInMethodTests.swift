import Foundation
import Hummingbird
import SSOShared
import SSOWeb
import Testing

@testable import IdP
@testable import TestSupport

/// A sign-in method of the test: a link on the sign-in page, which proves `ann@example.com` in one click.
private struct OneClickMethod: SignInMethod {
    let id = "one_click"
    let sessions: Sessions
    let completion: SignInCompletion

    func addRoutes(to router: Router<VisitorContext>) {
        router.only([.get], at: "/sign-in/one-click") { request, context in
            let flow = FlowID.read(request.queryFields)
            guard let session = context.session else { return .redirect(to: "/sign-in") }
            let noted = try await sessions.store.update(session) { slots in
                slots[OneClickSlot.self].clicks += 1
                slots[PassingSlot.self].clicks += 1
                return true
            }
            guard let noted else { return .redirect(to: "/sign-in") }
            let identity = ProvenIdentity.email(try EmailAddress("ann@example.com"))
            return try await completion.finish(
                identity, method: id, flow: flow, noted, request, context, consuming: { _ in true })
                ?? .redirect(to: "/sign-in")
        }
    }

    func option(for attempt: SignInAttempt) -> SignInOption? {
        .link(
            label: Text("error.flow-over.again", ["client": attempt.clientName ?? "the IdP"]),
            path: "/sign-in/one-click")
    }
}

private struct OneClickSlot: SessionSlot {
    static let key = "one_click"
    static let survivesSignIn = true
    var clicks = 0
}

private struct PassingSlot: SessionSlot {
    static let key = "passing"
    static let survivesSignIn = false
    var clicks = 0
}

/// Every sign-in method, as a visitor uses it from the sign-in page.
private enum Method: String, CaseIterable {
    case emailCode = "email_code"
    case oneClick = "one_click"

    static let additions = SignInAdditions(
        slots: [OneClickSlot.self, PassingSlot.self],
        methods: { [OneClickMethod(sessions: $0, completion: $1)] })

    /// Signs in from the sign-in page and follows redirects.
    func signIn(_ browser: Browser, on page: Visit, of deployment: TestDeployment) async throws -> Visit {
        switch self {
        case .emailCode:
            let address = "ann@example.com"
            let earlier = deployment.mailbox.all(to: address).count
            let waiting = try await browser.ask(for: address, on: page)
            return try await browser.enter(deployment.mailbox.code(to: address, count: earlier + 1), on: waiting)
        case .oneClick:
            return try await browser.follow(
                browser.click(page.page().link(containing: "/sign-in/one-click"), on: page))
        }
    }
}

@Suite("Sign-in methods")
struct SignInMethodTests {
    @Test(
        "client, redirect URI and state survive every method, also with other tabs open", arguments: Method.allCases)
    fileprivate func survival(method: Method) async throws {
        try await TestDeployment.open(clients: 2, adding: Method.additions) { deployment in
            let browser = deployment.browser()
            _ = try await browser.follow(browser.get(deployment.authorize(deployment.clients[1], state: "other-tab")))
            let page = try await browser.follow(
                browser.get(deployment.authorize(deployment.client, state: "the-state-1")))
            let sessionBefore = browser.session
            let complete = try await method.signIn(browser, on: page, of: deployment)
            let callback = try complete.callback()
            #expect(callback.absolute.hasPrefix(deployment.client.callback))
            #expect(callback.query("state") == "the-state-1")
            #expect(browser.session != sessionBefore)

            let token = try #require(callback.query("token"))
            let reply = try await deployment.verify(
                token, as: deployment.client, redirectURI: deployment.client.callback)
            #expect(reply.status == 200)
            #expect(reply.text.contains("\"methods\":[\"\(method.rawValue)\"]"))

            // The other tab: its flow still exists, and the user is signed in.
            let other = try await browser.get(deployment.authorize(deployment.clients[1], state: "other-tab"))
            #expect(try other.callback().query("state") == "other-tab")
        }
    }

    @Test("a slot of a method survives its sign-in only if it says so")
    func slots() async throws {
        try await TestDeployment.open(adding: Method.additions) { deployment in
            let browser = deployment.browser()
            let page = try await browser.get(deployment.origin + "/sign-in")
            _ = try await Method.oneClick.signIn(browser, on: page, of: deployment)
            let slots = try await deployment.database.read { connection in
                try connection.query("SELECT slots FROM session")[0].text("slots")
            }
            #expect(slots.contains(#""one_click":{"clicks":1}"#))
            #expect(!slots.contains("passing"))
        }
    }

    @Test("the sign-in page offers every method, with the pending flow in its link")
    func options() async throws {
        try await TestDeployment.open(adding: Method.additions) { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            let flow = try #require(page.address.query("flow"))
            #expect(try page.page().form(with: "email") != nil)
            #expect(try page.page().link(containing: "/sign-in/one-click?flow=\(flow)") != nil)
            #expect(page.text.contains("Start again at \(deployment.client.name)"))
        }
    }

    @Test("an identity without an account is refused, and signs no user in")
    func unknownIdentity() async throws {
        try await TestDeployment.open { deployment in
            let accounts = AccountStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                eligibility: SignInEligibility(allowed: try AllowedEmails("*@example.com")))
            let address = try EmailAddress("ann@example.com")
            let foreign = ProvenIdentity.external(issuer: "https://op.example", subject: "7", email: address)
            let (ann, unknownAccounts) = try await deployment.database.write { connection in
                let ann = try accounts.account(of: .email(address), connection)
                // An address that another provider asserts does not open the account of that address.
                return (
                    ann,
                    [
                        try accounts.account(of: foreign, connection),
                        try accounts.account(of: .passkey(credentialID: Data([1])), connection),
                    ]
                )
            }
            #expect(unknownAccounts.allSatisfy { $0 == nil })
            let account = try #require(ann)
            let linked = try await deployment.database.write { connection in
                try accounts.link(foreign, to: account, connection)
                return try accounts.account(of: foreign, connection)
            }
            #expect(linked?.id == account.id)
        }
    }
}
