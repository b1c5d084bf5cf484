@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: The buttons of providers

    private static let buttons = ".providers form.apple button img"

    static let providerButtons: [PageState] = [
        PageState("sign-in-providers", mark: "main:has(.more form.oidc) .or ~ form input[name=email]") { studio in
            try await studio.browser().beginSignIn(at: studio.client)
        },
        PageState(
            "sign-in-providers-error", 422, mark: "form:has([aria-invalid=true]) ~ .or ~ .providers form.google"
        ) { studio in
            let browser = studio.browser()
            let form = try await browser.beginSignIn(at: studio.client)
            return try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann"])
        },
        PageState("sign-in-providers-last", mark: ".providers li:first-child form.github p") { studio in
            try await studio.signInPage(lastUsed: "github")
        },
        PageState("sign-in-providers-email", mark: "form:has(#about-email) ~ .or ~ .providers form.apple") { studio in
            try await studio.signInPage(lastUsed: LastMethodCookie.email)
        },
    ]

    // MARK: On the way to a provider and back

    private static let otherWay = "main a[href^='/sign-in']"

    static let providers: [PageState] = [
        PageState("provider-continue", mark: "#continue") { studio in
            let browser = studio.browser()
            let page = try await browser.beginSignIn(at: studio.client)
            return try await studio.deployment.standIn(.oidc).press(on: page, in: browser)
        },
        PageState("provider-known-address", mark: "form[action='/sign-in'] input[name=email][type=hidden]") { studio in
            _ = try await studio.signedIn()
            return try await studio.comingBack { $0.email = studio.address }
        },
        refused("provider-ended", 400) { studio in
            let browser = studio.browser()
            let answer = try await studio.answer(in: browser)
            studio.deployment.clock.advance(by: .minutes(11))
            return try await browser.bring(answer)
        },
        PageState("provider-other-browser", 400, mark: "main a.button[href^='http']") { studio in
            try await studio.browser().bring(studio.answer(in: studio.browser()))
        },
        refused("provider-failed", 400) { studio in
            let browser = studio.browser()
            return try await browser.bring(studio.answer(in: browser).with(["code": "another"]))
        },
        refused("provider-unavailable", 503) { studio in
            let standIn = try studio.deployment.standIn(.oidc)
            standIn.replace(.token) { _ in .page("Down", "", status: "503 Service Unavailable") }
            defer { standIn.replace(.token, nil) }
            return try await studio.comingBack { _ in }
        },
        refused("provider-faulty", 502) { studio in
            let standIn = try studio.deployment.standIn(.oidc)
            standIn.replace(.token) { _ in .page("Elsewhere", "", status: "302 Found") }
            defer { standIn.replace(.token, nil) }
            return try await studio.comingBack { _ in }
        },
        refused("provider-not-fresh", 403) { studio in
            let standIn = try studio.deployment.standIn(.oidc)
            standIn.claims { $0["auth_time"] = nil }
            defer { standIn.claims(nil) }
            let browser = try await studio.signedIn()
            let asking = studio.deployment.authorize(studio.client, state: "fresh") + "&prompt=login"
            let page = try await browser.follow(browser.get(asking))
            return try await browser.follow(browser.bring(standIn.visit(from: page, in: browser)))
        },
        refused("provider-no-email", 403) { studio in
            try await studio.comingBack { $0.emailVerified = false }
        },
        refused("provider-not-allowed", 403) { studio in
            try await studio.comingBack { $0.email = "\(studio.state)@elsewhere.example" }
        },
    ]

    /// With `new_accounts: false`.
    static let providerNoAccount = refused("provider-no-account", 403) { studio in
        try await studio.comingBack { _ in }
    }

    /// With `IDP_MAIL_URL=none`.
    static let providerNotProven = refused("provider-not-proven", 403) { studio in
        _ = try await studio.deployment.givePasskey(to: studio.address)
        return try await studio.comingBack { $0.email = studio.address }
    }

    private static func refused(
        _ name: String, _ status: Int, _ reach: @escaping @Sendable (PageStudio) async throws -> Visit
    ) -> PageState {
        PageState(name, status, mark: otherWay, reach)
    }
}

extension PageStudio {
    /// The sign-in page in a browser that signed in so before.
    fileprivate func signInPage(lastUsed: String) async throws -> Visit {
        let browser = browser()
        browser.setCookie("idp_last_method", to: lastUsed, at: "localhost")
        return try await browser.beginSignIn(at: client)
    }

    /// What a browser brings back from the stand-in, as a user of this state's own.
    fileprivate func answer(
        in browser: Browser, as change: (inout StandInProvider.User) -> Void = { _ in }
    ) async throws -> StandInAnswer {
        let standIn = try deployment.standIn(.oidc)
        var user = StandInProvider.User(subject: "\(state)-\(language)", email: address)
        change(&user)
        standIn.user = user
        return try await standIn.visit(from: browser.beginSignIn(at: client), in: browser)
    }

    /// The page after the provider's answer.
    fileprivate func comingBack(as change: (inout StandInProvider.User) -> Void) async throws -> Visit {
        let browser = browser()
        return try await browser.follow(browser.bring(answer(in: browser, as: change)))
    }
}
