import SSOShared

@testable import Counterparts
@testable import IdPProviders
@testable import TestKit

/// An app that is signed in and links a provider.
struct LinkingApp: Sendable {
    let native: JSONApp
    let handoff: HandoffApp

    /// Asks for a ticket.
    func askForTicket(_ provider: String) async throws -> ProbeReply {
        try await native.send(
            "POST", "/identities/tickets", .object(["provider": .string(provider)]), token: native.token ?? "")
    }

    /// A ticket for a provider.
    func ticket(_ provider: String) async throws -> String {
        let reply = try await askForTicket(provider)
        guard reply.status == 201, let ticket = try reply.json()["ticket"]?.text else {
            throw ProbeFailure("\(reply.status): \(reply.text)")
        }
        return ticket
    }

    /// What the app opens in the system browser.
    func start(_ ticket: String, _ provider: String) -> String {
        HandoffApp.start(handoff.origin, handoff.fields + [("ticket", ticket)], with: provider)
    }

    /// Opens the page that asks, and presses its button.
    ///
    /// - Returns: the page that goes on to the provider, or the one that refuses.
    func begin(_ ticket: String, _ provider: String, in browser: Browser) async throws -> Visit {
        let page = try await browser.get(start(ticket, provider))
        guard page.status == 200 else { return page }
        return try await browser.follow(browser.submit(page.page().form(to: "/auth/native/"), on: page))
    }

    /// Presents a code, with the app's own verifier and access token unless others are given.
    func finish(_ code: String, verifier: String? = nil, as other: JSONApp? = nil) async throws -> ProbeReply {
        try await native.send(
            "POST", "/identities",
            .object(["code": .string(code), "verifier": .string(verifier ?? handoff.verifier)]),
            token: (other ?? native).token ?? "")
    }

    /// The identities of the user, by the name of their provider.
    func providers() async throws -> [String] {
        try await native.authorized("GET", "/identities").json()["identities"]?.items
            .compactMap { $0["provider"]?.text } ?? []
    }
}

extension ProviderDeployment {
    /// An app that has just signed in by email.
    func linkingApp(as address: String = "ann@example.com", by native: JSONApp? = nil) async throws -> LinkingApp {
        LinkingApp(
            native: try await deployment.signedInApp(as: address, by: native), handoff: try deployment.app())
    }

    /// From the button to the code: what the browser brings back to the app.
    ///
    /// - Returns: the page that goes on to the app.
    func park(
        _ app: LinkingApp, _ kind: Provider.Kind = .oidc, in browser: Browser, isAllowed: Bool = true
    ) async throws -> Visit {
        let page = try await app.begin(app.ticket(kind.testID), kind.testID, in: browser)
        return try await arrive(page, kind, in: browser, isAllowed: isAllowed)
    }

    /// From the page that goes on to the provider to where its answer leads.
    func arrive(
        _ page: Visit, _ kind: Provider.Kind = .oidc, in browser: Browser, isAllowed: Bool = true
    ) async throws -> Visit {
        let standIn = try standIn(kind)
        let answer = try standIn.answer(to: standIn.authorizationURL(on: page), isAllowed: isAllowed)
        return try await browser.follow(browser.bring(answer))
    }
}
