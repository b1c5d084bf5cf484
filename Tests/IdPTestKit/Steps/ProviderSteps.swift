import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPServer
@testable import Storage
@testable import TestKit
@testable import WebTestKit

extension Provider.Kind {
    /// The id of a provider of this kind in the tests.
    var testID: String { self == .oidc ? "work" : rawValue }

    /// What verify calls a sign-in with it.
    var testMethod: String {
        switch self {
        case .apple, .google, .github: rawValue
        case .oidc, .microsoft: "oidc:\(testID)"
        }
    }
}

/// A deployment whose `IDP_PROVIDERS_FILE` has stand-ins.
struct ProviderDeployment: Sendable {
    let deployment: TestDeployment
    var standIns: [StandInProvider] { deployment.standIns }

    /// The stand-in of a kind.
    func standIn(_ kind: Provider.Kind) throws -> StandInProvider { try deployment.standIn(kind) }

    /// Opens one.
    ///
    /// - Parameters:
    ///   - owned: the domains whose addresses belong to each of them.
    ///   - lines: further lines of each entry in the file.
    ///   - wrap: puts a test double around the IdP's database.
    static func open(
        _ kinds: [Provider.Kind] = [.oidc], owning owned: [String] = ["example.com"], lines: [String] = [],
        clients: Int = 1, settings: [String: String] = [:], clientKeys: String = "",
        adding added: AddedFeatures = .init(),
        wrapping wrap: (any Database) -> any Database = { $0 }, _ body: (ProviderDeployment) async throws -> Void
    ) async throws {
        let (clock, folder) = (TestClock(), try TemporaryFolder())
        defer { withExtendedLifetime(folder) {} }
        var standIns: [StandInProvider] = []
        for kind in kinds { standIns.append(try await StandInProvider.start(kind, clock: clock.clock)) }
        let file = try folder.write(
            StandInProvider.file(standIns.map { $0.yaml(id: $0.kind.testID, owning: owned, adding: lines) }),
            to: "providers.yaml")
        let all = settings.merging(["IDP_PROVIDERS_FILE": file]) { $1 }
        try await TestDeployment.open(
            clients: clients, at: clock, settings: all, clientKeys: clientKeys, standIns: standIns, adding: added,
            wrapping: wrap
        ) { deployment in
            try await body(ProviderDeployment(deployment: deployment))
        }
        standIns.forEach { $0.stop() }
    }
}

extension StandInProvider {
    /// Presses the button of this provider on a sign-in page.
    ///
    /// - Returns: the page that goes on to the provider.
    func press(on page: Visit, in browser: Browser) async throws -> Visit {
        let form = try page.page().form(to: "/sign-in/with/\(kind.testID)")
        return try await browser.follow(browser.submit(form, on: page))
    }

    /// The address of the provider on the page that goes on to it.
    func authorizationURL(on page: Visit) throws -> String {
        guard let link = try page.page().link(containing: issuer) else {
            throw ProbeFailure("no link to \(issuer) at \(page.address.absolute) (\(page.status)): \(page.text)")
        }
        return link
    }

    /// Goes from a sign-in page to the provider and agrees there.
    ///
    /// - Returns: what the browser is to bring back.
    func visit(from page: Visit, in browser: Browser, isAllowed: Bool = true) async throws -> StandInAnswer {
        try await answer(to: authorizationURL(on: press(on: page, in: browser)), isAllowed: isAllowed)
    }
}

extension Browser {
    /// Brings the answer of a provider to the callback, as a browser does: a form comes from another site and carries no
    /// `SameSite=Lax` cookie. Only the redirect of a form is followed.
    func bring(_ answer: StandInAnswer) async throws -> Visit {
        guard answer.isFormPost else { return try await get(answer.address, [("Sec-Fetch-Site", "cross-site")]) }
        let parked = try await postFromOtherSite(answer)
        return parked.status == 303 ? try await get(parked.location(), [("Sec-Fetch-Site", "cross-site")]) : parked
    }

    /// Posts the form of an answer without cookies. Cookies of the response are kept.
    func postFromOtherSite(_ answer: StandInAnswer) async throws -> Visit {
        let address = try WebAddress(answer.redirectURI)
        let other = withoutCookies()
        return try await other.send(
            "POST", address,
            [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://provider.example"),
                ("Sec-Fetch-Site", "cross-site"),
            ], body: Array(FormCoding.encode(answer.fields).utf8))
    }
}

extension ProviderDeployment {
    var client: TestDeployment.Client { deployment.client }

    /// Signs in with a provider from the first client on.
    ///
    /// - Returns: the completion page, or where it ended.
    func signIn(_ kind: Provider.Kind, in browser: Browser, state: String = "the-state") async throws -> Visit {
        let page = try await browser.follow(browser.get(deployment.authorize(client, state: state)))
        let answer = try await standIn(kind).visit(from: page, in: browser)
        return try await browser.follow(browser.bring(answer))
    }

    /// How often the log has `provider_answer_refused` with this reason.
    func refusals(_ reason: String) -> Int { deployment.events("provider_answer_refused", reason: reason) }
}

extension ProviderDeployment {
    static let appleNotificationPath = "/auth/apple/notifications"

    /// Posts a body as Apple does.
    func sendAppleNotification(
        _ body: String, type: String? = "application/json", path: String = appleNotificationPath
    ) async throws -> ProbeReply {
        try await HTTPProbe(port: deployment.port, authority: "localhost:4000")
            .post(path, type.map { [("Content-Type", $0)] } ?? [], body: Array(body.utf8))
    }
}
