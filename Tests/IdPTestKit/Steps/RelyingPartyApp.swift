import SSOShared
import SSOWeb

@testable import SSOClient
@testable import TestKit
@testable import WebTestKit

/// A scripted app of the relying party: its web view, the system browser with cookies of its own, and what the system hands
/// from one to the other.
struct RelyingPartyApp {
    static let redirectURI = "com.example.partner:/callback"
    static let settings = ["RP_NATIVE_REDIRECT_URI": redirectURI]

    let deployment: TestDeployment
    let client: TestDeployment.Client
    let webView: Browser

    init(_ deployment: TestDeployment) {
        (self.deployment, client) = (deployment, deployment.client)
        webView = deployment.browser(userAgent: Browser.shellUserAgent)
    }

    /// Starts a sign-in in the web view.
    ///
    /// - Returns: the address of the IdP, which the app does not open in the web view.
    func start(returnTo: String = "/") async throws -> WebAddress {
        try await webView.get(client.origin + ReturnPath.start(returnTo: returnTo)).location()
    }

    /// Signs in in the system browser.
    ///
    /// - Returns: the address that the completion page leads to.
    func signIn(
        at address: WebAddress, by browser: Browser, as email: String = "ann@example.com"
    ) async throws -> String {
        let earlier = deployment.mailbox.all(to: email)
        let waiting = try await browser.ask(for: email, on: browser.follow(browser.get(address)))
        let complete = try await browser.enter(deployment.mailbox.code(to: email, besides: earlier), on: waiting)
        return try Self.result(of: complete)
    }

    static func result(of complete: Visit) throws -> String {
        guard let link = try complete.page().link(containing: "token=") else { throw ProbeFailure(complete.text) }
        return link
    }

    /// The callback of the relying party with the query of a result.
    func callback(_ result: String) -> String { client.callback + result.drop { $0 != "?" } }

    func isSignedIn(_ browser: Browser) async throws -> Bool { try await browser.isSignedIn(at: client) }
}
