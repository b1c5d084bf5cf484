import Hummingbird
import ProbeKit
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPSSO
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// ASVS 4.1.4, 3.5.2; method, type, size, then the signature.
@Suite("The back channel as HTTP", .program, .alsoOnPostgres)
struct VerifyProtocolTests {
    @Test("another method: 405 with Allow, even if everything else is valid")
    func methods() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let body = VerifyRequest(token: token).body()
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let headers = try deployment.signed(body, by: deployment.client)
            for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"] {
                let reply = try await probe.send(method, SSOPath.verify + "?token=\(token)", headers, body: body)
                #expect(reply.status == 405 && reply.all("allow") == ["POST"], "\(method)")
                #expect(method == "HEAD" || reply.error == "invalid_request")
            }
            let preflight = try await probe.send(
                "OPTIONS", SSOPath.verify,
                [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")])
            #expect(preflight.status == 405)
            let crossOrigin = try await deployment.post(
                VerifyRequest(token: "x").body(), by: deployment.client, with: [("Origin", "https://evil.example")])
            for reply in [preflight, crossOrigin] {
                #expect(!reply.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
            }
            for path in [
                SSOPath.verify + "/", "/" + SSOPath.verify, "/auth/sso/Verify", "/auth/sso/verify;x",
                "/auth/sso/%76erify",
            ] {
                let reply = try await probe.post(path, headers, body: body)
                #expect(reply.status == 404 || reply.status == 400, "\(path)")
            }
            #expect(try await deployment.backChannel(body, headers).status == 200)
        }
    }

    @Test("another type, none or two: 415, and a token in the query is ignored")
    func types() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let body = VerifyRequest(token: token).body()
            let headers = try deployment.signed(body, by: deployment.client).filter { $0.0 != "Content-Type" }
            for types in [
                [], [""], ["text/plain"], ["text/json"], ["application/jsonp"], ["application/x-www-form-urlencoded"],
                ["application/json, text/plain"], ["application/json", "application/json"],
                ["multipart/form-data; boundary=x"],
            ] {
                let reply = try await deployment.backChannel(body, headers + types.map { ("Content-Type", $0) })
                #expect(reply.status == 415 && reply.error == "invalid_request", "\(types)")
            }
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let empty: [UInt8] = Array("{}".utf8)
            let inQuery = try await probe.post(
                SSOPath.verify + "?token=\(token)", try deployment.signed(empty, by: deployment.client), body: empty)
            #expect(inQuery.status == 400)
            let last = try await deployment.backChannel(
                body, headers + [("Content-Type", "Application/JSON; charset=utf-8")])
            #expect(last.status == 200)
        }
    }

    @Test("8 KiB are read and not one byte more, announced or in chunks")
    func sizes() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            func body(_ size: Int) -> [UInt8] {
                let start = "{\"token\":\"\(token)\",\"x\":\""
                return Array((start + String(repeating: "x", count: size - start.utf8.count - 2) + "\"}").utf8)
            }
            for size in [8193, 20_000, 200_000] {
                let reply = try await deployment.post(body(size), by: deployment.client)
                #expect(reply.status == 413 && reply.error == "invalid_request")
            }
            let big = body(8193)
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let headers = try deployment.signed(big, by: deployment.client) + [("Transfer-Encoding", "chunked")]
            var bytes = probe.request("POST", SSOPath.verify, headers)
            for piece in [big.prefix(5000), big.dropFirst(5000)] {
                bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
            }
            let answer = String(decoding: try await probe.raw(bytes + Array("0\r\n\r\n".utf8)), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
            #expect(try await deployment.post(body(8192), by: deployment.client).status == 200)
        }
    }

    @Test(
        "many bad signatures: 429 with Retry-After before any work, and a network that has sent a correct one never waits",
        arguments: [true, false])
    func rateLimit(isProven: Bool) async throws {
        let (clock, secret) = (TestClock(), try SharedSecret.parse(WebRelyingParty.secret, setting: "S"))
        let client = Client(id: "web", name: "W", redirectURIs: [], secrets: [secret]).ofSSO()
        let clients = ClientDirectory(
            ClientSource(ClientRegistry([client], of: .tested)),
            logger: CapturedLog().logger("idp"))
        let database = NoDatabase()
        let router = Router(context: VisitorContext.self)
        let routes = VerifyRoutes(
            grants: GrantStore(
                database: database, clock: clock.clock,
                eligibility: SignInEligibility(allowed: try AllowedEmails("*@example.com"), clock: clock.clock),
                clients: clients),
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)))
        let networks = SignerNetworks(
            ClientAddress(trusted: []), badSignatures: NetworkLimit(3, per: .seconds(60), clock: clock.clock),
            proven: ProvenNetworks(clock: clock.clock))
        let post = routes.post.checked(by: SignatureCheck(clients: clients), from: networks)
        router.only([.post], at: RouterPath(SSOPath.verify), use: post.receive)
        try await serving(router) { probe in
            let body = VerifyRequest(token: "x").body()
            func post(_ signature: String) async throws -> ProbeReply {
                try await probe.post(
                    SSOPath.verify,
                    [("Content-Type", "application/json"), (RequestSignature.headerName, signature)], body: body)
            }
            let (bad, good) = ("sha256=00", RequestSignature.request(body: body, secret: secret).headerValue)
            if isProven { #expect(try await post(good).status == 401) }
            // The clock stands still: the 20 tries per second that every network has are used up as well.
            clock.advance(by: .hours(2))
            for _ in 1...3 { #expect(try await post(bad).status == 401) }
            for _ in 1...20 { #expect(try await post(bad).status == 429) }
            let limited = try await post(bad)
            #expect(limited.status == 429)
            #expect(limited.header("retry-after").flatMap { Int($0) }.map { (1...60).contains($0) } == true)
            #expect(VerifyError(body: limited.body) == .rateLimited)
            // 401 is about the token: the signature was checked. 429 comes before that.
            #expect(try await post(good).status == (isProven ? 401 : 429))
            clock.advance(by: .seconds(120))
            #expect(try await post(bad).status == 401)
        }
    }

    @Test("a storage error is a 503 with Retry-After, never a verdict on the token, which is valid afterwards")
    func storage() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            try await deployment.stored.rename(table: "sso_token", to: "away")
            let reply = try await deployment.verify(token, as: deployment.client)
            #expect(
                reply.status == 503 && reply.error == "temporarily_unavailable" && reply.header("retry-after") == "1")
            // A bad signature causes no storage access (ASVS 2.4.1).
            let bad = try await deployment.post(
                VerifyRequest(token: token).body(), by: deployment.client,
                with: [(RequestSignature.headerName, "sha256=")])
            #expect(bad.error == "invalid_signature")
            try await deployment.stored.rename(table: "away", to: "sso_token")
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
        }
    }

    @Test(
        "it says that the token or the code is still good, and not after a commit of which nobody knows whether it is kept",
        arguments: [DatabaseError.unavailable("planted"), .uncertain("planted")])
    func uncertain(error: DatabaseError) async throws {
        let outage = Outage(error)
        try await TestDeployment.open(
            clientKeys: OIDCSteps.bothProtocols, wrapping: { outage.wrapping($0) }
        ) { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.client, of: deployment)
            let code = try await deployment.oidcCode(browser)
            outage.isOn = true
            let answers = [
                (try await deployment.verify(token, as: deployment.client), "The token is still valid."),
                (try await deployment.oidcToken(code, as: deployment.client), "Nothing was used up."),
            ]
            for (answer, words) in answers {
                #expect(answer.status == 503 && answer.text.contains("Try again in a moment."), "\(answer.text)")
                #expect(answer.text.contains(words) == error.isOutcomeKnown, "\(answer.text)")
            }
        }
    }
}

/// Storage that must not be used.
private struct NoDatabase: Database {
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        throw DatabaseError.unavailable("there is none")
    }
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        throw DatabaseError.unavailable("there is none")
    }
    func checkReady() async throws(DatabaseError) {}
    func close() async {}
}
