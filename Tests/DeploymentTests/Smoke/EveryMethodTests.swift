import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPOIDC
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit

/// One login for each method and client protocol. `.ci/run` also runs it with the programs of a release build.
@Suite("Every method at every client protocol", .smoke)
struct EveryMethodTests {
    enum Method: String, CaseIterable, Sendable { case code, link, reply, provider }

    private static func deployment(_ standIn: StandInProvider) throws -> ProcessDeployment {
        // Two clients are in a file, where they can have OpenID Connect.
        let pair = try ProcessDeployment(clients: 2, settings: ReplySettings.all)
        let keys = "    access: everyone\n    protocols: [sso, oidc]\n    scopes: [openid, email, offline_access]\n"
        let file = pair.folder.text(of: "clients.yaml").replacing("    access: everyone\n", with: keys)
        _ = try pair.folder.write(file, to: "clients.yaml")
        let providers = try pair.folder.write(
            StandInProvider.file([standIn.yaml(id: "work")]), to: "providers.yaml")
        pair.idp.set("IDP_PROVIDERS_FILE", to: providers)
        return pair
    }

    @Test("signs in, and the client gets the user's address", arguments: Method.allCases)
    func login(method: Method) async throws {
        let standIn = try await StandInProvider.start(.oidc, clock: .system())
        try await ProcessDeployment.running(Self.deployment(standIn)) { pair in
            let (sso, oidc) = (Browser(), Browser())
            let complete = try await Self.signIn(
                method, sso, as: "ann@example.com", on: sso.beginSignIn(at: pair.client), pair, standIn)
            let home = try await sso.follow(sso.get(complete.callback()))
            #expect(home.status == 200 && home.text.contains("ann@example.com"))
            #expect(try await sso.isSignedIn(at: pair.client))

            let fields = [
                ("client_id", pair.client.id), ("redirect_uri", pair.client.callback), ("response_type", "code"),
                ("scope", "openid email offline_access"), ("state", "a"), ("nonce", "b"),
            ]
            let form = try await oidc.follow(
                oidc.get("\(pair.origin)\(OIDCPath.authorize)?\(FormCoding.encode(fields))"))
            // Another user: one address gets an email a minute.
            _ = try await Self.signIn(method, oidc, as: "ben@example.com", on: form, pair, standIn)
            let fault = try await oidc.openIDLogin(at: pair.client, of: pair, by: pair.idp, state: "c")
            #expect(fault == nil)
            #expect(standIn.problems == [])
        }
        standIn.stop()
    }

    /// - Returns: the completion page.
    private static func signIn(
        _ method: Method, _ browser: Browser, as address: String, on form: Visit, _ pair: ProcessDeployment,
        _ standIn: StandInProvider
    ) async throws -> Visit {
        switch method {
        case .code:
            let earlier = pair.mailbox.all(to: address).count
            let waiting = try await browser.ask(for: address, on: form)
            return try await browser.enter(pair.mailbox.code(to: address, count: earlier + 1), on: waiting)
        case .link:
            return try await browser.askForLink(address, of: pair, on: form).signIn()
        case .reply:
            let pending = try await pair.awaitingReply(address, by: browser, on: form)
            let delivered = try await pair.deliverMail(pending.message().bytes)
            #expect(delivered.log.contains("reply_accepted"), "\(delivered.output)")
            return try await browser.follow(pending.proceed())
        case .provider:
            return try await browser.follow(browser.bring(standIn.visit(from: form, in: browser)))
        }
    }
}
