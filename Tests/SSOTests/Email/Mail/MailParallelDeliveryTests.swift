import Dispatch
import ProbeKit
import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Parallel deliveries", .program, .alsoOnPostgres)
struct MailParallelDeliveryTests {
    /// Blocks on every email to an address that begins with `held-`, until it is released; delivers the others.
    private final class BlockingMailer: Mailer {
        private let outbox: OutboxMailer
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])

        init(_ folder: String) { outbox = OutboxMailer(folder: folder) }

        var held: Int { waiting.withLock { $0?.count ?? 0 } }

        func release() {
            let all = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting ?? []
            }
            all.forEach { $0.resume() }
        }

        func send(_ email: EmailMessage) async throws(MailError) {
            if email.to.text.hasPrefix("held-") {
                await withCheckedContinuation { continuation in
                    let isFree = waiting.withLock { waiting in
                        waiting?.append(continuation)
                        return waiting == nil
                    }
                    if isFree { continuation.resume() }
                }
            }
            try await outbox.send(email)
        }
    }

    /// A deployment whose mailer blocks.
    private static func open(_ body: (TestDeployment, BlockingMailer) async throws -> Void) async throws {
        var mailer: BlockingMailer?
        let make = { (folder: String) -> any Mailer in
            let held = BlockingMailer(folder)
            mailer = held
            return held
        }
        try await TestDeployment.open(mailer: make) { deployment in try await body(deployment, #require(mailer)) }
    }

    @Test("an email in delivery is not delivered a second time, however long its server is silent")
    func heldLease() async throws {
        try await Self.open { deployment, mailer in
            _ = try await deployment.waiting(for: "held-1@example.com", by: deployment.browser())
            try await eventually("the delivery hangs") { mailer.held == 1 ? () : nil }
            for name in ["ann", "ben"] {
                deployment.clock.advance(by: MailQueue.lease + .seconds(1))
                // Later emails that arrive show that the queue has been processed.
                _ = try await deployment.asking("\(name)@example.com")
            }
            #expect(mailer.held == 1)
            mailer.release()
            _ = try await deployment.mailbox.code(to: "held-1@example.com")
            #expect(try await deployment.stored.emails.mostTries() == 1)
        }
    }

    @Test("deliveries that hang on all connections but one leave that one to all other emails, one after the other")
    func freePlace() async throws {
        try await Self.open { deployment, mailer in
            let held = 1..<MailQueueWorker.parallel
            for number in held {
                _ = try await deployment.waiting(for: "held-\(number)@example.com", by: deployment.browser())
                try await eventually("delivery \(number) hangs") { mailer.held == number ? () : nil }
            }
            for name in ["ann", "ben", "cleo"] { _ = try await deployment.asking("\(name)@example.com") }
            mailer.release()
            for number in held { _ = try await deployment.mailbox.code(to: "held-\(number)@example.com") }
        }
    }
}
