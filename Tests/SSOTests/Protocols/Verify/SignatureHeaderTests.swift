import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ASVS 4.1.5, 9.1.2: the signature appears once, in one spelling, over exactly these bytes.
@Suite("The signature of a request", .program, .alsoOnPostgres)
struct SignatureHeaderTests {
    private let name = RequestSignature.headerName
    private let clientHeader = RequestSignature.clientHeaderName

    /// Everything that resembles a valid signature and is invalid: `good` is `sha256=` and 64 digits.
    private func malformed(_ good: String) -> [[String]] {
        let hex = String(good.dropFirst(7))
        let (short, zeros) = (hex.dropLast(), String(repeating: "0", count: 64))
        let single: [String] = [
            "", "sha256=", hex, "=\(hex)", "sha1=\(hex)", "SHA256=\(hex)", "sha512=\(hex)\(hex)", "sha256:\(hex)",
            "sha256 =\(hex)", "sha256= \(hex)", "sha256=\(short)", "\(good)0", "sha256=\(short.dropLast())",
            "sha256=\(hex)\(hex)", "\(good),\(good)", "\(good), \(good)", "\(good);v=1", "\"\(good)\"", "v1=\(hex)",
            "Bearer \(good)", "sha256=0x\(short.dropLast())", "sha256=\(short)g", "sha256=\(short)\u{ff10}",
            "sha256=\(short)+", "sha256=\(String(hex.reversed()))", "sha256=\(zeros)",
        ]
        return [[], [good, good], [good, "sha256=\(zeros)"], ["", good], [good, ""]] + single.map { [$0] }
    }

    @Test("missing, malformed, duplicated or listed: 401 that says which, and the token is still valid")
    func malformed() async throws {
        try await TestDeployment.open { deployment in
            let client = deployment.client
            let token = try await deployment.signedIn().token(for: client, of: deployment)
            let body = VerifyRequest(token: token).body()
            let good = try #require(try deployment.signed(body, by: client).last?.1)
            let others = [("Content-Type", "application/json"), (clientHeader, client.id)]
            let wrong = try await deployment.backChannel(
                body, others + [(name, "sha256=" + String(repeating: "0", count: 64))])
            #expect(
                wrong.explanation?.hasPrefix("X-SSO-Signature is wrong, or X-SSO-Client is not registered.") == true)
            for values in malformed(good) {
                let reply = try await deployment.backChannel(body, others + values.map { (name, $0) })
                #expect(reply.status == 401 && reply.error == "invalid_signature", "\(values)")
                let words =
                    values.isEmpty
                    ? "is missing"
                    : values.count > 1
                        ? "appears more than once" : reply.shape == wrong.shape ? "is wrong, or" : "is malformed"
                #expect(reply.explanation?.hasPrefix("X-SSO-Signature \(words)") == true, "\(values) \(reply.text)")
            }
            // A caller without a secret does not learn which clients are registered.
            for id in ["", "none", "PARTNER-1", "partner-1 x", "partner-1,partner-1"] {
                let reply = try await deployment.backChannel(body, [others[0], (name, good), (clientHeader, id)])
                #expect(reply.shape == wrong.shape, "\(id)")
            }
            let twice = try await deployment.backChannel(
                body, others + [(clientHeader, client.id), (name, good)])
            #expect(twice.error == "invalid_signature" && twice.explanation == "X-SSO-Client appears more than once.")
            // The log tells them apart. Only a wrong signature and an unknown client are worth an alarm.
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("verify_refused") }
            for (cause, level) in [
                ("signature_missing", "info"), ("signature_repeated", "info"), ("signature_malformed", "info"),
                ("client_repeated", "info"), ("signature_wrong", "warning"), ("client_unknown", "warning"),
            ] {
                let own = lines.filter { $0.contains("\"cause\": \(cause)") }
                #expect(!own.isEmpty && own.allSatisfy { $0.hasPrefix(level) }, "\(cause)")
            }
            #expect(lines.contains { $0.contains("client_unknown") && $0.contains("\"client\": none") })
            // Upper-case digits are the same bytes, spaces around a value are not part of it (RFC 9110 5.5), and the
            // client may be omitted: the signature selects it.
            let upper = " \tsha256=\(good.dropFirst(7).uppercased()) \t"
            #expect(try await deployment.backChannel(body, [others[0], (name, upper)]).status == 200)
        }
    }

    @Test("headers that cannot be right are refused although the body never comes")
    func withoutBody() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let (type, client) = (("Content-Type", "application/json"), (clientHeader, deployment.client.id))
            let good = (name, "sha256=" + String(repeating: "0", count: 64))
            let cases: [(HTTPProbe.Headers, length: Int, status: Int)] = [
                ([("Content-Type", "text/plain"), good], 9, 415), ([type, good], 8193, 413), ([type], 8193, 413),
                ([type], 9, 401), ([type, good, good], 9, 401), ([type, (name, "sha256=0")], 9, 401),
                ([type, client, client, good], 9, 401), ([type, (clientHeader, "unknown"), good], 9, 401),
            ]
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for (headers, length, status) in cases {
                let head = probe.request("POST", SSOPath.verify, headers + [("Content-Length", "\(length)")])
                let reply = try await onOwnThread {
                    let connection = try probe.connect()
                    try connection.send(head)
                    return try connection.reply()
                }
                #expect(reply.status == status, "\(headers) \(reply.status)")
            }
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
        }
    }

    @Test("a body that differs by one bit, space, line ending, byte order mark or order is another body")
    func otherBody() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let body = VerifyRequest(token: token, redirectURI: deployment.client.callback).body()
            let headers = try deployment.signed(body, by: deployment.client)
            var bodies = [
                body + [10], body + [13, 10], body + [0], [32] + body, [0xef, 0xbb, 0xbf] + body, [],
                Array(body.dropLast()),
            ]
            for index in stride(from: 0, to: body.count, by: 7) {
                var changed = body
                changed[index] ^= 1
                bodies.append(changed)
            }
            bodies.append(Array("{\"redirect_uri\":\"\(deployment.client.callback)\",\"token\":\"\(token)\"}".utf8))
            for changed in bodies {
                #expect(try await deployment.backChannel(changed, headers).error == "invalid_signature")
            }
            #expect(try await deployment.backChannel(body, headers).status == 200)
        }
    }

    /// A `String` repaired from either body is the same text: U+FFFD.
    @Test("bytes that are not UTF-8 are signed as they are, not as they would be repaired")
    func repairedText() async throws {
        try await TestDeployment.open { deployment in
            let (one, other): ([UInt8], [UInt8]) = ([0x61, 0xff], [0x61, 0xfe])
            let headers = try deployment.signed(one, by: deployment.client)
            #expect(try await deployment.backChannel(other, headers).error == "invalid_signature")
            #expect(try await deployment.backChannel(one, headers).error == "invalid_request")
        }
    }

    @Test("with a wrong signature the body is not read: valid, invalid and non-JSON bodies get the same answer")
    func signatureFirst() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let headers = try deployment.signed([1, 2, 3], by: deployment.client)
            var shapes: Set<String> = []
            for body in [
                "{\"token\":\"\(token)\"}", "{\"token\":7}", "{", "", "\u{0}", String(repeating: "[", count: 8000),
            ] {
                shapes.insert(try await deployment.backChannel(Array(body.utf8), headers).shape)
            }
            #expect(shapes.count == 1 && shapes.first?.hasPrefix("401") == true)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
        }
    }

    @Test("the signature of an answer is not accepted as the signature of a request")
    func answerIsNoRequest() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let body = VerifyRequest(token: token).body()
            let answer = try await deployment.backChannel(body, try deployment.signed(body, by: deployment.client))
            let signature = try #require(answer.header(name))
            #expect(answer.all(name).count == 1)
            let secret = try SharedSecret.parse(deployment.client.secret, setting: "secret")
            let asked = try #require(
                RequestSignature(headerValue: try deployment.signed(body, by: deployment.client)[2].1))
            #expect(signature == RequestSignature.response(body: answer.body, to: asked, secret: secret).headerValue)
            let sent = try await deployment.post(answer.body, by: deployment.client, with: [(name, signature)])
            #expect(sent.error == "invalid_signature")
        }
    }
}
