import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAdmin
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPMail
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What the audit log says of a wrong secret. The caller learns nothing of it.
@Suite("A wrong secret that is nearly right", .program, .alsoOnPostgres)
struct NearSecretTests {
    /// A body with this key's signature, as a client with a wrong setting sends it.
    static func post(_ key: [UInt8], as client: String, _ deployment: TestDeployment) async throws -> ProbeReply {
        let body = VerifyRequest(token: "sst_" + String(repeating: "a", count: 43), redirectURI: nil, codeVerifier: nil)
            .body()
        let signature = RequestSignature.request(body: body, secret: SharedSecret(unchecked: key))
        return try await deployment.backChannel(
            body,
            [
                ("Content-Type", "application/json"), (RequestSignature.clientHeaderName, client),
                (RequestSignature.headerName, signature.headerValue),
            ])
    }

    /// The detail of the newest row, once there are so many.
    static func detail(_ deployment: TestDeployment, rows: Int = 1) async throws -> String? {
        try await deployment.auditRows(.verifyRefused, untilThereAre: rows).last?.detail
    }

    @Test(
        "the row names a line end, a blank, decoded digits, a retired secret, and that of another client",
        arguments: ["newline", "carriage return", "blank", "blank before", "hex", "retired", "other", "none"])
    func signature(_ kind: String) async throws {
        try await TestDeployment.open { deployment in
            let wiki = AddedClient("wiki", secret: Hex.encode(try SystemRandomness().bytes(32)))
            try await deployment.add(wiki)
            let (bytes, print) = (Array(wiki.secret.utf8), wiki.fingerprint)
            let partner = try SharedSecret.parse(deployment.client.secret, setting: "S")
            let (key, expected): ([UInt8], String?) =
                switch kind {
                case "newline": (bytes + [10], "newline_at_end:\(print)")
                case "carriage return": (bytes + [13, 10], "newline_at_end:\(print)")
                case "blank": (bytes + [32], "blank_at_end:\(print)")
                case "blank before": ([32] + bytes, "blank_at_end:\(print)")
                case "hex": (try #require(Hex.decode(wiki.secret)), "hex_decoded:\(print)")
                case "retired":
                    (bytes, "retired:\(print):\(PlainDate.rfc3339(deployment.clock.now).prefix(10))")
                case "other": (partner.bytes, "other_client:\(partner.fingerprint):partner-1")
                default: (Array(TestSecret.new().utf8), nil)
                }
            if kind == "retired" {
                _ = try await deployment.rotate(wiki)
                try await deployment.make(RetireSecret("wiki", isForced: true, deployment.registrar))
            }
            let reply = try await Self.post(key, as: "wiki", deployment)
            #expect(reply.status == 401 && reply.text.contains("invalid_signature"))
            #expect(!reply.text.contains(print) && !reply.text.contains("retired"))
            #expect(try await Self.detail(deployment) == expected)
            #expect(!deployment.log.contains(wiki.secret))
        }
    }

    @Test("a secret that is retired by its time, and one whose rotation is taken back, are known too")
    func ended() async throws {
        try await TestDeployment.open { deployment in
            let wiki = AddedClient("wiki")
            try await deployment.add(wiki)
            let new = try await deployment.rotate(wiki)
            try await deployment.make(CancelRotation("wiki", deployment.registrar))
            _ = try await Self.post(Array(new.secret.utf8), as: "wiki", deployment)
            #expect(try await Self.detail(deployment)?.hasPrefix("retired:\(new.fingerprint):") == true)
            let third = try await deployment.rotate(wiki, endingAfter: .seconds(1))
            deployment.clock.advance(by: .minutes(2))
            let ended = ReplacedSecrets(
                database: deployment.database, clock: deployment.clock.clock, audit: deployment.audit,
                logger: deployment.log.logger("idp"))
            // The running program may have been faster.
            _ = try await ended.end(limit: 10)
            #expect(try await deployment.fingerprints(of: "wiki") == [third.fingerprint])
            // A sign-in reads the clients again. What a process still knows redeems nothing.
            _ = try await deployment.signedIn(as: "ann@example.com")
            _ = try await Self.post(Array(wiki.secret.utf8), as: "wiki", deployment)
            let rows = try await deployment.auditRows(.verifyRefused, untilThereAre: 2)
            let details = rows.map { $0.detail ?? "" }
            #expect(details.contains { $0.hasPrefix("retired:\(wiki.fingerprint):") }, "\(details)")
        }
    }

    @Test("one search per minute and client: a caller that tries again and again costs no more")
    func paced() async throws {
        try await TestDeployment.open { deployment in
            let wiki = AddedClient("wiki")
            try await deployment.add(wiki)
            let key = Array(wiki.secret.utf8) + [10]
            for _ in 1...3 { _ = try await Self.post(key, as: "wiki", deployment) }
            deployment.clock.advance(by: .seconds(61))
            _ = try await Self.post(key, as: "wiki", deployment)
            let rows = try await deployment.auditRows(.verifyRefused, untilThereAre: 4)
            #expect(rows.map { $0.detail != nil } == [true, false, false, true])
        }
    }

    @Test("a client secret of OpenID Connect, by HTTP Basic and as a field", arguments: [true, false])
    func openID(_ isBasic: Bool) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let wrong = deployment.client.secret + "\n"
            let fields = [("grant_type", "authorization_code"), ("code", "x")]
            let basic = [("Authorization", TestDeployment.basic(deployment.client.id, wrong))]
            let more = [("client_id", deployment.client.id), ("client_secret", wrong)]
            let reply = try await deployment.oidcPost(
                OIDCPath.token, isBasic ? fields : fields + more, as: nil, isBasic ? basic : [])
            #expect(reply.status == 401)
            let row = try await deployment.auditRows(.tokenRequestRefused, untilThereAre: 1).last
            let print = try SharedSecret.parse(deployment.client.secret, setting: "S").fingerprint
            #expect(row?.cause == "client_secret_wrong" && row?.detail == "newline_at_end:\(print)")
        }
    }

    @Test("each detail is read again, and says what to do")
    func details() {
        let all: [NearSecret] = [
            .newline(fingerprint: "0a1b2c3d"), .blank(fingerprint: "0a1b2c3d"), .hexDecoded(fingerprint: "0a1b2c3d"),
            .retired(fingerprint: "0a1b2c3d", day: "2026-11-29"), .other(fingerprint: "0a1b2c3d", client: "wiki"),
        ]
        for near in all {
            #expect(NearSecret(detail: near.detail) == near && near.remedy.contains("0a1b2c3d"))
        }
        for text in ["", "partner-1", "retired:0a1b2c3d", "other_client:0a1b2c3d", "newline_at_end:1:2"] {
            #expect(NearSecret(detail: text) == nil, "\(text)")
        }
    }

    @Test("a client keeps five of them, for 90 days, and none after it was removed")
    func bounded() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.add(AddedClient("wiki"))
            for _ in 1...7 {
                deployment.clock.advance(by: .seconds(1))
                _ = try await deployment.rotate(AddedClient("wiki"))
                try await deployment.make(RetireSecret("wiki", isForced: true, deployment.registrar))
            }
            func rows() async throws -> Int { try await deployment.rows(of: "retired_secret") }
            #expect(try await rows() == 5)
            for (days, kept) in [(89, 5), (1, 0)] {
                deployment.clock.advance(by: .days(days))
                _ = try await RetiredSecrets.purge(deployment.database, clock: deployment.clock.clock, limit: 10)
                #expect(try await rows() == kept)
            }
            _ = try await deployment.rotate(AddedClient("wiki"))
            try await deployment.make(RetireSecret("wiki", isForced: true, deployment.registrar))
            #expect(try await rows() == 1)
            try await deployment.make(EnableClient("wiki", false, deployment.registrar))
            try await deployment.make(RemoveClient("wiki", deployment.registrar))
            #expect(try await rows() == 0)
        }
    }
}
