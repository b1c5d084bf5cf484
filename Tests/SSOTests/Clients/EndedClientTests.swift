import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What a client was issued before it, its addresses or its scopes were taken away.
@Suite("A client that has ended, and what it was issued before", .program)
struct EndedClientTests {
    private static func directory(_ ids: [String], _ deployment: TestDeployment) -> ClientDirectory {
        let clients = deployment.idp.clients.clients.all.filter { ids.contains($0.id) }
        return ClientDirectory(
            ClientSource(ClientRegistry(clients)),
            stored: StoredClients(
                database: deployment.database, keys: deployment.keys, randomness: SystemRandomness(),
                clock: deployment.clock.clock), logger: deployment.log.logger("idp"))
    }

    private static func review(_ deployment: TestDeployment) -> AccessReview {
        AccessReview(
            database: deployment.database, audit: deployment.audit,
            signOuts: SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness()),
            logger: deployment.log.logger("idp"))
    }

    @Test(
        "redeems no token of before after it was disabled and enabled, or removed and added again with another secret")
    func again() async throws {
        for isRemoved in [false, true] {
            try await TestDeployment.open { deployment in
                let old = AddedClient()
                try await deployment.add(old)
                let browser = try await deployment.signedIn()
                let token = try await browser.token(for: old, of: deployment, state: "old")
                try await deployment.make(EnableClient(old.id, false, deployment.registrar))
                var now = old
                if isRemoved {
                    try await deployment.make(RemoveClient(old.id, deployment.registrar))
                    now = AddedClient()
                    try await deployment.add(now)
                } else {
                    try await deployment.make(EnableClient(old.id, true, deployment.registrar))
                }
                #expect(try await deployment.redeem(token, as: now).status == 401, "removed: \(isRemoved)")
                let fresh = try await browser.token(for: now, of: deployment, state: "new")
                #expect(try await deployment.redeem(fresh, as: now).status == 200)
            }
        }
    }

    @Test("that a start does not find any more keeps neither refresh tokens nor grants when it comes back; others do")
    func droppedAtStart() async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            let (stays, goes) = (deployment.clients[0], deployment.clients[1])
            let browser = try await deployment.signedIn()
            var (refresh, codes): ([String], [String]) = ([], [])
            for client in [stays, goes] {
                let code = try await deployment.oidcCode(browser, client, ["scope": "openid offline_access"])
                refresh.append(
                    try #require(try await deployment.oidcToken(code, as: client).json()["refresh_token"]?.text))
                codes.append(try await deployment.oidcCode(browser, client, ["state": "late"]))
            }
            let review = Self.review(deployment)
            await review.enforce(Self.directory([stays.id, goes.id], deployment))
            #expect(try await deployment.auditRows(.sessionEnded).isEmpty, "both are registered")
            await review.enforce(Self.directory([stays.id], deployment))
            let ended = try await deployment.auditRows(.sessionEnded)
            #expect(ended.map(\.client) == [goes.id] && ended.map(\.cause) == ["no_access"])
            #expect(try await deployment.oidcRefresh(refresh[1], as: goes).json()["error"]?.text == "invalid_grant")
            #expect(try await deployment.oidcToken(codes[1], as: goes).status == 400)
            #expect(try await deployment.oidcRefresh(refresh[0], as: stays).status == 200)
            #expect(try await deployment.oidcToken(codes[0], as: stays).status == 200)
        }
    }

    @Test("redeems nothing for an address that was taken out of its entry, also when the address comes back")
    func removedAddress() async throws {
        try await TestDeployment.open { deployment in
            let wiki = AddedClient()
            try await deployment.add(wiki)
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: wiki, of: deployment, state: "s")
            func set(_ uris: [String]) async throws {
                try await deployment.make(
                    SetClient(wiki.id, ["redirect_uris": .list(uris)], logo: nil, deployment.registrar))
            }
            let other = try await browser.token(for: wiki, of: deployment, state: "t")
            try await set(["https://other.example/cb"])
            let refused = try await deployment.redeem(token, as: wiki)
            #expect(refused.status == 401)
            #expect(refused.explanation == "This redirect_uri is no longer registered at the identity provider.")
            #expect(deployment.log.contains("\"cause\": redirect_uri_dropped"))
            try await set([wiki.callback])
            for token in [token, other] { #expect(try await deployment.redeem(token, as: wiki).status == 401) }
            let fresh = try await browser.token(for: wiki, of: deployment, state: "u")
            try await set([wiki.callback, "https://other.example/cb"])
            #expect(try await deployment.redeem(fresh, as: wiki).status == 200, "its address stayed")
        }
    }

    @Test("of the file redeems nothing for an address that a reload did not find, also when the address comes back")
    func removedAddressOfFile() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let tokens = [
                try await browser.token(for: deployment.client, of: deployment, state: "s"),
                try await browser.token(for: deployment.client, of: deployment, state: "t"),
            ]
            let all = deployment.idp.clients.clients.all
            let moved = all.map {
                var client = Client(
                    id: $0.id, name: $0.name, redirectURIs: ["https://other.example/cb"], secrets: $0.secrets)
                client.protocols = $0.protocols
                return client
            }
            await Self.review(deployment).compare(all, with: all)
            #expect(try await deployment.verify(tokens[0], as: deployment.client).status == 200)
            await Self.review(deployment).compare(all, with: moved)
            #expect(try await deployment.verify(tokens[1], as: deployment.client).status == 401)
        }
    }

    @Test("redeems no token of before its user had lost access, also when the user may enter again")
    func accessLost() async throws {
        try await TestDeployment.open { deployment in
            let (wiki, ann) = (AddedClient(), "ann@example.com")
            let (browser, ben) = (
                try await deployment.furtherBrowser(), try await deployment.furtherBrowser(of: "ben@example.com")
            )
            try await deployment.makeGroups(["staff"], members: [ann, "ben@example.com"])
            try await deployment.add(wiki)
            try await deployment.make(
                SetClient(wiki.id, ["access": nil, "groups": .list(["staff"])], logo: nil, deployment.registrar))
            let token = try await browser.token(for: wiki, of: deployment, state: "old")
            let kept = try await ben.token(for: wiki, of: deployment, state: "kept")
            try await deployment.make(LeaveGroup("staff", [ann], file: ClientRegistry([])))
            try await deployment.make(JoinGroup("staff", [ann]))
            #expect(try await deployment.redeem(token, as: wiki).status == 401)
            #expect(try await deployment.redeem(kept, as: wiki).status == 200)
            let fresh = try await browser.token(for: wiki, of: deployment, state: "new")
            #expect(try await deployment.redeem(fresh, as: wiki).status == 200)
        }
    }

    @Test(
        "a code for an address that was taken out is refused, and an access token tells no claim outside the scopes of now"
    )
    func narrowed() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let wiki = AddedClient()
            try await deployment.add(
                wiki,
                [
                    "protocols": .list(["oidc"]), "scopes": .list(["openid", "email"]), "introspect": .text("true"),
                ])
            let client = TestDeployment.Client(
                id: wiki.id, name: wiki.name, secret: wiki.secret, origin: wiki.origin, port: deployment.port,
                database: deployment.database, build: nil)
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(browser, client, ["scope": "openid email"])
            let access = try #require(
                try await deployment.oidcToken(code, as: client).json()["access_token"]?.text)
            #expect(try await deployment.oidcUserInfo(access).text.contains("ann@example.com"))
            let late = try await deployment.oidcCode(browser, client, ["state": "late"])
            try await deployment.make(
                SetClient(
                    wiki.id, ["scopes": .list(["openid"]), "redirect_uris": .list(["https://other.example/cb"])],
                    logo: nil, deployment.registrar))
            let told = try await deployment.oidcUserInfo(access)
            #expect(told.status == 200 && !told.text.contains("ann@example.com"), "\(told.text)")
            let state = try await deployment.oidcPost(OIDCPath.introspect, [("token", access)], as: client)
            #expect(try state.json()["scope"]?.text == "openid", "\(state.text)")
            #expect(try await deployment.oidcToken(late, as: client).status == 400)
        }
    }
}
