import IdPAccounts
import IdPFlow
import SSOShared
import SSOWeb
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("What the audit commands read and print", .program)
struct AuditOutputTests {
    private static let now = Timestamp(milliseconds: 1_790_000_000_000)

    @Test(
        "moments",
        arguments: [
            ("2026-11-25", 1_795_564_800_000), ("2026-11-25T14:00:00Z", 1_795_615_200_000),
            ("2026-11-25T15:00:00+01:00", 1_795_615_200_000), ("2026-11-25T14:00:00.250Z", 1_795_615_200_250),
            ("90m", 1_790_000_000_000 - 5_400_000), ("24h", 1_790_000_000_000 - 86_400_000), ("0d", 1_790_000_000_000),
        ] as [(String, Int64)])
    func moments(text: String, milliseconds: Int64) {
        #expect(AuditMoment.read(text, now: Self.now)?.milliseconds == milliseconds)
    }

    @Test(
        "what is no moment",
        arguments: ["", "yesterday", "-1h", "h", "2026-13-01", "25.11.2026", "999999999999d", "1.5h"])
    func noMoments(text: String) {
        #expect(AuditMoment.read(text, now: Self.now) == nil)
    }

    @Test("cells of CSV are quoted where RFC 4180 asks, and no cell is a formula")
    func csv() {
        #expect(AuditLine.csv(["a", "b,c", "say \"x\"", ""]) == "a,\"b,c\",\"say \"\"x\"\"\",\r\n")
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\tx"] {
            #expect(AuditLine.csv([formula]) == "'\(formula)\r\n")
        }
    }

    @Test("a row is one line, as JSON with every name and as text without what is missing, whatever stands in it")
    func lines() async throws {
        try await AuditScene.open { scene in
            var row = Event(.userChanged, by: .command(user: "root", sudo: "ann"), detail: "two\nlines \"quoted\"")
            row.network = "203.0.113.0/24"
            try await scene.write(row)
            let entry = AuditLine(entry: try #require(try await scene.page().first), user: "ann@example.com")
            let time = PlainDate.rfc3339(entry.entry.at)
            #expect(
                AuditOutput.json(entry) == """
                    {"time":"\(time)","event":"user_changed","actor":"command:root sudo:ann","account":null,"user":"ann@example.com",\
                    "client":null,\
                    "session":null,"flow":null,"reference":null,"network":"203.0.113.0/24","cause":null,\
                    "detail":"two\\u000alines \\"quoted\\"","address":null,"count":null,"address_id":null}
                    """)
            #expect(
                AuditOutput.text(entry) == """
                    \(time) user_changed actor="command:root sudo:ann" user=ann@example.com network=203.0.113.0/24 \
                    detail="two\\u000alines \\"quoted\\""
                    """)
        }
    }

    @Test("a followed row is printed once, also one that is committed a little late")
    func followed() async throws {
        try await AuditScene.open { scene in
            let start = scene.clock.now
            var followed = FollowedRows(since: start)
            try await scene.write(Event(.signedIn, by: .user("a")))
            let first = try await scene.page()
            let printed = [followed.new(first).count, followed.new(first).count]
            #expect(printed == [1, 0])
            followed.advance(to: start + .seconds(5))
            let again = followed.new(first)
            #expect(followed.since == start && again.isEmpty)
            followed.advance(to: start + .seconds(60))
            #expect(followed.since == start + .seconds(50))
        }
    }

    @Test(
        "SUDO_USER is kept where it is the name of a user",
        arguments: [("ann", "ann"), ("", nil), ("ann lee", nil), ("a\nb", nil), ("a.b-c_1", "a.b-c_1")]
            as [(String, String?)])
    func actors(sudo: String, kept: String?) {
        guard case .command(let user, let asked) = AuditActor.ofCommand(environment: ["SUDO_USER": sudo]) else {
            Issue.record("no command")
            return
        }
        #expect(!user.isEmpty && asked == kept)
    }
}
