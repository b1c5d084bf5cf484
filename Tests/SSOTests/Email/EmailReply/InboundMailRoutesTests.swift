import Dispatch
import SQLiteStorage
import SSOShared
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("POST /auth/mail/inbound", .program, .alsoOnPostgres)
struct InboundMailRoutesTests {
    private static let message = ReplyMessage(
        recipient: "login+x@reply.example", sender: "ann@example.com", number: "0000"
    ).bytes

    private static func replacing(
        _ name: String, with values: [String], _ message: [UInt8] = message
    ) throws -> HTTPProbe.Headers {
        try TestDeployment.inboundHeaders(message).filter { $0.0 != name } + values.map { (name, $0) }
    }

    private static func error(_ reply: ProbeReply) throws -> String? {
        try JSONDecoding.value(reply.body)["error"]?.text
    }

    @Test("without its secret the path does not exist")
    func withoutSecret() async throws {
        try await TestDeployment.receivingReplies(settings: ["IDP_INBOUND_MAIL_SECRET": ""]) { deployment in
            let reply = try await deployment.post(Self.message)
            #expect(reply.status == 404)
            #expect(try Self.error(reply) == "not_found")
        }
    }

    @Test("methods but POST are 405, types but message/rfc822 are 415, larger bodies than 256 KiB are 413, all as JSON")
    func form() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
                let reply = try await probe.send(method, "/auth/mail/inbound")
                #expect(reply.status == 405, "\(method)")
                #expect(reply.header("allow") == "POST" && reply.header("access-control-allow-origin") == nil)
            }
            for types in [[], ["text/plain"], ["application/json"], ["message/rfc822", "message/rfc822"]] {
                let reply = try await deployment.post(
                    Self.message, Self.replacing("Content-Type", with: types))
                #expect(reply.status == 415, "\(types)")
                #expect(try Self.error(reply) == "invalid_request")
            }
            let typed = try await deployment.post(
                Self.message, Self.replacing("Content-Type", with: ["Message/RFC822; charset=utf-8"]))
            #expect(typed.status == 200)
            for (count, status) in [(256 * 1024, 200), (256 * 1024 + 1, 413)] {
                let reply = try await deployment.post([UInt8](repeating: 0x61, count: count))
                #expect(reply.status == status, "\(count)")
                #expect(try Self.error(reply) == (status == 413 ? "invalid_request" : nil))
            }
        }
    }

    @Test("a signature that is missing, repeated, malformed or wrong is 401, whatever the message says")
    func signature() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let right = try TestDeployment.inboundHeaders(Self.message)[1].1
            let other = try TestDeployment.inboundHeaders(Self.message, secret: SettingsFixture.otherSecret)[1].1
            let client = try TestDeployment.inboundHeaders(Self.message, secret: deployment.client.secret)[1].1
            let changed = try TestDeployment.inboundHeaders(Self.message + [0x20])[1].1
            let wrong: [[String]] = [
                [], [right, right], ["\(right),\(right)"], [String(right.dropLast())], [right + "0"],
                [String(right.dropFirst(7))], ["sha1=" + right.dropFirst(7)], [other], [client], [changed],
            ]
            for values in wrong {
                let reply = try await deployment.post(
                    Self.message, Self.replacing(RequestSignature.headerName, with: values))
                #expect(reply.status == 401, "\(values)")
                #expect(try Self.error(reply) == "invalid_signature")
            }
            let right200 = try await deployment.post(
                Self.message,
                Self.replacing(RequestSignature.headerName, with: ["sha256=" + right.dropFirst(7).uppercased()]))
            #expect(right200.status == 200)
            #expect(right200.header("content-type") == "application/json")
            #expect(right200.text == #"{"result":"ignored","reason":"no_recipient"}"#)
        }
    }

    @Test("wrong signatures of one network are limited, and one that has sent a right signature still gets in")
    func limited() async throws {
        let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_BAD_SIGNATURES": "3"]
        try await TestDeployment.receivingReplies(settings: settings) { deployment in
            #expect(try await deployment.post(Self.message).status == 200)
            let unsigned = try Self.replacing(RequestSignature.headerName, with: [])
            var statuses: [Int] = []
            for _ in 1...4 { statuses.append(try await deployment.post(Self.message, unsigned).status) }
            #expect(statuses == [401, 401, 401, 429])
            #expect(try await deployment.post(Self.message).status == 200)
        }
    }

    @Test("a locked database is 503, and the same message is accepted afterwards")
    func storage() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let other = try await deployment.databases.openIdP()
            let gate = DispatchSemaphore(value: 0)
            let holder = await other.hold(gate)
            let reply = try await deployment.post(pending.message().bytes)
            gate.signal()
            // PostgreSQL ends what was idle for five seconds.
            _ = await holder.result
            #expect(reply.status == 503)
            #expect(try Self.error(reply) == "temporarily_unavailable")
            #expect(reply.header("retry-after") == "1")
            #expect(try await deployment.deliver(pending.message()) == "accepted")
        }
    }
}
