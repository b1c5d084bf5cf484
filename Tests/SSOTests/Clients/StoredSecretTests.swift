import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The rotation of a client's secret", .program)
struct StoredSecretTests {
    private static let header = "X-SSO-Key-Status"

    @Test("both verify at once in all processes, and answers to the previous one say so")
    func both() async throws {
        try await TestDeployment.open { one in
            try await one.withSecondIdP { two in
                let old = AddedClient()
                try await one.add(old)
                let browser = try await one.signedIn()
                func answers(_ client: AddedClient, state: String) async throws -> [(Int, String?)] {
                    var answers: [(Int, String?)] = []
                    for process in [one, two] {
                        let token = try await browser.token(for: old, of: process, state: "\(state)-\(process.port)")
                        let reply = try await process.redeem(token, as: client)
                        answers.append((reply.status, reply.header(Self.header)))
                    }
                    return answers
                }
                #expect(try await answers(old, state: "a").allSatisfy { $0.0 == 200 && $0.1 == nil })
                let new = try await one.rotate(old)
                #expect(try await answers(new, state: "b").allSatisfy { $0.0 == 200 && $0.1 == nil })
                #expect(try await answers(old, state: "c").allSatisfy { $0.0 == 200 && $0.1 == "previous" })
                #expect(try await one.fingerprints(of: "wiki") == [new.fingerprint, old.fingerprint])

                let third = RotateSecret(
                    "wiki", to: try SharedSecret.parse(TestSecret.new(), setting: "S"), endingAfter: .days(7),
                    one.secretBox, one.registrar)
                #expect(try await one.refusal(of: third)?.contains("has two secrets already") == true)
                let early = try await one.refusal(of: RetireSecret("wiki", isForced: false, one.registrar))
                #expect(early?.contains("--force") == true && early?.contains(old.fingerprint) == true)
                try await one.make(RetireSecret("wiki", isForced: true, one.registrar))
                #expect(try await answers(old, state: "d").allSatisfy { $0.0 == 401 })
                #expect(try await answers(new, state: "e").allSatisfy { $0.0 == 200 && $0.1 == nil })
                let retired = try await one.auditRows(.clientSecretRetired)
                #expect(retired.map(\.cause) == ["command"] && retired.map(\.detail) == [old.fingerprint])
            }
        }
    }

    @Test("a new secret is not called wrong while the clients cannot be read: 503, and its token stays unused")
    func unread() async throws {
        try await TestDeployment.open { deployment in
            let (old, browser) = (AddedClient(), try await deployment.signedIn())
            try await deployment.add(old)
            let token = try await browser.token(for: old, of: deployment)
            let new = try await deployment.rotate(old)
            let fields = [
                ("grant_type", "refresh_token"), ("refresh_token", "sor_none"), ("client_id", new.id),
                ("client_secret", new.secret),
            ]
            try await deployment.stored.rename(table: "client_secret", to: "away")
            #expect(try await deployment.redeem(token, as: new).status == 503)
            #expect(try await deployment.oidcPost(OIDCPath.token, fields, as: nil).status == 503)
            try await deployment.stored.rename(table: "away", to: "client_secret")
            #expect(try await deployment.redeem(token, as: new).status == 200)
            #expect(try await deployment.oidcPost(OIDCPath.token, fields, as: nil).status == 401)
        }
    }

    @Test("after a retirement or the client's end it signs nothing, also where the first body cannot be read")
    func wrongBodies() async throws {
        try await TestDeployment.open { deployment in
            var client = AddedClient()
            try await deployment.add(client)
            let paths: [(String, MessageLabel)] = [
                (SSOPath.verify, .verify), (SSOPath.session, .session), (SSOPath.ping, .ping),
            ]
            for (path, label) in paths {
                for text in [#"{"token":"x"}"#, "{}", "nope"] {
                    func send() async throws -> ProbeReply {
                        let body = Array(text.utf8)
                        let secret = try SharedSecret.parse(client.secret, setting: "S")
                        let signature = RequestSignature.request(body: body, secret: secret, label: label)
                        return try await deployment.probe().post(
                            path,
                            [
                                ("Content-Type", "application/json"), ("X-SSO-Client", client.id),
                                ("X-SSO-Signature", signature.headerValue),
                            ], body: body)
                    }
                    let known = try await send()
                    #expect(known.error != "invalid_signature", "\(path) \(text)")
                    try await deployment.make(EnableClient(client.id, false, deployment.registrar))
                    #expect(try await send().error == "invalid_signature", "\(path) \(text), disabled")
                    try await deployment.make(EnableClient(client.id, true, deployment.registrar))
                    let next = try await deployment.rotate(client)
                    #expect(try await send().error == known.error, "\(path) \(text)")
                    try await deployment.make(RetireSecret(client.id, isForced: true, deployment.registrar))
                    let retired = try await send()
                    #expect(retired.status == 401 && retired.error == "invalid_signature", "\(path) \(text), retired")
                    client = next
                }
            }
        }
    }

    @Test("the previous one ends seven days after its last use, and not earlier")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let (old, browser) = (AddedClient(), try await deployment.signedIn())
            try await deployment.add(old)
            let new = try await deployment.rotate(old)
            let ending = ReplacedSecrets(
                database: deployment.database, clock: deployment.clock.clock, audit: deployment.audit,
                logger: deployment.log.logger("idp"))
            deployment.clock.advance(by: .minutes(90))
            let token = try await browser.token(for: old, of: deployment)
            #expect(try await deployment.redeem(token, as: old).status == 200)
            deployment.clock.advance(by: .days(7) - .seconds(1))
            #expect(try await ending.end(limit: 10) == 0)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await ending.end(limit: 10) == 1)
            #expect(try await ending.end(limit: 10) == 0)
            #expect(try await deployment.fingerprints(of: "wiki") == [new.fingerprint])
            let later = try await deployment.signedIn(as: "bob@example.com")
            let last = try await later.token(for: old, of: deployment)
            #expect(try await deployment.redeem(last, as: old).status == 401)
            #expect(try await deployment.redeem(last, as: new).status == 200)
            #expect(try await deployment.auditRows(.clientSecretRetired).map(\.cause) == ["use"])
            let line = deployment.log.text.split(separator: "\n").filter { $0.contains("client_secret_retired") }
            #expect(line.count == 1 && line[0].contains("\"by\": use") && line[0].contains(old.fingerprint))
        }
    }

    @Test("an unused one ends seven days after the rotation; a rotation is taken back only while the new one is unused")
    func unused() async throws {
        try await TestDeployment.open { deployment in
            let old = AddedClient()
            try await deployment.add(old)
            _ = try await deployment.rotate(old)
            #expect(try await deployment.make(CancelRotation("wiki", deployment.registrar)).isChanged)
            #expect(try await deployment.fingerprints(of: "wiki") == [old.fingerprint])

            let new = try await deployment.rotate(old, endingAfter: .days(2))
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: old, of: deployment)
            #expect(try await deployment.redeem(token, as: new).status == 200)
            let refusal = try await deployment.refusal(of: CancelRotation("wiki", deployment.registrar))
            #expect(refusal?.contains("is in use since 2026-11-21T12:00:00.000Z") == true)

            let ending = ReplacedSecrets(
                database: deployment.database, clock: deployment.clock.clock, audit: deployment.audit,
                logger: deployment.log.logger("idp"))
            deployment.clock.advance(by: .days(2) - .seconds(1))
            #expect(try await ending.end(limit: 10) == 0)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await ending.end(limit: 10) == 1)
        }
    }

    @Test("uses of secrets in the file are stored, too, at most one statement in a minute, and say which line may go")
    func file() async throws {
        try await TestDeployment.open { deployment in
            let (client, browser) = (deployment.client, try await deployment.signedIn())
            func view() async throws -> ClientView {
                let views = try await deployment.database.read { [file = deployment.idp.clients.clients] in
                    try ClientView.all(file: file, $0)
                }
                return try #require(views.first { $0.client.id == client.id })
            }
            let start = deployment.clock.now
            for (number, wait) in [Duration.zero, .seconds(59), .seconds(1)].enumerated() {
                deployment.clock.advance(by: wait)
                let token = try await browser.token(for: client, of: deployment, state: "\(number)")
                #expect(try await deployment.verify(token, as: client).status == 200)
                let use = try await view().secrets.first?.use
                #expect(use?.first == start && use?.last == (number < 2 ? start : start + .minutes(1)))
            }
            #expect(try await view().linesThatMayGo(at: deployment.clock.now).isEmpty)
        }
    }
}
