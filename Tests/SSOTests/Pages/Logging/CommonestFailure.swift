import Testing

@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A row of the table "The commonest failures" in docs/events.md, and the ways in which a test makes it happen.
struct CommonestFailure: Sendable, CustomTestStringConvertible {
    /// The first cell of the row.
    let symptom: String
    let ways: [Way]

    init(_ symptom: String, _ ways: Way...) { (self.symptom, self.ways) = (symptom, ways) }

    var testDescription: String { symptom }

    /// One way in which it happens.
    struct Way: Sendable {
        /// Takes the steps in this browser, in which nothing has happened yet.
        typealias Steps = @Sendable (TestDeployment, Browser) async throws -> Report

        /// The last line that the operator finds, and what it says.
        let event: String
        let says: [String: String]
        /// The program whose log has it.
        let program: String
        let setup: Setup
        let steps: Steps

        init(
            _ event: String, _ says: [String: String] = [:], at program: String = "idp", in setup: Setup = .plain,
            _ steps: @escaping Steps
        ) {
            (self.event, self.says, self.program, self.setup, self.steps) = (event, says, program, setup, steps)
        }
    }

    /// How the programs are set up.
    struct Setup: Sendable {
        typealias Body = (TestDeployment) async throws -> Void
        let open: @Sendable (Body) async throws -> Void

        static let plain = Setup { try await TestDeployment.open($0) }
        static let replies = Setup { try await TestDeployment.receivingReplies($0) }
        /// The second client is for one group alone.
        static let group = Setup { body in
            try await TestDeployment.open(clients: 2, keys: ["access: everyone", "groups: [board]"], body)
        }
        static let provider = Setup { body in
            try await ProviderDeployment.open { try await body($0.deployment) }
        }

        static func settings(_ settings: [String: String]) -> Setup {
            Setup { try await TestDeployment.open(settings: settings, $0) }
        }

        /// A limit of the network. Loopback addresses count only behind a declared proxy.
        static func limit(_ name: String, _ count: String) -> Setup {
            .settings([name: count, "IDP_TRUSTED_PROXIES": "127.0.0.0/8"])
        }

        static func clientSettings(_ settings: [String: String]) -> Setup {
            Setup { try await TestDeployment.open(clientSettings: settings, $0) }
        }
    }

    static let all = mail + codes + proofs + providers + clients + requests
}

extension TestDeployment {
    /// Asks for an email at the client. Its line in the log is written when this returns.
    func asked(by browser: Browser, for address: String = "ann@example.com") async throws -> PendingLink {
        let pending = try await browser.askForLink(address, of: self, on: browser.beginSignIn(at: client))
        try await sendDueEmails()
        return pending
    }

    /// An account that has signed in and out again, in another browser.
    @discardableResult
    func account(_ address: String = "ann@example.com") async throws -> Browser {
        let browser = try await knownBrowser(of: address)
        try await sendDueEmails()
        return browser
    }

    /// What must not be in a line: what is in the emails, the secrets of clients, and the cookies of the browser.
    func secrets(of browser: Browser) -> [String] {
        let emails = mailbox.all(to: "@").flatMap { email in
            // The first half of a link's key is the challenge's id, which events name.
            [
                email.code, email.signInLink.map { String($0.suffix(20)) }, email.header("to"),
                email.header("reply-to").map { String($0.prefix { $0 != "@" }) },
            ].compactMap(\.self)
        }
        let cookies = browser.cookies.values.flatMap { $0.filter { $0.key != "idp_last_method" }.values }
        // A cookie may stand for "nothing" by one character.
        return (emails + cookies + clients.map(\.secret)).filter { $0.utf8.count >= 4 }
    }
}

extension PendingLink {
    /// Six digits that are not the code.
    var wrong: String { code == "000000" ? "000001" : "000000" }

    /// Types a code into the page that waits for it.
    @discardableResult
    func type(_ typed: String) async throws -> Visit {
        try await browser.follow(browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": typed]))
    }
}
