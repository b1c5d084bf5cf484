import SSOShared

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// An app with its verifier: what the app does for a handoff, without its two cookie stores.
struct HandoffApp: Sendable {
    static let redirect = "com.example.app:/callback"
    static let webRedirect = "https://app.example.com/native?kept=1"
    /// Ends at a client's callback, so that a page that goes on there can be shown.
    static let localRedirect = "http://127.0.0.2:4100/auth/sso/callback"
    static let settings = ["IDP_NATIVE_APPS": "\(redirect), \(webRedirect),\(localRedirect)"]
    static let signInPath = "/hotwire_native/sign_in"

    let origin: String
    let redirect: String
    let verifier: String

    init(_ origin: String, redirect: String = Self.redirect) throws {
        self.origin = origin
        self.redirect = redirect
        verifier = try CodeChallenge.makeVerifier()
    }

    /// What the app opens in the system browser.
    var start: String { Self.start(origin, fields) }

    /// Challenge and redirect URI.
    var fields: [(String, String)] { [("challenge", CodeChallenge.s256(verifier)), ("redirect", redirect)] }

    /// - Parameter method: `email`, or the id of a provider.
    static func start(_ origin: String, _ fields: [(String, String)], with method: String = "email") -> String {
        "\(origin)/auth/native/\(method)?\(FormCoding.encode(fields))"
    }

    /// What the app opens in its web view.
    static func signIn(_ origin: String, code: String, verifier: String) -> String {
        "\(origin)\(signInPath)?\(FormCoding.encode([("code", code), ("verifier", verifier)]))"
    }

    /// From the app to the sign-in page or the page that goes on to a provider, or to the question for a user who is signed
    /// in.
    func begin(with method: String = "email", in browser: Browser) async throws -> Visit {
        let page = try await browser.get(Self.start(origin, fields, with: method))
        return try await browser.follow(browser.submit(page.page().form(to: "/auth/native/"), on: page))
    }

    /// Presents a code in a web view. Redirects are not followed.
    func present(_ code: String, in webView: Browser, _ headers: HTTPProbe.Headers = []) async throws -> Visit {
        try await webView.get(Self.signIn(origin, code: code, verifier: verifier), headers)
    }

    /// Presents a code as a form of the web view. Redirects are not followed.
    func post(_ code: String, in webView: Browser) async throws -> Visit {
        try await webView.post(WebAddress(origin + Self.signInPath), [("code", code), ("verifier", verifier)])
    }
}

extension Visit {
    /// Where the page of a handoff goes on to: the app's redirect URI with the code.
    func appCallback() throws -> String {
        guard let link = try page().link(containing: "code=shc_") else {
            throw ProbeFailure("no link to the app at \(address.absolute) (\(status)):\n\(text)")
        }
        return link
    }

    /// The code on the page of a handoff.
    func handoffCode() throws -> String {
        let fields = try appCallback().split(separator: "?", maxSplits: 1).last ?? ""
        guard let code = fields.split(separator: "&").first(where: { $0.hasPrefix("code=") }) else {
            throw ProbeFailure("no code in the link")
        }
        return String(code.dropFirst(5))
    }
}

extension Deployment {
    /// An app that is registered here.
    func app(_ redirect: String = HandoffApp.redirect) throws -> HandoffApp {
        try HandoffApp(origin, redirect: redirect)
    }

    /// Signs in with the code of the email on a sign-in page, and returns the last page.
    func enterCode(_ form: Visit, in browser: Browser, as address: String) async throws -> Visit {
        let earlier = mailbox.all(to: address)
        let waiting = try await browser.ask(for: address, on: form)
        return try await browser.enter(mailbox.code(to: address, besides: earlier), on: waiting)
    }

    /// The handoff of a user who signs in for it: the page that goes on to the app.
    func handOff(
        _ app: HandoffApp, in browser: Browser, as address: String = "ann@example.com"
    ) async throws -> Visit {
        try await enterCode(app.begin(in: browser), in: browser, as: address)
    }
}

extension TestDeployment {
    /// The web view of an app: another cookie store.
    func webView() -> Browser { browser(userAgent: Browser.shellUserAgent) }

    /// Opens a deployment with apps.
    static func withApps(
        settings: [String: String] = [:], _ body: (TestDeployment) async throws -> Void
    ) async throws {
        try await open(settings: HandoffApp.settings.merging(settings) { $1 }, body)
    }

    /// How often the log has an event, with a reason if one is given.
    func events(_ name: String, reason: String? = nil) -> Int {
        log.text.split(separator: "\n").count { line in
            line.contains(" \(name) ") && (reason.map { line.contains("\"reason\": \($0)") } ?? true)
        }
    }
}
