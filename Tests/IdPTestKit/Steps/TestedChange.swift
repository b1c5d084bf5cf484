import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdP
@testable import IdPFlow
@testable import IdPProviders
@testable import TestKit
@testable import WebTestKit

/// Every change that a feature declares, by its id: how a user asks for it, and what it has changed.
enum TestedChange: String, CaseIterable, Sendable {
    case link, unlink
    case sessionEnd = "session_end"
    case otherSessionsEnd = "other_sessions_end"
    /// Of the tests (``GreetingFeature``).
    case greeting = "test_greeting"

    /// Those that wait for a new sign-in when the user's is old.
    static let waiting: [TestedChange] = [.link, .unlink, .greeting]

    /// The change of the tests, and a second factor for accounts whose name says so.
    static let added = AddedFeatures(files: GreetingFeature.added.files, settings: GreetingFeature.added.settings) {
        try GreetingFeature.added.features($0, $1) + PinFactor.adding([PinFactor(mark: pin)]).features($0, $1)
    }

    private static let pin = "with a pin"
    static let confirmPath = "/identities/confirm"

    /// Opens a deployment with everything that can be changed.
    static func open(_ body: (ProviderDeployment) async throws -> Void) async throws {
        try await ProviderDeployment.open([.oidc], adding: added, body)
    }

    /// A browser of a user who can ask for it.
    func user(of place: ProviderDeployment) async throws -> Browser {
        let browser = self == .unlink ? try await place.owner(adding: .oidc) : try await place.owner()
        if self == .sessionEnd || self == .otherSessionsEnd { _ = try await place.deployment.furtherBrowser() }
        return browser
    }

    /// Presses the button that asks for it. Redirects are not followed.
    func ask(in browser: Browser, of place: ProviderDeployment) async throws -> Visit {
        switch self {
        case .link: return try await browser.pressAdd("work", on: browser.home(of: place.deployment))
        case .unlink: return try await browser.pressRemove(on: browser.home(of: place.deployment))
        case .sessionEnd:
            let page = try await browser.get(place.origin + "/sessions")
            // The browser's own is the first one.
            return try await browser.submit(page.page().forms.last { $0.action == "/sessions/end" }, on: page)
        case .otherSessionsEnd:
            let page = try await browser.get(place.origin + "/sessions")
            return try await browser.submit(page.page().form(to: "/sessions/end-others"), on: page)
        case .greeting:
            let page = try await browser.get(place.origin + GreetingFeature.path)
            let form = try page.page().form(to: GreetingFeature.Word.path)
            return try await browser.submit(form, on: page, ["word": "Aloha"])
        }
    }

    /// Goes on where the change leads that was just confirmed.
    func finish(_ confirmed: Visit, in browser: Browser, of place: ProviderDeployment) async throws {
        _ =
            self == .link
            ? try await place.goOn(.oidc, from: confirmed, in: browser) : try await browser.follow(confirmed)
    }

    func isMade(in browser: Browser, of place: ProviderDeployment) async throws -> Bool {
        switch self {
        case .link: return try await place.externalIdentities() == 1
        case .unlink: return try await place.externalIdentities() == 0
        case .sessionEnd, .otherSessionsEnd:
            let page = try await browser.get(place.origin + "/sessions")
            return try page.page().forms.filter { $0.action == "/sessions/end" }.count == 1
        case .greeting: return try await browser.get(place.origin + GreetingFeature.path).text.contains("<h1>Aloha")
        }
    }
}

extension ProviderDeployment {
    /// Signs in again with a code by email on a sign-in page, and with the PIN where it is asked for. Redirects are followed.
    func signInAgainWithPin(
        _ browser: Browser, on page: Visit, as address: String = "ann@example.com"
    ) async throws -> Visit {
        try await deployment.forgetEmails(to: address)
        let next = try await signInAgain(browser, on: page, as: address)
        guard next.address.path == PinFactor.pagePath else { return next }
        return try await browser.follow(browser.typePin(on: next))
    }

    /// Gives every account the second factor.
    func setPin() async throws { try await deployment.execute("UPDATE account SET name = 'Ann with a pin'") }
}
