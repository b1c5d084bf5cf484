import Foundation
import ProbeKit
import SSONative
import Storage

@testable import Counterparts
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// The steps of a user of an app.
extension ScriptedApp {
    /// Opens a link that the system hands to the running app: a universal link, or the callback of a browser session
    /// that another process of the app began.
    func open(_ link: String) async throws {
        try await handle(.linkOpened(link.asURL()))
        try await settle()
    }

    /// Asks the server whether the web view is signed in, with the web view's cookies.
    ///
    /// - Returns: 200 or 401.
    func sessionStatus() async throws -> Int {
        let address = try WebAddress(home)
        let cookies = try await view.allCookies().filter { $0.host == address.host }
        let reply = try await HTTPProbe(host: address.host, port: address.port).get(
            "/api/v1/session/check",
            [
                ("User-Agent", Browser.shellUserAgent), ("Accept", "application/json"),
                ("Cookie", cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")),
            ])
        guard reply.status == 200 || reply.status == 401 else { throw ProbeFailure("check: \(reply.status)") }
        return reply.status
    }

    /// Returns to the foreground: the app asks whether it is still signed in.
    func enterForeground() async throws {
        guard try await sessionStatus() == 401 else { return }
        try await handle(.unauthorized(home.asURL()))
        try await settle()
    }

    /// Starts a sign-in in the system browser.
    func signInInBrowser() async throws { try await handle(.signInRequested(method: "email")) }

    /// The system hands the result of the browser session over.
    @discardableResult
    func comeBack() async throws -> URL {
        let url = try await system.callback(configuration.callback.scheme)
        try await comeBack(with: url)
        return url
    }

    func comeBack(with url: URL) async throws {
        try await handle(.callback(url, session: record.session))
        try await settle()
    }

    /// Runs the app until the web view is signed in and shows the start page again.
    func runUntilSignedIn(_ step: () async throws -> Void) async throws {
        let resets = record.resets
        try await step()
        try await run(until: "the app resets its web view") { $0.resets > resets }
    }

    /// Presses the button of the start page.
    func signOut() async throws {
        try await view.visit(home)
        try await view.press("form[action='/sign-out'] button")
        try await run(until: "signed out") { _ in
            try await view.elements("form[action='/sign-out']").isEmpty
        }
    }

    /// How long the web view keeps its session after the end of the app.
    func sessionCookieLifetime(_ name: String) async throws -> Duration {
        let host = try WebAddress(home).host
        guard let cookie = try await view.allCookies().first(where: { $0.host == host && $0.name == name }) else {
            throw ProbeFailure("no cookie \(name)")
        }
        return .seconds((cookie.expires ?? 0) - Date().timeIntervalSince1970)
    }
}

extension ProcessDeployment {
    static let appCallback = "com.example.app:/callback"
    static let partnerAppCallback = "com.example.partner:/callback"

    /// An IdP with an app and a client with an app.
    static func runningWithApps(_ body: (ProcessDeployment) async throws -> Void) async throws {
        let pair = try ProcessDeployment(
            settings: ["IDP_NATIVE_APPS": appCallback], clientSettings: ["RP_NATIVE_REDIRECT_URI": partnerAppCallback])
        pair.idp.set("SSO_REDIRECT_URIS", to: "\(pair.client.callback),\(partnerAppCallback)")
        try await running(pair, body)
    }

    /// Takes earlier emails to an address out of its budget.
    func forgetEmails(to address: String) async throws {
        try await stored { try await $0.emails.to(address).forget() }
    }

    /// Every public address.
    var origins: [String] { [origin] + clients.map(\.origin) }

    /// Lets a test use the IdP's app on a device of its own.
    func withApp(_ body: (ScriptedApp, SystemBrowser) async throws -> Void) async throws {
        try await withDevice(
            .identityProvider(server: origin.asURL(), callback: Self.appCallback.asURL()), body)
    }

    /// The same for the client's app.
    func withPartnerApp(_ body: (ScriptedApp, SystemBrowser) async throws -> Void) async throws {
        try await withDevice(
            .relyingParty(
                server: client.origin.asURL(), callback: Self.partnerAppCallback.asURL(),
                identityProvider: origin.asURL()), body)
    }

    private func withDevice(
        _ configuration: NativeConfiguration, _ body: (ScriptedApp, SystemBrowser) async throws -> Void
    ) async throws {
        let system = try await SystemBrowser(origins)
        let app = try ScriptedApp(configuration, system, origins)
        try await body(app, system)
        try await app.kill()
        try await system.quit()
    }
}
