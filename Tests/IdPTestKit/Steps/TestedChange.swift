import ProbeKit
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPProviders
@testable import IdPServer
@testable import TestKit
@testable import WebTestKit

/// Every change that a feature declares, by its id: how a user asks for it, and what it has changed.
enum TestedChange: String, CaseIterable, Sendable {
    case link, unlink
    case sessionEnd = "session_end"
    case otherSessionsEnd = "other_sessions_end"
    case passkeyRename = "passkey_rename"
    case passkeyRemoval = "passkey_remove"
    case appKeyAddition = "app_key_add"
    case appKeyRemoval = "app_key_remove"
    case addressChange = "address_change"
    case dataExport = "data_export"
    case accountErasure = "account_erase"
    /// Of the tests (``GreetingFeature``).
    case greeting = "test_greeting"

    /// Those that wait for a new sign-in when the user's is old.
    static let waiting: [TestedChange] = [
        .link, .unlink, .passkeyRename, .passkeyRemoval, .appKeyAddition, .appKeyRemoval, .addressChange, .dataExport,
        .accountErasure, .greeting,
    ]

    /// The change of the tests, and a second factor for accounts whose name says so.
    static let added = AddedFeatures(files: GreetingFeature.added.files, settings: GreetingFeature.added.settings) {
        try GreetingFeature.added.features($0, $1) + PinFactor.adding([PinFactor(mark: pin)]).features($0, $1)
    }

    /// Those of a user with a passkey, who signs in again with a passkey.
    var needsPasskey: Bool { self == .passkeyRename || self == .passkeyRemoval }

    /// Where its user is led without it.
    var home: String {
        switch self {
        case .link, .unlink, .sessionEnd, .otherSessionsEnd, .dataExport: "/"
        case .addressChange: "/address"
        case .accountErasure: "/erase"
        case .passkeyRename, .passkeyRemoval: Self.passkeys
        case .appKeyAddition, .appKeyRemoval: Self.appKeys
        case .greeting: GreetingFeature.path
        }
    }

    /// The answer to the form that makes it. A key is shown in it, and nothing ever again, and a file is it.
    var answer: Int { self == .appKeyAddition || self == .dataExport ? 200 : 303 }

    private static let passkeys = "/passkeys"
    private static let appKeys = "/app-keys"
    private static let pin = "with a pin"
    static let confirmPath = "/identities/confirm"

    /// Opens a deployment with everything that can be changed.
    static func open(_ body: (ProviderDeployment) async throws -> Void) async throws {
        try await ProviderDeployment.open([.oidc], settings: TestDeployment.ownAccount, adding: added, body)
    }

    /// A browser of a user who can ask for it.
    func user(of place: ProviderDeployment) async throws -> Browser {
        if needsPasskey {
            let (browser, deployment) = (place.deployment.browser(), place.deployment)
            let authenticator = try await deployment.givePasskey(to: "ann@example.com", named: "Phone")
            _ = try await browser.usePasskey(authenticator, on: deployment.signInPage(browser))
            return browser
        }
        if self == .appKeyAddition || self == .appKeyRemoval { try await place.deployment.addAppKeyService() }
        if self == .appKeyRemoval { return try await place.deployment.makeAppKey(as: "ann@example.com").browser }
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
            return try await browser.submit(page.page().form(to: "/sessions/end"), on: page)
        case .otherSessionsEnd:
            let page = try await browser.get(place.origin + "/sessions")
            return try await browser.submit(page.page().form(to: "/sessions/end-others"), on: page)
        case .passkeyRename:
            let page = try await browser.get(place.origin + Self.passkeys)
            return try await browser.submit(page.page().form(to: "/passkeys/rename"), on: page, ["name": "Tablet"])
        case .passkeyRemoval:
            let page = try await browser.get(place.origin + Self.passkeys)
            return try await browser.submit(page.page().form(to: "/passkeys/remove"), on: page)
        case .appKeyAddition:
            let page = try await browser.get(place.origin + Self.appKeys)
            let values = ["client": "app-wiki", "name": "Phone"]
            return try await browser.submit(page.page().form(to: "/app-keys/add"), on: page, values)
        case .appKeyRemoval:
            let page = try await browser.get(place.origin + Self.appKeys)
            return try await browser.submit(page.page().form(to: "/app-keys/remove"), on: page)
        case .addressChange: return try await place.deployment.askForAddress("new@example.com", in: browser)
        case .dataExport: return try await place.deployment.download(in: browser)
        case .accountErasure: return try await place.deployment.askToErase("ann@example.com", in: browser)
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
            return try page.page().form(to: "/sessions/end") == nil
        case .passkeyRename: return try await place.deployment.stored.passkeys.named("Tablet").count() == 1
        case .passkeyRemoval: return try await place.deployment.stored.passkeys.named("Phone").count() == 0
        case .appKeyAddition: return try await place.deployment.stored.appKeys.named("Phone").count() == 1
        case .appKeyRemoval: return try await place.deployment.rows(of: "app_key") == 0
        case .addressChange: return try await place.deployment.rows(of: "address_change") == 1
        case .dataExport:
            return try await place.deployment.stored.audit.of("data_downloaded").count() == 1
        case .accountErasure: return try await place.deployment.stored.accounts.toBeErased.count() == 1
        case .greeting: return try await browser.get(place.origin + GreetingFeature.path).text.contains("<h1>Aloha")
        }
    }
}

extension ProviderDeployment {
    /// Signs in again on a sign-in page: with a passkey for what needs one, else with a code by email, and with the PIN where
    /// it is asked for. Redirects are followed.
    func signInAgain(
        for change: TestedChange, _ browser: Browser, on page: Visit, as address: String = "ann@example.com"
    ) async throws -> Visit {
        if change.needsPasskey {
            return try await browser.follow(browser.usePasskey(deployment.givePasskey(to: address), on: page))
        }
        try await deployment.forgetEmails(to: address)
        let next = try await signInAgain(browser, on: page, as: address)
        guard next.address.path == PinFactor.pagePath else { return next }
        return try await browser.follow(browser.typePin(on: next))
    }

    /// Gives every account the second factor.
    func setPin() async throws { try await deployment.stored.accounts.rename("Ann with a pin") }
}
