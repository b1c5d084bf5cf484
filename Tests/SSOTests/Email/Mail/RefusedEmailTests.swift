import IdPClients
import ProbeKit
import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Decision 0097: a mail server's 5yz to a recipient is final (RFC 5321 4.2.1).
@Suite("An email that the mail server refuses for good", .program, .alsoOnPostgres)
struct RefusedEmailTests {
    /// Refuses the recipients of one domain.
    private final class StrictMailer: Mailer {
        private let outbox: OutboxMailer
        private let asked = Mutex(0)
        private let willAccept = Atomic(false)

        init(_ folder: String) { outbox = OutboxMailer(folder: folder) }

        /// How often it was asked for a recipient that it refuses.
        var count: Int { asked.withLock { $0 } }

        func accept() { willAccept.store(true, ordering: .relaxed) }

        func send(_ email: EmailMessage) async throws(MailError) {
            guard email.to.text.hasSuffix("@gone.example.com"), !willAccept.load(ordering: .relaxed) else {
                return try await outbox.send(email)
            }
            asked.withLock { $0 += 1 }
            throw .refused("the mail server refused the recipient with 550", code: 550)
        }

        func isReached(from: MailFrom) async -> Bool? { true }
    }

    private static func open(
        _ body: @escaping @Sendable (TestDeployment, StrictMailer) async throws -> Void
    ) async throws {
        let mailer = Mutex<StrictMailer?>(nil)
        try await TestDeployment.open(
            settings: ["IDP_ALLOWED_EMAILS": "*@gone.example.com,*@example.com"],
            mailer: { folder in
                let made = StrictMailer(folder)
                mailer.withLock { $0 = made }
                return made
            }
        ) { deployment in
            try await body(deployment, try #require(mailer.withLock { $0 }))
        }
    }

    /// Lets time pass until nothing waits in the queue.
    private static func waitForEnd(_ deployment: TestDeployment) async throws {
        try await eventually("no email waits") {
            deployment.clock.advance(by: .seconds(1))
            return try await deployment.stored.emails.unsent.count() == 0 ? () : nil
        }
    }

    @Test("is tried twice, and the log says so with the code")
    func twice() async throws {
        try await Self.open { deployment, mailer in
            _ = try await deployment.waiting(for: "ann@gone.example.com", by: deployment.browser())
            try await Self.waitForEnd(deployment)
            #expect(mailer.count == 2)
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains(" mail_not_sent ") }
            #expect(lines.count == 1)
            for part in ["\"reason\": refused", "\"code\": 550", "\"address\": a…@gone.example.com"] {
                #expect(lines.first?.contains(part) == true, "\(part) in \(lines)")
            }
            #expect(!deployment.log.contains("ann@gone.example.com"))
        }
    }

    @Test("has one row in the audit log, with the address, the class and the code, and no account")
    func row() async throws {
        try await Self.open { deployment, _ in
            _ = try await deployment.waiting(for: "ann@gone.example.com", by: deployment.browser())
            try await Self.waitForEnd(deployment)
            let rows = try await deployment.auditRows(.mailNotSent, .mailSent)
            #expect(rows.map(\.event) == ["mail_not_sent"] && rows.map(\.cause) == ["refused"])
            #expect(rows.map(\.detail) == ["refused 550"] && rows.map(\.address) == ["a…@gone.example.com"])
            #expect(rows.allSatisfy { $0.account == nil && $0.actor == "idp" })
        }
    }

    @Test("that is accepted at the second try has arrived")
    func second() async throws {
        try await Self.open { deployment, mailer in
            _ = try await deployment.waiting(for: "ann@gone.example.com", by: deployment.browser())
            try await eventually("the first try") { mailer.count == 1 ? () : nil }
            mailer.accept()
            try await Self.waitForEnd(deployment)
            #expect(mailer.count == 1)
            #expect(deployment.mailbox.all(to: "ann@gone.example.com").count == 1)
            #expect(!deployment.log.contains("mail_not_sent"))
        }
    }

    @Test("looks the same as one to an address that may not sign in")
    func decoy() async throws {
        try await Self.open { deployment, _ in
            func attempts(_ address: String) async throws -> Int {
                _ = try await deployment.waiting(for: address, by: deployment.browser())
                try await Self.waitForEnd(deployment)
                return try #require(try await deployment.stored.emails.to(address).mostTries())
            }
            let real = try await attempts("ann@gone.example.com")
            #expect(real == 2)
            #expect(try await attempts("stray@nowhere.example") == real)
        }
    }
}
