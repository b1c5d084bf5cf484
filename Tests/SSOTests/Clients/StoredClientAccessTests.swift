import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("What a change of a client means for users and messages", .program)
struct StoredClientAccessTests {
    /// A client of the database that takes messages, with Ann, who is in `finance`, and Ben signed in there.
    private static func open(
        _ body: (TestDeployment, StandInClient, AddedClient, _ ann: VerifyReply, _ ben: VerifyReply) async throws ->
            Void
    ) async throws {
        try await TestDeployment.open { deployment in
            let (client, other) = (AddedClient(), AddedClient("other"))
            let stub = try StandInClient()
            try await deployment.add(client, ["logout_uri": .text(stub.logoutURI)])
            try await deployment.add(other, ["logout_uri": .text(stub.logoutURI)])
            let (ann, ben) = (
                try await deployment.furtherBrowser(), try await deployment.furtherBrowser(of: "ben@example.com")
            )
            try await deployment.makeGroups(["finance"], members: ["ann@example.com"])
            _ = try await deployment.enter(other, in: ben)
            try await body(
                deployment, stub, client, try await deployment.enter(client, in: ann),
                try await deployment.enter(client, in: ben))
        }
    }

    @Test("a narrower rule tells the client of those who have lost access, of nobody else, and at no other client")
    func narrowed() async throws {
        try await Self.open { deployment, stub, client, ann, ben in
            try await deployment.make(
                SetClient(
                    client.id, ["access": nil, "groups": .list(["finance"])], logo: nil, deployment.registrar))
            #expect(try await stub.received(1).map(\.message.user) == [ben.user.id])
            let ended = try await deployment.auditRows(.sessionEnded)
            #expect(ended.map(\.client) == [client.id] && ended.map(\.account) == [ben.user.id])
            let asked = try await deployment.ask(ann.session.id, of: ann.user.id, as: client)
            #expect(asked.text.contains(#""active":true"#))
            let gone = try await deployment.ask(ben.session.id, of: ben.user.id, as: client)
            #expect(gone.text.contains(#""reason":"no_access""#))
            // A change that says the same again tells nobody.
            try await deployment.make(
                SetClient(client.id, ["name": .text("Team wiki")], logo: nil, deployment.registrar))
            #expect(try await deployment.auditRows(.sessionEnded).count == 1)
        }
    }

    @Test("a client that is disabled is still told that its users' sessions have ended, and may ask nothing any more")
    func disabled() async throws {
        try await Self.open { deployment, stub, client, ann, ben in
            try await deployment.make(EnableClient(client.id, false, deployment.registrar))
            let told = try await stub.received(2).map(\.message)
            #expect(
                Set(told.map(\.user)) == [ann.user.id, ben.user.id] && told.allSatisfy { $0.clientID == client.id })
            #expect(try await deployment.ask(ann.session.id, of: ann.user.id, as: client).status == 401)
        }
    }

    @Test(
        "a user whose session has expired loses the sign-in at a client that is disabled: it is told, and refresh tokens stay refused when it is enabled again"
    )
    func disabledAfterExpiry() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let added = AddedClient()
            try await deployment.add(
                added, ["protocols": .list(["oidc"]), "scopes": .list(["openid", "offline_access"])])
            let client = TestDeployment.Client(
                id: added.id, name: added.name, secret: added.secret, origin: added.origin, port: deployment.port,
                database: deployment.database, build: nil)
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(browser, client, ["scope": "openid offline_access"])
            let reply = try await deployment.oidcToken(code, as: client)
            let (first, user) = (try reply.json()["refresh_token"]?.text, try reply.idTokenClaims()["sub"]?.text)
            try await deployment.stored.sessions.delete()
            _ = try await ClientSignInPurge(database: deployment.database, clock: deployment.clock.clock)
                .purge(limit: 100)
            #expect(try await deployment.stored.clientSignIns.ended("expired").count() == 1)
            // The client's own session may go on.
            let second = try await deployment.oidcRefresh(try #require(first), as: client)
            let refresh = try #require(second.json()["refresh_token"]?.text)

            try await deployment.make(EnableClient(client.id, false, deployment.registrar))
            #expect(try await deployment.stored.clientSignIns.ended("no_access").count() == 1)
            let ended = try await deployment.auditRows(.sessionEnded)
            #expect(ended.map(\.client) == [client.id] && ended.map(\.account) == [user])
            #expect(try await deployment.auditRows(.signOutQueued).map(\.client) == [client.id])
            try await deployment.make(EnableClient(client.id, true, deployment.registrar))
            let refused = try await deployment.oidcRefresh(refresh, as: client)
            #expect(refused.status == 400 && refused.text.contains("invalid_grant"), "\(refused.text)")
        }
    }

    @Test("messages are signed with the secret that the client used last, also where it used it for a question")
    func lastUsed() async throws {
        try await Self.open { deployment, stub, client, ann, ben in
            let new = try await deployment.rotate(client)
            let store = SignOutSecrets(deployment)
            #expect(try await store.fingerprint(of: client) == client.fingerprint)
            // Also within the minute in which no use of the same secret is written again.
            for used in [new, client, new, client] {
                deployment.clock.advance(by: .seconds(1))
                #expect(try await deployment.ask(ann.session.id, of: ann.user.id, as: used).status == 200)
                try await eventually("the use is noted") {
                    try await store.fingerprint(of: client) == used.fingerprint ? () : nil
                }
            }
            try await deployment.make(EnableClient(client.id, false, deployment.registrar))
            let messages = try await stub.received(2)
            #expect(try messages.allSatisfy { try $0.isSigned(by: client.secret) })
        }
    }

    @Test("a question signed with a secret that was retired is refused at once")
    func retired() async throws {
        try await Self.open { deployment, _, client, ann, _ in
            let new = try await deployment.rotate(client)
            #expect(try await deployment.ask(ann.session.id, of: ann.user.id, as: client).status == 200)
            try await deployment.make(RetireSecret(client.id, isForced: true, deployment.registrar))
            #expect(try await deployment.ask(ann.session.id, of: ann.user.id, as: client).status == 401)
            #expect(try await deployment.ask(ann.session.id, of: ann.user.id, as: new).status == 200)
        }
    }

    @Test("a rule of the file that became narrower while the program was stopped is enforced at the start")
    func start() async throws {
        try await Self.open { deployment, stub, client, _, ben in
            // As a start finds it: the rule of today, and sign-ins of before.
            var narrowed = try #require(
                try await deployment.database.read { try ClientView.all(file: ClientRegistry([]), $0) }
                    .map(\.client).first { $0.id == client.id })
            narrowed.access = .groups(["finance"])
            let review = AccessReview(
                database: deployment.database, audit: deployment.audit,
                signOuts: SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness()),
                logger: deployment.log.logger("idp"))
            await review.enforce([narrowed])
            #expect(try await stub.received(1).map(\.message.user) == [ben.user.id])
            await review.enforce([narrowed])
            #expect(try await deployment.auditRows(.sessionEnded).count == 1)
        }
    }

    /// Which secret a message to a client would be signed with now.
    private struct SignOutSecrets {
        let deployment: TestDeployment
        init(_ deployment: TestDeployment) { self.deployment = deployment }

        func fingerprint(of client: AddedClient) async throws -> String? {
            let settings = deployment.idp
            let clients = ClientDirectory(
                settings.clients,
                stored: StoredClients(
                    database: deployment.database, keys: settings.keys, randomness: SystemRandomness(),
                    clock: deployment.clock.clock), logger: deployment.log.logger("idp"))
            return try await deployment.database.read { try clients.recipient(client.id, $0) }?.secret?.fingerprint
        }
    }
}
