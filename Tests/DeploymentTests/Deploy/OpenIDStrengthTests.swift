import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// A service of another maker, with Authlib, asks by `acr_values` and reads `acr` and `amr` of the ID token.
@Suite("Strength as a foreign service sees it", .deployment)
struct OpenIDStrengthTests {
    enum Way: Sendable {
        case email, synced, hardware
        /// By email first, where a passkey is asked for: its user adds one on the way.
        case added
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let way: Way
        /// `acr_values`; nil for none.
        let asked: String?
        let acr, amr: String

        init(_ way: Way, _ asked: String?, _ acr: String, _ amr: String) {
            (self.way, self.asked, self.acr, self.amr) = (way, asked, acr, amr)
        }

        var testDescription: String { "\(way), \(asked ?? "nothing")" }
    }

    private static let email = "email_code otp"
    private static let passkey = "passkey pop user mfa"

    static let rows = [
        Row(.email, nil, "any", email), Row(.email, "any", "any", email), Row(.email, "urn:other", "any", email),
        // Of several the least one suffices.
        Row(.email, "phr any", "any", email),
        Row(.synced, nil, "phr", passkey), Row(.synced, "phr", "phr", passkey), Row(.synced, "mfa", "phr", passkey),
        Row(.hardware, nil, "phr", passkey + " hwk"), Row(.hardware, "phr", "phr", passkey + " hwk"),
        Row(.added, "phr", "phr", passkey),
    ]

    /// Types the code of an email on a page with the field for an address.
    private static func signIn(
        _ browser: Browser, as address: String, on page: Visit, of pair: ProcessDeployment
    ) async throws -> Visit {
        let earlier = pair.mailbox.all(to: address)
        let waiting = try await browser.ask(for: address, on: page)
        return try await browser.enter(pair.mailbox.code(to: address, besides: earlier), on: waiting)
    }

    /// A user with a passkey.
    private static func own(
        _ authenticator: SoftwareAuthenticator, as address: String, of pair: ProcessDeployment
    ) async throws {
        let browser = Browser()
        let page = try await browser.follow(browser.get(pair.origin + "/passkeys/add"))
        let add = try await signIn(browser, as: address, on: page, of: pair)
        guard try await browser.addPasskey(authenticator, on: add).status == 303 else {
            throw ProbeFailure("no passkey:\n\(add.text)")
        }
    }

    /// What the service shows in an element.
    private static func shown(_ id: String, _ page: Visit) -> String? {
        page.text.firstRange(of: "<span id=\"\(id)\">").map { String(page.text[$0.upperBound...].prefix { $0 != "<" }) }
    }

    @Test(
        "Authlib gets the truth in ten combinations of what was asked for and what was proven",
        .enabled(if: OpenIDExample.flask.isAvailable))
    func authlib() async throws {
        let service = try OpenIDService(.flask)
        let pair = try ProcessDeployment(clients: 0)
        pair.idp.set("SERVICE_SECRET", to: service.secret)
        let entry = "clients:\n" + service.yaml(secret: "SERVICE_SECRET")
        pair.idp.set("IDP_CLIENTS_FILE", to: try pair.folder.write(entry, to: "services.yaml"))
        try await ProcessDeployment.running(pair) { pair in
            try await service.start(issuer: pair.origin)
            for (index, row) in Self.rows.enumerated() {
                let (browser, complete) = try await Self.enter(service, row, as: "user\(index)@example.com", of: pair)
                let page = try await browser.follow(
                    browser.click(complete.page().link(containing: "code="), on: complete))
                #expect(Self.shown("acr", page) == row.acr, "\(row.testDescription): \(page.text)")
                #expect(Self.shown("amr", page) == row.amr, "\(row.testDescription): \(page.text)")
            }
            try await service.stop()
        }
    }

    /// From the service to the page after the sign-in.
    private static func enter(
        _ service: OpenIDService, _ row: Row, as address: String, of pair: ProcessDeployment
    ) async throws -> (Browser, Visit) {
        let authenticator = SoftwareAuthenticator(row.way == .hardware ? .hardware : .synced)
        if row.way == .synced || row.way == .hardware { try await own(authenticator, as: address, of: pair) }
        let browser = Browser()
        let asked = row.asked.map { "?acr=" + $0.replacing(" ", with: "%20") } ?? ""
        let page = try await browser.follow(browser.get(service.origin + "/sign-in" + asked))
        switch row.way {
        case .email: return (browser, try await signIn(browser, as: address, on: page, of: pair))
        case .synced, .hardware: return (browser, try await browser.follow(browser.usePasskey(authenticator, on: page)))
        case .added:
            let needed = try await signIn(browser, as: address, on: page, of: pair)
            let add = try await browser.follow(browser.get(pair.origin + "/passkeys/add"))
            guard needed.text.contains("/passkeys/add") else { throw ProbeFailure(needed.text) }
            let waiting = try await browser.follow(browser.addPasskey(authenticator, on: add))
            return (browser, try await browser.follow(browser.usePasskey(authenticator, on: waiting)))
        }
    }
}
