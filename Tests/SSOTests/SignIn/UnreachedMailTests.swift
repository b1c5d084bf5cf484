import ProbeKit
import SSOWeb
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The limit of a network protects mailboxes and the queue. What reached nobody is not held against the users of an office.
@Suite("Emails that reach nobody and the limit of a network", .program)
struct UnreachedMailTests {
    private enum Server { case down, deferring, stuck, up }

    private final class SwitchedMailer: Mailer {
        private let outbox: OutboxMailer
        private let state = Mutex((server: Server.up, waiting: [CheckedContinuation<Void, Never>]()))

        init(_ folder: String, _ server: Server) {
            outbox = OutboxMailer(folder: folder)
            state.withLock { $0.server = server }
        }

        func set(_ server: Server) {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.server = server
                return state.waiting
            }
            waiting.forEach { $0.resume() }
        }

        func send(_ email: EmailMessage) async throws(MailError) {
            if state.withLock({ $0.server == .stuck }) {
                await withCheckedContinuation { continuation in
                    let isFree = state.withLock { state in
                        if state.server == .stuck { state.waiting.append(continuation) }
                        return state.server != .stuck
                    }
                    if isFree { continuation.resume() }
                }
            }
            switch state.withLock({ $0.server }) {
            case .down: throw .unreachable("down")
            case .deferring: throw .temporary("later")
            case .stuck, .up: try await outbox.send(email)
            }
        }
    }

    /// A deployment that permits three addresses per hour and network.
    private static func open(
        _ server: Server, _ body: (TestDeployment, SwitchedMailer) async throws -> Void
    ) async throws {
        let mailer = Mutex<SwitchedMailer?>(nil)
        let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_EMAIL_POSTS": "3"]
        try await TestDeployment.open(
            settings: settings,
            mailer: { folder in
                let made = SwitchedMailer(folder, server)
                mailer.withLock { $0 = made }
                return made
            }
        ) { deployment in
            let switched = try #require(mailer.withLock { $0 })
            defer { switched.set(.up) }
            try await body(deployment, switched)
        }
    }

    private static func ask(
        _ count: Int, of domain: String = "example.com", from network: String, _ deployment: TestDeployment
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<count {
            let address = "\(UInt32.random(in: 0...UInt32.max))@\(domain)"
            statuses.append(
                try await NetworkLimitTests.ask(address, by: deployment.browser(), from: network, deployment).status)
        }
        return statuses
    }

    private static let (passed, refused) = (303, 429)

    @Test(
        "while the mail server is down a network may submit five times its limit, for any address; then it counts again"
    )
    func outage() async throws {
        try await Self.open(.down) { deployment, mailer in
            #expect(try await Self.ask(3, from: "203.0.113.7", deployment) == [303, 303, 303])
            try await eventually("the outage is known") {
                try await deployment.rows(of: "mail_outage") == 1 ? () : nil
            }
            let more = try await Self.ask(13, from: "203.0.113.7", deployment)
            #expect(more == Array(repeating: Self.passed, count: 12) + [Self.refused])
            let decoys = try await Self.ask(16, of: "nowhere.example", from: "203.0.113.8", deployment)
            #expect(decoys == Array(repeating: Self.passed, count: 15) + [Self.refused], "no account enumeration")

            mailer.set(.up)
            let unsent = deployment.stored.emails.unsent
            // Decoys fail until an email has left, and wait for up to half a minute then.
            for _ in 0..<6 where try await unsent.count() > 0 {
                deployment.clock.advance(by: .seconds(31))
                let now = deployment.clock.now
                try await eventually("nothing is due") {
                    try await unsent.due(at: now).count() == 0 ? () : nil
                }
            }
            try await eventually("every email left") { try await unsent.count() == 0 ? () : nil }
            #expect(try await Self.ask(1, from: "203.0.113.7", deployment) == [Self.refused])
            #expect(try await Self.ask(1, of: "nowhere.example", from: "203.0.113.8", deployment) == [Self.refused])
        }
    }

    @Test("emails that the mail server does not accept yet, or that have expired in the queue, do not count")
    func deferred() async throws {
        try await Self.open(.deferring) { deployment, _ in
            #expect(try await Self.ask(3, from: "203.0.113.7", deployment) == [303, 303, 303])
            #expect(try await Self.ask(1, from: "203.0.113.7", deployment) == [Self.refused], "not tried twice yet")
            for _ in 0..<2 {
                let now = deployment.clock.clock.now()
                try await eventually("each was tried") {
                    try await deployment.stored.emails.dueOrUntried(at: now).count() == 0 ? () : nil
                }
                deployment.clock.advance(by: .seconds(11))
            }
            try await eventually("each was tried twice") {
                try await deployment.stored.emails.tried(moreThan: 1).count() == 3 ? () : nil
            }
            #expect(try await Self.ask(1, from: "203.0.113.7", deployment) == [Self.passed])
            deployment.clock.advance(by: .minutes(11))
            #expect(try await Self.ask(2, from: "203.0.113.7", deployment) == [Self.passed, Self.passed])
        }
    }

    @Test("a flood does not excuse itself: emails that wait for a slow server that works count")
    func flood() async throws {
        try await Self.open(.stuck) { deployment, _ in
            let statuses = try await Self.ask(8, from: "203.0.113.7", deployment)
            #expect(statuses == Array(repeating: Self.passed, count: 3) + Array(repeating: Self.refused, count: 5))
        }
    }
}
