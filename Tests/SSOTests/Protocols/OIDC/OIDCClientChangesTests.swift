import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What a client may do with its tokens after an operator has changed it, and what keeps its secrets.
@Suite("OpenID Connect: a changed client", .program)
struct OIDCClientChangesTests {
    private static let keys: [String: ClientEntry.Value] = [
        "protocols": .list(["oidc"]), "scopes": .list(["openid", "offline_access"]), "introspect": .text("true"),
    ]

    /// Client, access token and refresh token of a user who has signed in there.
    private static func open(
        _ body: (TestDeployment, AddedClient, (access: String, refresh: String)) async throws -> Void
    ) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let added = AddedClient()
            try await deployment.add(added, keys)
            let client = oidc(added, deployment)
            let code = try await deployment.oidcCode(
                try await deployment.signedIn(), client, ["scope": "openid offline_access"])
            let reply = try await deployment.oidcToken(code, as: client).json()
            let tokens = (
                access: try #require(reply["access_token"]?.text), refresh: try #require(reply["refresh_token"]?.text)
            )
            try await body(deployment, added, tokens)
        }
    }

    private static func oidc(_ added: AddedClient, _ deployment: TestDeployment) -> TestDeployment.Client {
        TestDeployment.Client(
            id: added.id, name: added.name, secret: added.secret, origin: added.origin, port: deployment.port,
            database: deployment.database, build: nil)
    }

    private static func post(
        _ path: String, _ token: String, as client: AddedClient, _ deployment: TestDeployment
    ) async throws -> ProbeReply {
        try await deployment.oidcPost(path, [("token", token)], as: oidc(client, deployment))
    }

    @Test("a secret that was retired revokes nothing and asks about nothing, from the first request on")
    func retired() async throws {
        try await Self.open { deployment, old, tokens in
            let new = try await deployment.rotate(old)
            #expect(try await Self.post(OIDCPath.introspect, tokens.access, as: old, deployment).status == 200)
            #expect(deployment.log.contains("info introspected"))
            try await deployment.make(RetireSecret(old.id, isForced: true, deployment.registrar))
            #expect(try await Self.post(OIDCPath.revoke, tokens.refresh, as: old, deployment).status == 401)
            #expect(try await deployment.oidcUserInfo(tokens.access).status == 200, "nothing was revoked")
            let newest = try await deployment.rotate(new)
            try await deployment.make(RetireSecret(old.id, isForced: true, deployment.registrar))
            let asked = try await Self.post(OIDCPath.introspect, tokens.access, as: new, deployment)
            #expect(asked.status == 401 && !asked.text.contains("active"), "\(asked.text)")
            #expect(!deployment.log.contains("refresh_tokens_ended"))
            #expect(try await Self.post(OIDCPath.revoke, tokens.refresh, as: newest, deployment).status == 200)
            let ended = deployment.log.text.split(separator: "\n").filter { $0.hasPrefix("info refresh_tokens_ended") }
            #expect(ended.count == 1 && ended[0].contains("\"cause\": revoked") && ended[0].contains(old.id))
            #expect(!deployment.log.contains(tokens.refresh))
            #expect(try await deployment.oidcUserInfo(tokens.access).status == 401)
        }
    }

    @Test("a client that may not introspect any more gets no answer, from the first request on")
    func forbidden() async throws {
        try await Self.open { deployment, client, tokens in
            #expect(try await Self.post(OIDCPath.introspect, tokens.access, as: client, deployment).status == 200)
            try await deployment.make(SetClient(client.id, ["introspect": nil], logo: nil, deployment.registrar))
            #expect(try await Self.post(OIDCPath.introspect, tokens.access, as: client, deployment).status == 403)
        }
    }

    @Test("refresh tokens are of no use to a client without the scope offline_access")
    func scope() async throws {
        try await Self.open { deployment, client, tokens in
            try await deployment.make(
                SetClient(client.id, ["scopes": .list(["openid"])], logo: nil, deployment.registrar))
            let refused = try await deployment.oidcRefresh(tokens.refresh, as: Self.oidc(client, deployment))
            #expect(refused.status == 400 && refused.text.contains("unauthorized_client"), "\(refused.text)")
        }
    }

    @Test("tokens end with the protocol that an entry drops, and stay ended when it names the protocol again")
    func droppedProtocol() async throws {
        try await Self.open { deployment, client, tokens in
            let changes: [[String: ClientEntry.Value?]] = [
                ["protocols": .list(["sso"]), "scopes": nil, "introspect": nil],
                ["protocols": .list(["oidc"]), "scopes": Self.keys["scopes"]],
            ]
            for values in changes {
                try await deployment.make(SetClient(client.id, values, logo: nil, deployment.registrar))
            }
            #expect(try await deployment.oidcUserInfo(tokens.access).status == 401)
            let refused = try await deployment.oidcRefresh(tokens.refresh, as: Self.oidc(client, deployment))
            #expect(try refused.status == 400 && refused.json()["error"]?.text == "invalid_grant", "\(refused.text)")
        }
    }

    @Test("to introspect or to revoke is a use: the secret that does so is not taken for one that nobody needs")
    func uses() async throws {
        for path in [OIDCPath.introspect, OIDCPath.revoke] {
            try await Self.open { deployment, old, tokens in
                let new = try await deployment.rotate(old)
                deployment.clock.advance(by: .days(3))
                _ = try await Self.post(path, "soa_unknown", as: old, deployment)
                let now = deployment.clock.now
                try await eventually("the use is noted") {
                    try await deployment.database.read {
                        try ClientStore().uses($0).values.contains { $0.last == now } ? () : nil
                    }
                }
                let early = try await deployment.refusal(
                    of: RetireSecret(old.id, isForced: false, deployment.registrar))
                #expect(early?.contains("--force") == true, "\(path): \(early ?? "retired")")
                let ending = ReplacedSecrets(
                    database: deployment.database, clock: deployment.clock.clock, audit: deployment.audit,
                    logger: deployment.log.logger("idp"))
                deployment.clock.advance(by: .days(7) - .seconds(1))
                #expect(try await ending.end(limit: 10) == 0, "\(path)")
                deployment.clock.advance(by: .seconds(1))
                #expect(try await ending.end(limit: 10) == 1, "\(path)")
                #expect(try await deployment.fingerprints(of: old.id) == [new.fingerprint])
            }
        }
    }

    @Test("a code that was used ends the tokens that it gave, also when another client presents it")
    func stolenCode() async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            let (owner, thief) = (deployment.clients[0], deployment.clients[1])
            let code = try await deployment.oidcCode(try await deployment.signedIn())
            let access = try #require(
                try await deployment.oidcToken(code, as: owner).json()["access_token"]?.text)
            let stolen = try await deployment.oidcToken(code, as: thief, [("redirect_uri", owner.callback)])
            #expect(stolen.status == 400)
            #expect(try await deployment.oidcUserInfo(access).status == 401)
            #expect(deployment.log.text.contains("code_reused"))
        }
    }

    @Test("a code's second use is in the audit log with its account, and so is the end of the refresh tokens it gave")
    func reusedCode() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let code = try await deployment.oidcCode(
                try await deployment.signedIn(), nil, ["scope": "openid offline_access"])
            let account = try await deployment.oidcToken(code, as: deployment.client).idTokenClaims()["sub"]?.text
            #expect(try await deployment.oidcToken(code, as: deployment.client).status == 400)
            #expect(try await deployment.auditRows(.codeReused).map(\.account) == [account])
            let ended = try await deployment.auditRows(.refreshTokensEnded)
            #expect(ended.map(\.cause) == ["code_reused"] && ended.map(\.account) == [account])
        }
    }

    @Test("a refresh and the revocation of an access token are in the audit log, with the account and the client")
    func tokenRows() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let code = try await deployment.oidcCode(
                try await deployment.signedIn(), nil, ["scope": "openid offline_access"])
            let reply = try await deployment.oidcToken(code, as: deployment.client)
            let account = try reply.idTokenClaims()["sub"]?.text
            let refresh = try #require(try reply.json()["refresh_token"]?.text)
            let access = try #require(try reply.json()["access_token"]?.text)
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 200)
            for _ in 1...2 {
                _ = try await deployment.oidcPost(OIDCPath.revoke, [("token", access)], as: deployment.client)
            }
            let rows = try await deployment.auditRows(.tokenRefreshed, .accessTokenRevoked)
            #expect(rows.map(\.event) == ["token_refreshed", "access_token_revoked"])
            #expect(rows.allSatisfy { $0.account == account && $0.client == deployment.client.id })
        }
    }

    @Test("a refresh token that has leaked ends its family, whatever scope is asked with it")
    func leakedWithScope() async throws {
        for isForeign in [true, false] {
            try await TestDeployment.openWithOIDC(clients: 2) { deployment in
                let (owner, thief) = (deployment.clients[0], deployment.clients[1])
                let code = try await deployment.oidcCode(
                    try await deployment.signedIn(), nil, ["scope": "openid offline_access"])
                let first = try #require(
                    try await deployment.oidcToken(code, as: owner).json()["refresh_token"]?.text)
                let tooMuch = try await deployment.oidcRefresh(first, as: owner, scope: "openid groups")
                #expect(try tooMuch.json()["error"]?.text == "invalid_scope", "its owner asks for too much")
                var next = first
                if !isForeign {
                    next = try await deployment.oidcRefresh(first, as: owner).json()["refresh_token"]?.text ?? ""
                    deployment.clock.advance(by: .minutes(1))
                }
                let stolen = try await deployment.oidcRefresh(
                    first, as: isForeign ? thief : owner, scope: "openid groups")
                #expect(try stolen.json()["error"]?.text == "invalid_grant", "\(stolen.text)")
                #expect(try await deployment.oidcRefresh(next, as: owner).status == 400)
                #expect(deployment.log.text.contains("refresh_token_reused"))
            }
        }
    }

    @Test("rotate --now by a machine whose clock is ahead leaves a key that signs at once")
    func rotationAhead() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(browser)
            #expect(try await deployment.oidcToken(code, as: deployment.client).status == 200)
            let ahead = ServiceClock { [clock = deployment.clock] in clock.now + .minutes(5) }
            let box = SigningKeyBox(keys: deployment.keys, randomness: SystemRandomness())
            _ = try await OperatorChanges(deployment.database, by: .program, clock: ahead)
                .make(RotateKeys(box, isAtOnce: true))
            let next = try await deployment.oidcCode(browser, nil, ["state": "x"])
            #expect(try await deployment.oidcToken(next, as: deployment.client).status == 200)
        }
    }
}
