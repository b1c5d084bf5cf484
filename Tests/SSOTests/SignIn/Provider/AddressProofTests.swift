import ProbeKit
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The word of a provider on an address is enough only for the domains that it owns. Any other address is proven by one
/// code, before the first session and the first token.
@Suite("The proof of an address that a provider names", .program, .alsoOnPostgres)
struct AddressProofTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: Provider.Kind
        let address: String
        var owned: [String] = []
        /// The claim of Google.
        var hostedDomain: String?
        let isAsked: Bool

        var testDescription: String {
            let domain = hostedDomain.map { ", hd \($0)" } ?? ""
            return "\(kind.rawValue) owns \(owned), \(address)\(domain): \(isAsked ? "asked" : "not asked")"
        }
    }

    static let rows: [Row] = [
        Row(kind: .oidc, address: "ann@example.com", isAsked: true),
        Row(kind: .oidc, address: "ann@example.com", owned: ["example.com"], isAsked: false),
        Row(kind: .oidc, address: "ann@example.com", owned: ["a.test", "example.com"], isAsked: false),
        Row(kind: .oidc, address: "ann@sub.example.com", owned: ["example.com"], isAsked: true),
        Row(kind: .oidc, address: "ann@example.com", owned: ["sub.example.com"], isAsked: true),
        Row(kind: .oidc, address: "ann@anexample.com", owned: ["example.com"], isAsked: true),
        Row(kind: .oidc, address: "ann@gmail.com", isAsked: true),
        Row(kind: .oidc, address: "ann@privaterelay.appleid.com", isAsked: true),
        Row(kind: .oidc, address: "ann@example.com", hostedDomain: "example.com", isAsked: true),
        Row(kind: .microsoft, address: "ann@example.com", isAsked: true),
        Row(kind: .microsoft, address: "ann@example.com", owned: ["example.com"], isAsked: false),
        Row(kind: .github, address: "ann@example.com", isAsked: true),
        Row(kind: .google, address: "ann@example.com", isAsked: true),
        Row(kind: .google, address: "ann@gmail.com", isAsked: false),
        Row(kind: .google, address: "ann@googlemail.com", owned: ["example.com"], isAsked: false),
        Row(kind: .google, address: "ann@example.com", hostedDomain: "Example.com", isAsked: false),
        Row(kind: .google, address: "ann@example.com", hostedDomain: "anexample.com", isAsked: true),
        Row(kind: .google, address: "ann@example.com", hostedDomain: "", isAsked: true),
        Row(kind: .apple, address: "ann@example.com", isAsked: true),
        Row(kind: .apple, address: "x7@privaterelay.appleid.com", isAsked: false),
    ]

    private static let allowed = [
        "IDP_ALLOWED_EMAILS":
            "*@example.com, *@sub.example.com, *@anexample.com, *@gmail.com, *@googlemail.com, "
            + "*@privaterelay.appleid.com"
    ]

    /// From the page that asks for the proof to the end of the sign-in.
    private static func prove(
        _ page: Visit, in browser: Browser, as address: String, _ deployment: TestDeployment
    ) async throws -> Visit {
        let earlier = deployment.mailbox.all(to: address)
        let waiting = try await browser.follow(browser.submit(page.page().form(to: "/sign-in"), on: page))
        return try await browser.follow(
            browser.enter(deployment.mailbox.code(to: address, besides: earlier), on: waiting))
    }

    @Test("a new account is asked for one code unless the provider owns the domain; never again", arguments: rows)
    func newAccount(row: Row) async throws {
        try await ProviderDeployment.open([row.kind], owning: row.owned, settings: Self.allowed) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let standIn = try place.standIn(row.kind)
            standIn.user.email = row.address
            if let domain = row.hostedDomain { standIn.claims { $0["hd"] = .string(domain) } }
            var end = try await place.signIn(row.kind, in: browser)
            if row.isAsked {
                #expect(end.status == 200 && end.address.path == "/sign-in/known-address" && !end.text.contains("sst_"))
                #expect(end.text.contains(row.address) && end.text.contains("Provider \(row.kind.testID)"))
                #expect(try await deployment.rows(of: "account") == 0)
                #expect(try await deployment.signedInSessions() == 0)
                end = try await Self.prove(end, in: browser, as: row.address, deployment)
                #expect(deployment.events("identity_linked") == 1)
            }
            let first = try await deployment.redeem(end, as: place.client)
            #expect(first.methods == [row.isAsked ? "email_code" : row.kind.testMethod])
            #expect(first.email == row.address)
            let name = try JSONDecoding.value(first.reply.body)["user"]?["name"]?.text
            #expect(name == "Ann Example", "the name of the provider")

            let next = try await deployment.redeem(
                place.signIn(row.kind, in: deployment.browser(), state: "next"), as: place.client)
            #expect(next.methods == [row.kind.testMethod])
            #expect(try await deployment.rows(of: "account") == 1)
            #expect(try await deployment.rows(of: "account_identity") == (row.isAsked ? 2 : 1))
            #expect(standIn.problems.isEmpty)
        }
    }

    /// An account that was made by the word of a provider alone.
    private static func unproven(
        _ place: ProviderDeployment, subject: String = "10021", address: String = "ann@example.com"
    ) async throws {
        try await place.deployment.stored.accounts.add(AddedAccount("usr_old", address, name: "Old Name"))
        try await place.deployment.stored.identities.add(
            AddedIdentity("usr_old", at: try place.standIn(.oidc).issuer, subject, provider: "work", address: address))
    }

    @Test("an account that nobody has proven is asked for one code, and keeps id, name and identity")
    func unprovenAccount() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            try await Self.unproven(place)
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await place.signIn(.oidc, in: browser)
            #expect(page.address.path == "/sign-in/known-address")
            #expect(try page.page().link(containing: "/sign-in/cancel?") != nil && page.text.contains("to continue to"))
            #expect(try await deployment.signedInSessions() == 0)
            #expect(try await deployment.rows(of: "sso_token") == 0)
            let end = try await Self.prove(page, in: browser, as: "ann@example.com", deployment)
            let redeemed = try await deployment.redeem(end, as: place.client)
            let user = try JSONDecoding.value(redeemed.reply.body)["user"]
            #expect(user?["id"]?.text == "usr_old" && user?["name"]?.text == "Old Name")
            #expect(deployment.events("identity_revoked") == 0)
            #expect(try await deployment.rows(of: "account_identity") == 2)
            let next = try await place.signIn(.oidc, in: deployment.browser(), state: "next")
            #expect(try await deployment.redeem(next, as: place.client).methods == ["oidc:work"])
        }
    }

    @Test("the address to prove is that of the account, whatever address the provider names now")
    func addressOfAccount() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            try await Self.unproven(place, address: "ben@example.com")
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await place.signIn(.oidc, in: browser)
            #expect(page.address.path == "/sign-in/known-address" && page.text.contains("ben@example.com"))
            let end = try await Self.prove(page, in: browser, as: "ben@example.com", deployment)
            #expect(try await deployment.redeem(end, as: place.client).email == "ben@example.com")
        }
    }

    @Test("the owner of the domain opens an account of its own, also after it has renamed its user")
    func ownedAccount() async throws {
        try await ProviderDeployment.open(owning: ["example.com"]) { place in
            try await Self.unproven(place)
            let deployment = place.deployment
            let first = try await place.signIn(.oidc, in: deployment.browser())
            #expect(try await deployment.redeem(first, as: place.client).methods == ["oidc:work"])
            let standIn = try place.standIn(.oidc)
            for address in ["anna@example.com", nil] {
                standIn.user.email = address
                let again = try await place.signIn(.oidc, in: deployment.browser(), state: "\(address ?? "-")")
                #expect(try await deployment.redeem(again, as: place.client).email == "ann@example.com")
            }
            // Another user of the same provider, who was linked to it while nobody had proven it.
            standIn.user = .init(subject: "666", email: "mallory@example.com")
            try await deployment.stored.identities.add(
                AddedIdentity(
                    "usr_old", at: standIn.issuer, "666", provider: "work", address: "mallory@example.com",
                    createdAt: Timestamp(milliseconds: 2)))
            let attacker = try await place.signIn(.oidc, in: deployment.browser(), state: "mallory")
            #expect(attacker.address.path == "/sign-in/known-address" && attacker.text.contains("ann@example.com"))
        }
    }

    @Test("an account whose mailbox was proven once opens to what its user has linked, without another code")
    func provenAccount() async throws {
        try await ProviderDeployment.open([.oidc, .google], owning: []) { place in
            _ = try await place.owner(adding: .oidc, .google)
            for kind in [Provider.Kind.oidc, .google] {
                let end = try await place.signIn(kind, in: place.deployment.browser(), state: kind.rawValue)
                #expect(try await place.deployment.redeem(end, as: place.client).methods == [kind.testMethod])
            }
        }
    }

    @Test("an app gets no code before the proof, and its user is new after it")
    func handoff() async throws {
        try await ProviderDeployment.open(owning: [], settings: HandoffApp.settings) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let app = try deployment.app()
            let leaving = try await app.begin(with: "work", in: browser)
            let standIn = try place.standIn(.oidc)
            let page = try await browser.follow(
                browser.bring(standIn.answer(to: standIn.authorizationURL(on: leaving))))
            #expect(page.address.path == "/sign-in/known-address" && !page.text.contains("shc_"))
            let flow = page.address.query("flow") ?? ""
            let early = try await browser.follow(
                browser.get("\(deployment.origin)/auth/native/complete?flow=\(flow)"))
            #expect(!early.text.contains("shc_"))
            let again = try await browser.get("\(deployment.origin)/sign-in/known-address?flow=\(flow)")
            let back =
                again.status == 200
                ? again
                : try await browser.follow(
                    browser.bring(standIn.answer(to: standIn.authorizationURL(on: early))))
            let done = try await Self.prove(back, in: browser, as: "ann@example.com", deployment)
            #expect(try done.appCallback().hasSuffix("&new_user=true"))
            #expect(try await app.present(done.handoffCode(), in: deployment.webView()).status == 303)
        }
    }

    @Test("the sign-in of an app's native screens adds nothing that waits in the session of its cookie")
    func nativeScreens() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await place.signIn(.oidc, in: browser)
            #expect(page.address.path == "/sign-in/known-address")
            _ = try await browser.submit(page.page().form(to: "/sign-in"), on: page)
            // So that the app does not take its code for its own.
            _ = try await deployment.mailbox.email(to: "ann@example.com")
            let app = deployment.jsonApp()
            app.setCookie("idp_session", to: browser.cookie("idp_session", at: "localhost"))
            deployment.clock.advance(by: .minutes(1))
            try await deployment.signIn(app, as: "ann@example.com")
            #expect(
                try await browser.get(deployment.origin + "/").page().form(to: "/sign-out") == nil, "it was replaced")
            #expect(try await place.externalIdentities() == 0)
        }
    }

    @Test("an attacker's provider gets no token for the victim's address, before and after the victim's first sign-in")
    func preHijacking() async throws {
        try await ProviderDeployment.open(owning: [], clients: 2) { place in
            let (deployment, attacker) = (place.deployment, place.deployment.browser())
            let standIn = try place.standIn(.oidc)
            func attack(_ state: String) async throws {
                standIn.user = .init(
                    subject: "666", email: "victim@example.com", name: "Mallory", authTime: deployment.clock.now)
                for client in deployment.clients {
                    let start = try await attacker.follow(attacker.get(deployment.authorize(client, state: state)))
                    let page = try await attacker.follow(
                        attacker.bring(standIn.visit(from: start, in: attacker)))
                    #expect(page.address.path == "/sign-in/known-address")
                    let flow = page.address.query("flow") ?? ""
                    let end = try await attacker.follow(
                        attacker.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flow)"))
                    #expect(!end.text.contains("sst_"))
                }
                #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
            }
            try await attack("before")
            #expect(try await deployment.rows(of: "sso_token") == 0)
            #expect(try await deployment.rows(of: "account") == 0)

            let victim = try await deployment.signedIn(as: "victim@example.com")
            let tokens = try await deployment.rows(of: "sso_token")
            try await attack("after")
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(try await place.externalIdentities() == 0)
            #expect(try await victim.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("an account that an attacker has made by the word of a provider alone opens to its owner alone")
    func attackersAccount() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            try await Self.unproven(place, subject: "666")
            let deployment = place.deployment
            try place.standIn(.oidc).user = .init(subject: "666", email: "ann@example.com")
            let page = try await place.signIn(.oidc, in: deployment.browser())
            #expect(page.address.path == "/sign-in/known-address")
            _ = try await deployment.signedIn()
            #expect(deployment.events("identity_revoked", reason: "address_proven") == 1)
            #expect(try await place.externalIdentities() == 0)
        }
    }
}
