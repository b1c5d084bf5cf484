import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPProviders
@testable import TestKit
@testable import WebTestKit

/// One state of one page: its name, how a user gets there, and how to tell that it is this state.
struct PageState: Sendable {
    let name: String
    let status: Int
    /// An element that this state has, as a CSS selector. It does not depend on the language.
    let mark: String
    let reach: @Sendable (PageStudio) async throws -> Visit

    init(
        _ name: String, _ status: Int = 200, mark: String = "main h1",
        _ reach: @escaping @Sendable (PageStudio) async throws -> Visit
    ) {
        (self.name, self.status, self.mark, self.reach) = (name, status, mark, reach)
    }
}

/// What a page state is reached with: a deployment, a language, and an email address of its own.
struct PageStudio: Sendable {
    let deployment: TestDeployment
    let language: String
    let state: String

    var origin: String { deployment.origin }
    var client: TestDeployment.Client { deployment.client }
    var address: String { "\(state)-\(language)@example.com" }

    func browser() -> Browser { deployment.browser(language: language) }

    /// Opens a page of the IdP in a fresh browser.
    func open(_ path: String, _ headers: HTTPProbe.Headers = []) async throws -> Visit {
        try await browser().get(origin + path, headers)
    }

    /// A browser that has asked for a code, on the code page.
    func asking(by browser: Browser? = nil) async throws -> PendingCode {
        try await deployment.asking(address, by: browser ?? self.browser())
    }

    /// The completion page after a sign-in at the client.
    func complete(_ browser: Browser) async throws -> Visit {
        try await browser.signIn(at: client, of: deployment, as: address)
    }

    /// A browser that is signed in at the IdP and at the client.
    func signedIn(by browser: Browser? = nil, named name: String? = nil) async throws -> Browser {
        let browser = browser ?? self.browser()
        let complete = try await complete(browser)
        if let name { _ = try await rename(browser, to: name) }
        _ = try await browser.follow(browser.get(complete.callback()))
        return browser
    }

    /// Sends the form of the home page with another name.
    func rename(_ browser: Browser, to name: String) async throws -> Visit {
        let home = try await browser.get(origin + "/")
        return try await browser.follow(
            browser.submit(home.page().form(to: "/name"), on: home, ["name": name]))
    }

    /// Signs out with the button of a start page.
    func signOut(_ browser: Browser, at start: String) async throws -> Visit {
        let home = try await browser.get(start + "/")
        return try await browser.follow(browser.submit(home.page().form(to: "/sign-out"), on: home))
    }

    /// Sends a form of a page with a form token that is not valid.
    func staleForm(_ start: String, _ field: String, _ browser: Browser) async throws -> Visit {
        let visit = try await browser.get(start)
        return try await browser.submit(
            visit.page().form(with: field), on: visit, ["form_token": "stale", "email": address])
    }
}

/// Every state of every page.
enum PageStates {
    /// The states that are reached with the same settings.
    struct Group: Sendable {
        var clients = 1
        var settings: [String: String] = [:]
        var clientSettings: [String: String] = [:]
        /// Further keys of each client's entry.
        var keys: [String] = []
        /// The stand-ins that are started, and further lines of their entries.
        var providers: [Provider.Kind] = []
        var providerLines: [String] = []
        var states: [PageState]

        /// With those states alone whose name begins so; nil without one.
        func beginning(_ text: String) -> Group? {
            var group = self
            group.states = states.filter { $0.name.hasPrefix(text) }
            return group.states.isEmpty ? nil : group
        }

        func open(_ body: (TestDeployment) async throws -> Void) async throws {
            guard providers.isEmpty else {
                return try await ProviderDeployment.open(
                    providers, lines: providerLines, clients: clients, settings: settings
                ) { try await body($0.deployment) }
            }
            try await TestDeployment.open(
                clients: clients, keys: keys, settings: settings, clientSettings: clientSettings, body)
        }
    }

    static let languages = ["en", "de"]

    /// - Parameter folder: for files that settings name.
    static func all(in folder: TemporaryFolder) throws -> [Group] {
        [
            Group(clients: 2, settings: association, states: idp + relyingParty + sessions),
            Group(clients: 3, keys: accessKeys, states: access),
            Group(keys: openIDKeys, states: openID),
            Group(settings: ReplySettings.all, states: replies + [appKeysNoService]),
            Group(settings: gateSettings, states: appKeys + gate),
            Group(settings: TestDeployment.ownAccount, states: ownAccount),
            Group(settings: HandoffApp.settings, states: handoff),
            Group(settings: try providers(in: folder), states: identities),
            Group(settings: try UnvisitedProviders.settings(in: folder), states: providerButtons),
            Group(providers: [.oidc], states: providers),
            Group(settings: HandoffApp.settings, providers: [.oidc], states: appIdentities),
            Group(providers: [.oidc], providerLines: ["new_accounts: false"], states: [providerNoAccount]),
            Group(settings: ["IDP_MAIL_URL": "none"], providers: [.oidc], states: [providerNotProven]),
            Group(
                settings: try brand(folder).merging(rightToLeftClient(folder)) { $1 },
                clientSettings: rightToLeft, states: branded),
            Group(
                settings: ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_EMAIL_POSTS": "1"], states: [rateLimited]),
            Group(settings: ["IDP_MAIL_HOURLY_LIMIT": "1"], states: [held]),
            Group(settings: ["IDP_MAIL_URL": "none"], states: withoutMail),
            Group(settings: HandoffApp.settings.merging(["IDP_MAIL_URL": "none"]) { $1 }, states: [passkeyInApp]),
            Group(
                clientSettings: ["RP_IDP_BACKCHANNEL_URL": "http://127.0.0.1:\(try FreePort.find())"],
                states: [answer("rp-idp-down", 503)]),
            Group(
                clientSettings: ["SSO_SHARED_SECRET": TestSecret.new()],
                states: [answer("rp-not-verified", 502)]),
        ]
    }

    /// Apps for the link tester.
    private static let association = ["IDP_APPLE_APP_IDS": "ABCDE12345.com.example.app"]

    // MARK: Names, logo and colour

    static let rightToLeftName = "שירות הדוגמה"
    static let rightToLeftUser = "ليلى الأحمد"
    private static let rightToLeftSecret = TestSecret.new()
    private static let rightToLeft = [
        "SSO_SHARED_SECRET": rightToLeftSecret, "RP_NAME": rightToLeftName, "RP_IDP_NAME": "חשבון ראשי",
    ]

    private static func rightToLeftClient(_ folder: TemporaryFolder) throws -> [String: String] {
        let file = """
            clients:
              - {id: partner-1, name: \(rightToLeftName), redirect_uris: ["http://127.0.0.2:4100/auth/sso/callback"],
                 secrets: ["\(rightToLeftSecret)"], access: everyone}

            """
        return ["IDP_CLIENTS_FILE": try folder.write(file, to: "clients.yaml")]
    }

    private static func brand(_ folder: TemporaryFolder) throws -> [String: String] {
        let logo = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" rx="8" \
            fill="#7a1fbf"/><circle cx="20" cy="20" r="10" fill="#fff"/></svg>
            """
        return [
            "IDP_NAME": "חשבון ראשי", "IDP_LOGO_FILE": try folder.write(logo, to: "logo.svg"),
            "IDP_ACCENT_COLOR": "#7a1fbf", "IDP_SUPPORT_URL": "https://example.com/help",
            "IDP_PRIVACY_URL": "https://example.com/privacy",
        ]
    }

    /// Names from right to left, a logo, a colour, and links below the card.
    private static let branded: [PageState] = [
        PageState("mailbox-empty", mark: ".notice") { try await $0.open($0.deployment.mailboxPage) },
        PageState("branded-mailbox", mark: "details.message[open]") { studio in
            _ = try await studio.signedIn()
            return try await studio.open(studio.deployment.mailboxPage)
        },
        PageState("branded-visitor", mark: "img.logo") { try await $0.open("/signed-out") },
        PageState("branded-sign-in", mark: ".foot a + a, .foot li + li a") { studio in
            try await studio.browser().beginSignIn(at: studio.client)
        },
        PageState("branded-code", mark: "input[name=code]") { try await $0.asking().waiting },
        PageState("branded-completion", mark: "#continue") { studio in
            let browser = try await studio.signedIn(named: rightToLeftUser)
            return try await browser.get(studio.deployment.authorize(studio.client, state: "again"))
        },
        PageState("branded-home", mark: "form[action='/name']") { studio in
            try await studio.signedIn(named: rightToLeftUser).get(studio.origin + "/")
        },
        PageState("branded-signed-out") { studio in
            try await studio.signOut(studio.signedIn(), at: studio.origin)
        },
        PageState("branded-flow-expired", 410) { try await flowExpired($0) },
        PageState("branded-no-cookie", 403) { try await noCookie($0) },
        PageState("branded-rp-signed-out", mark: "a[href*='/authorize']") { studio in
            try await studio.browser().get(studio.client.origin + "/")
        },
        PageState("branded-rp-signed-in", mark: "form[action='/sign-out']") { studio in
            try await studio.signedIn(named: rightToLeftUser).get(studio.client.origin + "/")
        },
        PageState("branded-rp-account") { studio in
            try await studio.signedIn(named: rightToLeftUser).get(studio.client.origin + "/account")
        },
        PageState("branded-rp-after-sign-out") { studio in
            try await studio.signOut(studio.signedIn(), at: studio.client.origin)
        },
        answer("branded-rp-refused", 400, [("error", "invalid_request")]),
    ]

    // MARK: Answers to the email

    private static let replies: [PageState] = [
        PageState("reply-waiting", mark: "#reply-number") { studio in
            let browser = studio.browser()
            return try await browser.ask(for: studio.address, on: browser.beginSignIn(at: studio.client))
        },
        PageState("reply-wrong-code", 422, mark: "input[name=code][aria-invalid=true]") {
            try await $0.asking().guess("12")
        },
        PageState("signed-in-elsewhere", mark: "main a.button[href^='http']") { studio in
            let browser = studio.browser()
            let form = try await browser.beginSignIn(at: studio.client)
            let complete = try await studio.deployment.awaitingReply(studio.address, by: browser, on: form)
            _ = try await browser.enter(complete.email.code ?? "", on: complete.waiting)
            return try await complete.proceed()
        },
    ]

    // MARK: States in several groups

    private static let rateLimited = PageState("error-rate-limited", 429) { studio in
        let browser = studio.browser()
        for _ in 1...2 { _ = try await studio.deployment.waiting(for: "other@example.com", by: browser) }
        return try await studio.deployment.waiting(for: studio.address, by: browser)
    }

    /// The relying party's page after the callback with some token, or with other fields.
    static func answer(_ name: String, _ status: Int, _ fields: [(String, String)]? = nil) -> PageState {
        PageState(name, status) { studio in
            let browser = studio.browser()
            let state = try await browser.state(at: studio.client)
            return try await browser.comeBack(
                to: studio.client, (fields ?? [("token", Browser.someToken)]) + [("state", state)])
        }
    }

    static func flowExpired(_ studio: PageStudio) async throws -> Visit {
        let browser = studio.browser()
        let flow = try await browser.beginSignIn(at: studio.client).address.query("flow") ?? ""
        studio.deployment.clock.advance(by: .minutes(11))
        return try await browser.get("\(studio.origin)\(SSOPath.complete)?flow=\(flow)")
    }

    static func noCookie(_ studio: PageStudio) async throws -> Visit {
        let form = try await studio.open("/sign-in")
        return try await studio.browser().submit(form.page().form(with: "email"), on: form, ["email": studio.address])
    }
}
