import Foundation
import ProbeKit
import SSOShared
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Attacks on the token endpoint and its tokens. Each is refused and logs why. At the end the right request succeeds, so that none
/// was refused for another reason.
@Suite("OpenID Connect: attacks", .program)
struct OIDCHostileTests {
    @Test("at the token endpoint: each row is refused with its error, logs its cause, and leaves the code as it was")
    func table() async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            let verifier = try CodeChallenge.makeVerifier()
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(
                browser, nil, ["code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256"])
            let right = OIDCTokenAttack.Sent(
                fields: [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", deployment.client.callback),
                    ("code_verifier", verifier),
                ], authorization: TestDeployment.basic(deployment.client.id, deployment.client.secret))
            for row in OIDCTokenAttack.table {
                var sent = right
                row.change(&sent, deployment)
                let reply = try await Self.post(sent, deployment)
                #expect((400..<500).contains(reply.status), "\(row.name): \(reply.text)")
                #expect(try reply.json()["error"]?.text == row.error, "\(row.name): \(reply.text)")
                #expect(reply.header("cache-control") == "no-store")
                #expect(!reply.text.contains("soa_") && !reply.text.contains("eyJ"))
                let line = deployment.log.text.split(separator: "\n").last { $0.contains("token_request_refused") }
                #expect(line?.contains("\"cause\": \(row.cause)") == true, "\(row.name): \(line ?? "no line")")
            }
            #expect(try await Self.post(right, deployment).status == 200, "the right request still succeeds")
        }
    }

    private static func post(_ sent: OIDCTokenAttack.Sent, _ deployment: TestDeployment) async throws -> ProbeReply {
        let authorization = sent.authorization.map { [("Authorization", $0)] } ?? []
        return try await deployment.oidcProbe.post(
            OIDCPath.token, [("Content-Type", sent.type)] + authorization,
            body: Array(FormCoding.encode(sent.fields).utf8))
    }

    @Test(
        "HTTP Basic is read as forms are written, and as it is: a secret with characters that forms escape works in both",
        arguments: ["a%2Bb", "a+b"])
    func basic(sent: String) async throws {
        let secret = "a+b" + TestSecret.new()
        try await TestDeployment.openWithOIDC { deployment in
            let registrar = ClientRegistrar(file: deployment.idp.clients.clients)
            var entry = ClientEntry(id: "wiki")
            entry["name"] = .text("Wiki")
            entry["access"] = .text("everyone")
            entry["protocols"] = .list(["oidc"])
            entry["redirect_uris"] = .list(["https://wiki.example/callback"])
            let box = ClientSecretBox(keys: deployment.keys, randomness: SystemRandomness())
            let changes = OperatorChanges(deployment.database, by: .program, clock: deployment.clock.clock)
            _ = try await changes.make(
                AddClient("wiki", entry, logo: nil, secret: .parse(secret, setting: "secret"), box, registrar))
            // Any number of blanks is after the scheme (RFC 9110 11.4).
            let basic = TestDeployment.basic("wiki", sent + secret.dropFirst(3)).replacing(" ", with: "  ")
            let reply = try await deployment.oidcProbe.post(
                OIDCPath.token,
                [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", basic)],
                body: Array("grant_type=authorization_code&code=soc_x&redirect_uri=https%3A%2F%2Fwiki.example".utf8))
            #expect(try reply.json()["error"]?.text == "invalid_grant", "the secret is right: \(reply.text)")
        }
    }

    @Test("no grant of one kind works as another: at verify, at the token endpoint, at userinfo, and at the JSON API")
    func kinds() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let sso = try await browser.token(for: deployment.client, of: deployment)
            let code = try await deployment.oidcCode(browser)
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid offline_access", "state": "x"]),
                as: deployment.client)
            let access = try #require(reply.json()["access_token"]?.text)
            let refresh = try #require(reply.json()["refresh_token"]?.text)
            let id = try #require(reply.json()["id_token"]?.text)
            let all = [sso, code, access, refresh, id]
            for text in all {
                if text != sso { #expect(try await deployment.verify(text, as: deployment.client).status == 401) }
                if text != code {
                    #expect(try await deployment.oidcToken(text, as: deployment.client).status == 400)
                }
                if text != refresh {
                    #expect(try await deployment.oidcRefresh(text, as: deployment.client).status == 400)
                }
                if text != access { #expect(try await deployment.oidcUserInfo(text).status == 401) }
                let api = try await deployment.oidcProbe.get(
                    "/api/v1/session", [("Authorization", "Bearer \(text)")])
                #expect(api.status == 401, "\(text.prefix(4))")
                // Relabelled: the prefix of the other kind before the same characters.
                for prefix in ["sst_", "soc_", "soa_", "sor_"] where !text.hasPrefix(prefix) {
                    let other = prefix + text.dropFirst(4)
                    #expect(try await deployment.verify(other, as: deployment.client).status == 401)
                    #expect(try await deployment.oidcToken(other, as: deployment.client).status == 400)
                    #expect(try await deployment.oidcUserInfo(other).status == 401)
                }
            }
            #expect(try await deployment.oidcToken(code, as: deployment.client).status == 200)
            #expect(try await deployment.oidcUserInfo("  " + access).status == 200)
        }
    }

    @Test("at userinfo only one access token that holds, in the header or the form, gets an answer")
    func userInfo() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
            let access = try #require(reply.json()["access_token"]?.text)
            let probe = deployment.oidcProbe
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            let header = [("Authorization", "Bearer \(access)")]
            func get(_ headers: HTTPProbe.Headers, _ path: String = OIDCPath.userInfo) async throws -> ProbeReply {
                try await probe.get(path, headers)
            }
            let body = Array("access_token=\(access)".utf8)
            for (name, reply, status, error) in [
                ("no token", try await get([]), 401, "invalid_token"),
                (
                    "in the query", try await get([], "\(OIDCPath.userInfo)?access_token=\(access)"), 401,
                    "invalid_token"
                ),
                ("another scheme", try await get([("Authorization", "Basic \(access)")]), 401, "invalid_token"),
                ("no scheme", try await get([("Authorization", access)]), 401, "invalid_token"),
                ("an empty one", try await get([("Authorization", "Bearer ")]), 401, "invalid_token"),
                ("two headers", try await get(header + header), 400, "invalid_request"),
                (
                    "two ways", try await probe.post(OIDCPath.userInfo, form + header, body: body), 400,
                    "invalid_request"
                ),
                (
                    "twice", try await probe.post(OIDCPath.userInfo, form, body: body + Array("&".utf8) + body), 400,
                    "invalid_request"
                ),
                (
                    "as JSON",
                    try await probe.post(
                        OIDCPath.userInfo, [("Content-Type", "application/json")],
                        body: Array("{\"access_token\":\"\(access)\"}".utf8)), 401, "invalid_token"
                ),
                (
                    "a long one",
                    try await probe.post(
                        OIDCPath.userInfo, form,
                        body: Array("access_token=soa_\(String(repeating: "A", count: 3000))".utf8)),
                    401, "invalid_token"
                ),
                ("another case", try await deployment.oidcUserInfo(access.uppercased()), 401, "invalid_token"),
                ("a byte more", try await deployment.oidcUserInfo(access + "A"), 401, "invalid_token"),
                ("a byte less", try await deployment.oidcUserInfo(String(access.dropLast())), 401, "invalid_token"),
            ] {
                #expect(reply.status == status, "\(name)")
                #expect(try reply.json()["error"]?.text == error, "\(name)")
                #expect(!reply.text.contains("usr_"), "\(name)")
                #expect(reply.header("www-authenticate") == "Bearer error=\"\(error)\"", "\(name)")
            }
            #expect(try await deployment.oidcUserInfo(access).status == 200)
            deployment.clock.advance(by: .minutes(10))
            #expect(try await deployment.oidcUserInfo(access).status == 401, "expired")
            #expect(!deployment.log.text.contains(access))
        }
    }

    @Test("a code or refresh token of another client is refused, has leaked, and is void from then on")
    func otherClient() async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            let (owner, thief) = (deployment.clients[0], deployment.clients[1])
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(browser)
            let stolen = try await deployment.oidcToken(code, as: thief, [("redirect_uri", owner.callback)])
            #expect(stolen.status == 400)
            #expect(try await deployment.oidcToken(code, as: owner).status == 400)
            #expect(deployment.log.text.contains("code_leaked"))
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid offline_access", "state": "x"]), as: owner)
            let refresh = try #require(reply.json()["refresh_token"]?.text)
            #expect(try await deployment.oidcRefresh(refresh, as: thief).status == 400)
            #expect(try await deployment.oidcRefresh(refresh, as: owner).status == 400)
            #expect(deployment.log.text.contains("refresh_token_reused"))
        }
    }

    @Test("a used refresh token gives the same successor for a minute, and later ends its family")
    func refreshReuse() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid offline_access"]), as: deployment.client)
            let first = try #require(reply.json()["refresh_token"]?.text)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let reply = try await deployment.oidcRefresh(first, as: deployment.client)
                        return try reply.json()["refresh_token"]?.text ?? reply.text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(answers.count == 1, "one successor")
            #expect(try await deployment.rows(of: "oidc_refresh_token") == 2)
            let second = try #require(answers.first)
            deployment.clock.advance(by: .seconds(59))
            #expect(
                try await deployment.oidcRefresh(first, as: deployment.client).json()["refresh_token"]?.text == second)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await deployment.oidcRefresh(first, as: deployment.client).status == 400)
            #expect(try await deployment.oidcRefresh(second, as: deployment.client).status == 400)
            #expect(deployment.log.text.contains("refresh_token_reused"))
        }
    }

    @Test("100 uses of one code at once: one success")
    func oneWinner() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(browser)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await deployment.oidcToken(code, as: deployment.client).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1 && statuses.filter { $0 == 400 }.count == 99)
        }
    }

    @Test("disabling the account ends its tokens at once, and so does the loss of access")
    func ended() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid offline_access"]), as: deployment.client)
            let access = try #require(reply.json()["access_token"]?.text)
            let refresh = try #require(reply.json()["refresh_token"]?.text)
            try await deployment.stored.accounts.disable()
            #expect(try await deployment.oidcUserInfo(access).status == 401)
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 400)
            try await deployment.stored.accounts.enable()
            #expect(try await deployment.oidcUserInfo(access).status == 200)
            // The client's sign-in has ended, as every sign-out does it, and begins again.
            try await deployment.stored.clientSignIns.ofKind("oidc").end("no_access")
            #expect(try await deployment.oidcUserInfo(access).status == 401)
            let again = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["state": "x"]), as: deployment.client)
            let next = try #require(again.json()["access_token"]?.text)
            #expect(try await deployment.oidcUserInfo(next).status == 200, "what hangs on it from now on holds")
            #expect(try await deployment.oidcUserInfo(access).status == 401, "what hung on it before stays ended")
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 400)
        }
    }

    @Test("a refresh token that is not used ends after 30 days", arguments: [(1, 200), (0, 400)])
    func unused(secondsBefore: Int, status: Int) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(deployment.signedIn(), nil, ["scope": "openid offline_access"]),
                as: deployment.client)
            let refresh = try #require(reply.json()["refresh_token"]?.text)
            deployment.clock.advance(by: .days(30) - .seconds(secondsBefore))
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == status)
        }
    }

    @Test("refresh tokens outlive a session that ends by time, and end after 90 days in all")
    func lifetime() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid offline_access"]), as: deployment.client)
            var refresh = try #require(reply.json()["refresh_token"]?.text)
            for _ in 0..<3 {
                deployment.clock.advance(by: .days(29))
                let next = try await deployment.oidcRefresh(refresh, as: deployment.client)
                #expect(next.status == 200, "\(next.text)")
                refresh = try next.json()["refresh_token"]?.text ?? ""
            }
            deployment.clock.advance(by: .days(3))
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 400, "90 days")
        }
    }

    @Test("revoke and introspect: only its own tokens, only with the right")
    func revoke() async throws {
        try await TestDeployment.openWithOIDC(clients: 2, keys: ["access: everyone, introspect: true"]) { deployment in
            let (client, other) = (deployment.clients[0], deployment.clients[1])
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid email offline_access"]), as: client)
            let access = try #require(reply.json()["access_token"]?.text)
            let refresh = try #require(reply.json()["refresh_token"]?.text)
            let state = try await deployment.oidcPost(OIDCPath.introspect, [("token", access)], as: client)
            let json = try state.json()
            #expect(json["active"] == true && json["client_id"]?.text == client.id && json["username"]?.text == "ann")
            #expect(json["scope"]?.text == "openid email offline_access" && json["token_type"]?.text == "Bearer")
            #expect(json["email"]?.text == "ann@example.com", "mail servers name their users by it")
            let plain = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid profile", "state": "t"]), as: client)
            let bare = try #require(plain.json()["access_token"]?.text)
            let without = try await deployment.oidcPost(OIDCPath.introspect, [("token", bare)], as: client).json()
            #expect(without["active"] == true && without["email"] == nil, "only with the scope email")
            #expect(
                try await deployment.oidcPost(OIDCPath.introspect, [("token", refresh)], as: client).json()
                    == ["active": false])
            let refused = try await deployment.oidcPost(OIDCPath.introspect, [("token", access)], as: other)
            #expect(refused.status == 403)
            #expect(try refused.json()["error"]?.text == "unauthorized_client")
            let long = "soa_" + String(repeating: "A", count: 3000)
            #expect(
                try await deployment.oidcPost(OIDCPath.introspect, [("token", long)], as: client).json()
                    == ["active": false])
            for (token, by) in [(access, other), (refresh, other), ("soa_unknown", client), (long, client)] {
                #expect(try await deployment.oidcPost(OIDCPath.revoke, [("token", token)], as: by).status == 200)
            }
            #expect(try await deployment.oidcUserInfo(access).status == 200, "another client's token: no effect")
            #expect(try await deployment.oidcPost(OIDCPath.revoke, [("token", refresh)], as: client).status == 200)
            #expect(try await deployment.oidcUserInfo(access).status == 401, "a refresh token ends its family")
            #expect(
                try await deployment.oidcPost(OIDCPath.introspect, [("token", access)], as: client).json()
                    == ["active": false])
        }
    }

    @Test("pages of registered origins may call the token endpoint, and no others; no answer allows credentials")
    func origins() async throws {
        try await TestDeployment.openWithOIDC(more: "origins: [\"https://app.example\"]") { deployment in
            for (origin, isAllowed) in [
                ("https://app.example", true), ("https://evil.example", false), ("null", false),
            ] {
                for path in [OIDCPath.token, OIDCPath.userInfo, OIDCPath.revoke] {
                    let reply = try await deployment.oidcProbe.send(
                        "OPTIONS", path,
                        [
                            ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                            ("Access-Control-Request-Headers", "authorization,traceparent"),
                        ])
                    #expect(reply.status == 204)
                    #expect(reply.header("access-control-allow-origin") == (isAllowed ? origin : nil))
                    #expect(
                        reply.header("access-control-allow-headers") == (isAllowed ? "authorization, traceparent" : nil)
                    )
                    #expect(reply.header("access-control-allow-credentials") == nil)
                    #expect(reply.header("vary") == "Origin, Access-Control-Request-Headers")
                }
                let refused = try await deployment.oidcProbe.get(
                    OIDCPath.userInfo, [("Origin", origin), ("Authorization", "Bearer soa_x")])
                #expect(refused.status == 401 && refused.header("vary") == "Origin")
                #expect(refused.header("access-control-allow-origin") == (isAllowed ? origin : nil))
                #expect(
                    refused.header("access-control-expose-headers") == (isAllowed ? "WWW-Authenticate" : nil),
                    "the page may read why its token is refused")
                // For servers alone.
                let asked = try await deployment.oidcProbe.send(
                    "OPTIONS", OIDCPath.introspect, [("Origin", origin), ("Access-Control-Request-Method", "POST")])
                #expect(asked.status == 405 && asked.header("access-control-allow-origin") == nil)
            }
        }
    }

    @Test("pages of any origin may read the metadata and the keys, with every header that they ask for")
    func openOrigins() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            for path in [OIDCPath.discovery, OIDCPath.serverMetadata, OIDCPath.keys] {
                for (asked, allowed) in [
                    ("mcp-protocol-version", "mcp-protocol-version"),
                    ("X-B3-TraceId,  traceparent", "X-B3-TraceId, traceparent"),
                    ("a b, ok, :authority", "ok"),
                ] {
                    let reply = try await deployment.oidcProbe.send(
                        "OPTIONS", path,
                        [
                            ("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET"),
                            ("Access-Control-Request-Headers", asked),
                        ])
                    #expect(reply.status == 204 && reply.header("access-control-allow-origin") == "*")
                    #expect(reply.header("access-control-allow-headers") == allowed)
                    #expect(reply.header("access-control-allow-methods") == "GET, HEAD")
                    #expect(reply.header("access-control-allow-credentials") == nil)
                }
            }
        }
    }

    @Test("a preflight repeats at most 32 names of headers, of at most 64 characters each")
    func preflightBounds() {
        let names = (0..<40).map { "x-\($0)" }
        #expect(Preflight.names(in: [names.joined(separator: ",")]) == Array(names.prefix(32)))
        #expect(Preflight.names(in: ["a, b", "c"]) == ["a", "b", "c"])
        let longest = String(repeating: "x", count: 64)
        #expect(Preflight.names(in: [longest + "," + longest + "x"]) == [longest])
        for text in ["", " ", ",", "a\r\nb", "a b", "ä", "a:b", "\"a\"", "(a)"] {
            #expect(Preflight.names(in: [text]) == [])
        }
    }
}
