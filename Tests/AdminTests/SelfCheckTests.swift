import Foundation
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPFlow
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// `GET /auth/check`, and what `idp check --connect` makes of its answer.
@Suite("The call of a check to the program itself", .program)
struct SelfCheckTests {
    private static func ask(
        _ deployment: TestDeployment, _ text: String?, _ headers: HTTPProbe.Headers = []
    ) async throws -> ProbeReply {
        let own = text.map { [(SelfCheckProof.field, $0)] } ?? []
        return try await deployment.probe().get(SelfCheckProof.path, own + headers)
    }

    private static func question(
        _ deployment: TestDeployment, _ keys: DerivedKeys? = nil
    ) throws -> SelfCheckProof {
        try SelfCheckProof(keys ?? deployment.keys, at: deployment.clock.now, SystemRandomness())
    }

    @Test("only a holder of IDP_SECRET_KEY is answered, for one minute; everybody else finds no such path")
    func proof() async throws {
        try await TestDeployment.open { deployment in
            let question = try Self.question(deployment)
            let other = try DerivedKeys.parse(TestSecret.new(), setting: "K")
            let parts = question.text.split(separator: ".")
            let damaged = "\(parts[0]).\(parts[1]).\(parts[2].hasPrefix("A") ? "B" : "A")\(parts[2].dropFirst())"
            let moved = "\(deployment.clock.now.seconds + 30).\(parts[1]).\(parts[2])"
            let foreign = try Self.question(deployment, other).text
            for wrong in [
                nil, "", "x", "-9223372036854775808.a.b", damaged, moved, foreign, question.text + "." + question.text,
            ] {
                let reply = try await Self.ask(deployment, wrong)
                #expect(reply.status == 404 && !reply.text.contains("127.0.0.1"), "\(wrong ?? "-")")
            }
            let reply = try await Self.ask(deployment, question.text)
            #expect(reply.status == 200 && reply.header("cache-control")?.contains("no-store") == true)
            let answer = try JSONDecoder().decode(SelfCheckAnswer.self, from: Data(reply.body))
            #expect(question.isAnswered(by: answer.proof) && !question.isAnswered(by: answer.proof + "A"))
            #expect(try !Self.question(deployment).isAnswered(by: answer.proof), "the answer to another question")
            #expect(answer.host == "localhost:4000" && answer.peer == "127.0.0.1" && answer.client == "127.0.0.1")
            #expect(!answer.isProxy && answer.forwardedFor == nil && answer.time == deployment.clock.now.seconds)
            deployment.clock.advance(by: .seconds(60))
            #expect(try await Self.ask(deployment, question.text).status == 200)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await Self.ask(deployment, question.text).status == 404)
        }
    }

    @Test("a program whose key was rotated answers a check that has the old one, and the other way round")
    func rotated() throws {
        let (old, new) = (TestSecret.new(), TestSecret.new())
        let (both, one) = (
            try DerivedKeys.parse("\(new),\(old)", setting: "K"), try DerivedKeys.parse(old, setting: "K")
        )
        let now = TestClock().now
        let asked = try SelfCheckProof(one, at: now, SystemRandomness())
        #expect(try #require(SelfCheckProof(asked.text, both, at: now)).answer == asked.answer)
        let later = try SelfCheckProof(both, at: now, SystemRandomness())
        #expect(SelfCheckProof(later.text, one, at: now) == nil, "the old key alone does not know the new one")
    }

    @Test("what a proxy says is in the answer, and its address counts only where it is named")
    func forwarded() async throws {
        let headers = [("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "https")]
        for isNamed in [true, false] {
            try await TestDeployment.open(settings: isNamed ? ["IDP_TRUSTED_PROXIES": "127.0.0.1"] : [:]) {
                deployment in
                let reply = try await Self.ask(deployment, Self.question(deployment).text, headers)
                let answer = try JSONDecoder().decode(SelfCheckAnswer.self, from: Data(reply.body))
                #expect(answer.isProxy == isNamed && answer.client == (isNamed ? "203.0.113.7" : "127.0.0.1"))
                #expect(answer.forwardedFor == "203.0.113.7" && answer.forwardedProto == "https")
            }
        }
    }

    /// An answer that is right behind a proxy with TLS.
    private static let fine = SelfCheckAnswer(
        proof: "", time: 1000, host: "id.example.com", forwardedProto: "https", forwardedFor: "203.0.113.7",
        peer: "127.0.0.1", isProxy: true, client: "203.0.113.7", version: "1")

    private static func findings(_ change: (inout SelfCheckAnswer) -> Void) throws -> [SelfCheck.Finding] {
        var answer = fine
        change(&answer)
        return SelfCheck.findings(
            answer, of: try PublicOrigin("https://id.example.com"), between: 998, and: 1002)
    }

    @Test("what a proxy drops, changes or hides is found, and a clock that is six seconds off")
    func findings() throws {
        #expect(try Self.findings { _ in }.isEmpty)
        let table: [(String, isProblem: Bool, (inout SelfCheckAnswer) -> Void)] = [
            ("X-Forwarded-Proto is missing", false, { $0.forwardedProto = nil }),
            ("X-Forwarded-Proto says http", false, { $0.forwardedProto = "http" }),
            ("the Host id.example.com arrives as 127.0.0.1:8080", false, { $0.host = "127.0.0.1:8080" }),
            ("Add 10.0.0.9", true, { ($0.isProxy, $0.peer, $0.client) = (false, "10.0.0.9", "10.0.0.9") }),
            ("ends TLS, is not named", true, { ($0.isProxy, $0.forwardedFor, $0.client) = (false, nil, "127.0.0.1") }),
            ("sends no X-Forwarded-For that can be read", true, { ($0.forwardedFor, $0.client) = (nil, "127.0.0.1") }),
            ("sends no X-Forwarded-For that can be read", true, { ($0.forwardedFor, $0.client) = ("x", "127.0.0.1") }),
            ("6 seconds behind", true, { $0.time = 992 }), ("6 seconds ahead of", true, { $0.time = 1008 }),
        ]
        for (words, isProblem, change) in table {
            let found = try Self.findings(change)
            #expect(found.count == 1 && found[0].text.contains(words) && found[0].isProblem == isProblem, "\(found)")
        }
        let onSameMachine = try Self.findings { ($0.forwardedFor, $0.client) = ("127.0.0.1", "127.0.0.1") }
        #expect(onSameMachine.isEmpty)
        for time in [993, 1007] { #expect(try Self.findings { $0.time = time }.isEmpty) }
    }

    @Test("old emails, sign-outs and backups are warnings, and new ones are not")
    func stored() {
        let now = TestClock().now
        func warnings(_ email: Duration, _ signOut: Duration, _ backup: Duration) -> Int {
            StoredState(email: now - email, signOut: now - signOut, backup: now - backup, now: now).warnings.count
        }
        #expect(warnings(.minutes(10), .hours(1), .days(7)) == 0)
        #expect(warnings(.minutes(11), .hours(1), .days(7)) == 1)
        #expect(warnings(.minutes(11), .minutes(61), .days(8)) == 3)
        #expect(StoredState(now: now).warnings.isEmpty && StoredState(now: now).lines.allSatisfy { $0.shown == "none" })
    }

    @Test("the oldest email, sign-out and backup are read as they are in the database")
    func read() async throws {
        let mailer = BrokenMailer()
        mailer.become(.isDown)
        try await TestDeployment.open(
            mailer: { folder in
                mailer.begin(folder)
                return mailer
            }
        ) { deployment in
            func state() async throws -> StoredState {
                try await deployment.database.read { [now = deployment.clock.now] in try StoredState($0, at: now) }
            }
            #expect(try await state().lines.allSatisfy { $0.shown == "none" })
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            try await deployment.audit.database.write { [audit = deployment.audit] in
                try audit.write(Event(.backupMade, detail: "x"), $0)
            }
            deployment.clock.advance(by: .minutes(1))
            let found = try await state()
            #expect(found.email != nil && found.backup != nil && found.signOut == nil)
        }
    }

    @Test("a disk with less than 500 MiB is a warning, and with less than 20 a problem")
    func disk() throws {
        #expect(DiskSpace.fault(500 << 20, of: "/var") == nil)
        #expect(try #require(DiskSpace.fault(499 << 20, of: "/var")).isProblem == false)
        let full = try #require(DiskSpace.fault(0, of: "/var"))
        #expect(full.isProblem && full.text.contains("/var has 0 MiB left"))
        #expect(["/var/lib/idp.sqlite", "/idp.sqlite", "idp.sqlite"].map(DiskSpace.folder) == ["/var/lib", "/", "."])
        #expect(DiskSpace.free(at: "/") != nil && DiskSpace.free(at: "/no/such/folder") == nil)
    }
}
