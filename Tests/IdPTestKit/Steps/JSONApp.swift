import Foundation
import SSOShared
import Synchronization

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// The native screens of an app: they speak JSON, hold an access token, and share their cookies with a web view.
final class JSONApp: Sendable {
    static let defaultUserAgent = "Main/1.0 (iPhone; iOS 18.5) CFNetwork/1568"

    private let probe: HTTPProbe
    private let userAgent: String
    private let jar: Mutex<[String: String]>
    private let held = Mutex<String?>(nil)
    private let kept = Mutex<[String: String]>([:])

    init(
        port: UInt16, authority: String, from source: String? = nil, userAgent: String = defaultUserAgent,
        cookies: [String: String] = [:]
    ) {
        probe = HTTPProbe(port: port, authority: authority, source: source)
        self.userAgent = userAgent
        jar = Mutex(cookies)
    }

    /// The access token; nil while it is signed out.
    var token: String? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
    var cookies: [String: String] { jar.withLock { $0 } }
    func forgetCookies() { jar.withLock { $0 = [:] } }
    /// The `Set-Cookie` that a cookie came with last, for a web view.
    func setCookieLine(_ name: String) -> String? { kept.withLock { $0[name] } }
    func setCookie(_ name: String, to value: String?) { jar.withLock { $0[name] = value } }

    /// Sends a request. A request with a token has no cookies.
    ///
    /// - Parameters:
    ///   - path: below `/api/v1`.
    ///   - token: nil to authenticate by the session cookie, or not at all.
    func send(
        _ method: String, _ path: String, _ json: JSONValue? = nil, token: String? = nil,
        headers: HTTPProbe.Headers = []
    ) async throws -> ProbeReply {
        let body = try json.map { Array(try JSONEncoder().encode($0)) }
        var all: HTTPProbe.Headers = [("User-Agent", userAgent)] + headers
        if body != nil { all.append(("Content-Type", "application/json")) }
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        return try await raw(method, path, all, body: body, withCookies: token == nil)
    }

    /// Sends exactly these headers and this body.
    func raw(
        _ method: String, _ path: String, _ headers: HTTPProbe.Headers = [], body: [UInt8]? = nil,
        withCookies: Bool = false
    ) async throws -> ProbeReply {
        let cookies = withCookies ? cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } : []
        let cookie = cookies.isEmpty ? [] : [("Cookie", cookies.joined(separator: "; "))]
        let reply = try await probe.send(method, "/api/v1" + path, cookie + headers, body: body)
        for line in reply.all("set-cookie") {
            let parts = line.split(separator: ";")
            let pair = parts[0].split(separator: "=", maxSplits: 1).map(String.init)
            let isGone = parts.contains { $0.contains("Max-Age=0") } || pair.count < 2
            setCookie(pair[0], to: isGone ? nil : pair[1])
            kept.withLock { $0[pair[0]] = isGone ? nil : line }
        }
        return reply
    }

    /// A request with the token of this app.
    func authorized(_ method: String, _ path: String) async throws -> ProbeReply {
        try await send(method, path, token: token ?? "")
    }

    /// Asks for a code.
    func begin(_ address: String, challenge: String? = nil) async throws -> ProbeReply {
        var body: [String: JSONValue] = ["email": .string(address)]
        if let challenge { body["challenge"] = .string(challenge) }
        return try await send("POST", "/sign-in", .object(body))
    }

    /// Sends a code, and keeps the token of the answer.
    func finish(_ challenge: String, _ code: String, device: String? = nil) async throws -> ProbeReply {
        var body: [String: JSONValue] = ["challenge": .string(challenge), "code": .string(code)]
        if let device { body["device_name"] = .string(device) }
        let reply = try await send("POST", "/sign-in/code", .object(body))
        if reply.status == 200 { token = try reply.json()["access_token"]?.text }
        return reply
    }
}

extension ProbeReply {
    func json() throws -> JSONValue { try JSONDecoding.value(body) }

    /// The `error` of a refused request to the JSON API.
    var apiError: String? { (try? json())?["error"]?.text }
}

extension JSONValue {
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension Deployment {
    /// Asks for a code and reads it in the email.
    func asking(by app: JSONApp, as address: String = "ann@example.com") async throws -> (
        challenge: String, code: String
    ) {
        let earlier = mailbox.all(to: address)
        let reply = try await app.begin(address)
        guard reply.status == 202, let challenge = try reply.json()["challenge"]?.text else {
            throw ProbeFailure("\(reply.status): \(reply.text)")
        }
        return (challenge, try await mailbox.code(to: address, besides: earlier))
    }

    /// Signs an app in.
    func signIn(_ app: JSONApp, as address: String, device: String? = nil) async throws {
        let (challenge, code) = try await asking(by: app, as: address)
        let reply = try await app.finish(challenge, code, device: device)
        guard reply.status == 200 else { throw ProbeFailure("\(reply.status): \(reply.text)") }
    }
}

extension ProcessDeployment {
    /// A new installation of the app.
    func jsonApp() -> JSONApp {
        JSONApp(port: idp.port, authority: "localhost:\(idp.port)", userAgent: Browser.shellUserAgent)
    }
}

extension TestDeployment {
    /// A new installation of the app.
    func jsonApp(from source: String? = nil, userAgent: String = JSONApp.defaultUserAgent) -> JSONApp {
        JSONApp(port: port, authority: "localhost:4000", from: source, userAgent: userAgent)
    }

    /// An app that is signed in.
    func signedInApp(
        as address: String = "ann@example.com", device: String? = nil, by app: JSONApp? = nil
    ) async throws -> JSONApp {
        let app = app ?? self.jsonApp()
        try await forgetEmails(to: address)
        try await signIn(app, as: address, device: device)
        return app
    }

    /// The web view of an app, with its cookies.
    func webView(of app: JSONApp, language: String? = nil) -> Browser {
        Browser(
            language: language, userAgent: Browser.shellUserAgent, routes: routes, cookies: ["localhost": app.cookies])
    }
}
