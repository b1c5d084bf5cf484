import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ``FrontProtocol``: what holds for a client protocol that answers through the browser alone.
@Suite("A client protocol without grants", .program)
struct FrontProtocolTests {
    private static let address = "ann@example.com"
    private static let keys = "protocols: [sso, front], expose_groups: [finance]"

    private static func open(
        _ keys: [String] = ["access: everyone"], _ body: (TestDeployment) async throws -> Void
    ) async throws {
        try await TestDeployment.open(
            clients: keys.count, keys: keys, clientKeys: Self.keys, adding: FrontProtocol.added, body)
    }

    private static func ask(
        _ client: TestDeployment.Client, _ deployment: TestDeployment, back: String? = nil, silent: Bool = false
    ) -> String {
        let fields = [("app", client.id), ("back", back ?? client.callback), ("nonce", "n-1")]
        return "\(deployment.origin)\(FrontProtocol.askPath)?"
            + FormCoding.encode(fields + (silent ? [("ask", "never")] : []))
    }

    /// Goes on until the browser leaves the identity provider.
    private static func leave(
        _ visit: Visit, in browser: Browser, _ deployment: TestDeployment
    ) async throws -> WebAddress {
        var visit = visit
        while try visit.location().absolute.hasPrefix(deployment.origin) {
            visit = try await browser.get(visit.location())
        }
        return try visit.location()
    }

    /// What the client is told, after a check as the client makes it.
    private static func told(_ address: WebAddress, _ client: TestDeployment.Client) throws -> [String: String] {
        #expect(address.absolute.hasPrefix(client.callback + "?"))
        let told = ["nonce", "email", "session", "groups", "asked"].map { ($0, address.query($0) ?? "") }
        #expect(address.query("sig") == FrontProtocol.signature(of: told, secret: Array(client.secret.utf8)))
        return Dictionary(uniqueKeysWithValues: told)
    }

    @Test("answers after a sign-in, and at once a user who is signed in, with the groups that the client may know")
    func answers() async throws {
        try await Self.open { deployment in
            let (client, browser) = (deployment.client, deployment.browser())
            let form = try await browser.follow(browser.get(Self.ask(client, deployment)))
            let waiting = try await browser.ask(for: Self.address, on: form)
            let code = try await deployment.mailbox.code(to: Self.address, count: 1)
            let entered = try await browser.submit(
                waiting.page().form(with: "code"), on: waiting, ["code": code])
            let first = try Self.told(try await Self.leave(entered, in: browser, deployment), client)
            #expect(first["email"] == Self.address && first["nonce"] == "n-1")
            #expect(first["asked"] == "yes" && first["groups"] == "")
            try await deployment.makeGroups(["finance", "board"], members: [Self.address])
            let again = try await browser.get(Self.ask(client, deployment))
            #expect(again.status == 302)
            // The flow of the sign-in was for this request.
            let second = try Self.told(try again.location(), client)
            #expect(second["session"] == first["session"] && second["groups"] == "finance")
            #expect(try await deployment.rows(of: "sso_token") == 0, "nothing is redeemed")
        }
    }

    @Test(
        "counts the user as signed in at the client, so that the end of the session reaches it and the list of services"
    )
    func signIn() async throws {
        try await Self.open(["access: everyone", "access: everyone"]) { deployment in
            let (client, browser) = (deployment.clients[1], try await deployment.signedIn(as: Self.address))
            let told = try Self.told(try await browser.get(Self.ask(client, deployment)).location(), client)
            let open = deployment.stored.clientSignIns.at(client: client.id).ofKind("front").open
            #expect(try await open.told(told["session"] ?? "").count() == 1)
            #expect(try await deployment.auditRows(.tokenRedeemed).contains { $0.client == client.id })
            try await browser.signOut(of: deployment)
            #expect(try await open.count() == 0)
        }
    }

    @Test("sends nobody who is not signed in, or has no access, or to another address")
    func refusals() async throws {
        try await Self.open(["access: everyone", "groups: [board]"]) { deployment in
            let (client, other) = (deployment.clients[0], deployment.clients[1])
            let silent = try await deployment.browser().get(Self.ask(client, deployment, silent: true))
            #expect(try silent.location().query("no") == "login_required")
            let browser = try await deployment.signedIn(as: Self.address)
            #expect(try await browser.get(Self.ask(other, deployment)).status == 403)
            let refused = try await browser.get(Self.ask(other, deployment, silent: true))
            #expect(try refused.location().query("no") == "access_denied")
            #expect(try refused.location().query("email") == nil)
            let elsewhere = Self.ask(client, deployment, back: client.callback + "/")
            #expect(try await browser.get(elsewhere).status == 400)
            let kinds = try await deployment.stored.clientSignIns.ofKind("front").count()
            #expect(kinds == 0)
        }
    }

    @Test("is not there for a client whose entry does not list it")
    func unlisted() async throws {
        try await TestDeployment.open(adding: FrontProtocol.added) { deployment in
            let browser = try await deployment.signedIn(as: Self.address)
            #expect(try await browser.get(Self.ask(deployment.client, deployment)).status == 400)
        }
    }
}
