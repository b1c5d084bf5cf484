import Foundation
import HTTPTypes
import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import TestKit

/// What users do.
extension World {
    private static let sessionCookie = "idp_session"

    /// One request of a browser, which keeps the cookies.
    func send(
        _ browser: Int, _ method: HTTPRequest.Method, _ target: String, _ fields: [(String, String)] = [],
        headers further: [(String, String)] = []
    ) async throws -> ProbeReply {
        var headers =
            [
                ("User-Agent", Browser.browserUserAgent), ("Sec-Fetch-Mode", "navigate"),
                ("Sec-Fetch-Dest", "document"),
                ("Sec-Fetch-User", "?1"), ("Sec-Fetch-Site", method == .post ? "same-origin" : "none"),
            ] + further
        browsers[browser].requests += 1
        let cookies = browsers[browser].cookies
        if !cookies.isEmpty {
            headers.append(
                ("Cookie", cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
        }
        if method == .post {
            headers += [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "http://localhost:4000"),
            ]
        }
        let reply = try await node.respond(
            method, target, headers, body: method == .post ? Array(FormCoding.encode(fields).utf8) : [])
        for line in reply.all("set-cookie") {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let (name, isGone) = (String(pair[0]), line.lowercased().contains("max-age=0"))
            let new = isGone ? nil : String(pair[1])
            if name == Self.sessionCookie, let old = browsers[browser].cookies[name], old != new {
                browsers[browser].earlier = old
            }
            browsers[browser].cookies[name] = new
        }
        return reply
    }

    /// Follows redirects inside the program, and says where they end.
    func land(_ browser: Int, _ first: ProbeReply) async throws -> String {
        var reply = first
        for _ in 0..<8 {
            guard reply.status == 302 || reply.status == 303, let target = reply.header("location") else {
                return try page(browser, reply)
            }
            guard target.hasPrefix("/") else { return try outside(target) }
            if target.hasPrefix("/sign-in?") || target == "/sign-in" {
                browsers[browser].flow = Self.query("flow", in: target)
                return "sign-in"
            }
            if target.hasPrefix("/sign-in/code") { return "code page" }
            if target == "/" { return "home" }
            if target.hasPrefix("/signed-out") { return "signs out" }
            reply = try await send(browser, .get, target)
        }
        return "a loop"
    }

    private func page(_ browser: Int, _ reply: ProbeReply) throws -> String {
        let text = reply.text
        switch reply.status {
        case 200:
            if let link = Self.between("href=\"https://", "\"", in: text), link.contains("/callback") {
                return try outside("https://" + link.replacingOccurrences(of: "&amp;", with: "&"))
            }
            return "page"
        case 403 where text.contains("/sign-in/account"): return "no access"
        case 400: return "unknown client"
        case 404: return "no such flow"
        case 410: return "flow over"
        case 403: return "may not"
        default: return "\(reply.status)"
        }
    }

    /// Back at a client.
    private func outside(_ target: String) throws -> String {
        let client = Cast.clients.firstIndex { target.hasPrefix("https://\($0).example/") }
        guard let client else { return "leaves to \(target)" }
        if let text = ["token", "code", "ticket", "grant"].lazy.compactMap({ Self.query($0, in: target) }).first {
            grants.append((text, client))
            return "grant"
        }
        return "error \(Self.query("error", in: target) ?? "none")"
    }

    static func query(_ name: String, in target: String) -> String? {
        guard let query = target.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        return query.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    static func between(_ start: String, _ end: String, in text: String) -> String? {
        guard let from = text.range(of: start), let to = text.range(of: end, range: from.upperBound..<text.endIndex)
        else { return nil }
        return String(text[from.upperBound..<to.lowerBound])
    }

    func token(in reply: ProbeReply) -> String? {
        Self.between("name=\"form_token\" value=\"", "\"", in: reply.text)
    }

    func ask(_ browser: Int, _ address: Int) async throws -> String {
        let flow = browsers[browser].flow
        let page = try await send(browser, .get, "/sign-in" + (flow.map { "?flow=\($0)" } ?? ""))
        if page.status != 200 {
            browsers[browser].flow = nil
            return try await land(browser, page)
        }
        guard page.text.contains("name=\"email\""), let token = token(in: page) else {
            try await renewChallenge(browser)
            return "no email field"
        }
        browsers[browser].formToken = token
        browsers[browser].waitsForCode = address
        browsers[browser].address = address
        var fields = [("form_token", token), ("email", Cast.addresses[address])]
        if let flow { fields.append(("flow", flow)) }
        return try await land(browser, send(browser, .post, "/sign-in", fields))
    }

    func type(_ browser: Int, _ code: Operation.TypedCode, _ remember: Bool) async throws -> String {
        guard let token = browsers[browser].formToken else { return "no form" }
        let flow = browsers[browser].flow
        let address = browsers[browser].address
        let known: String? =
            switch code {
            case .wrong: nil
            case .right: address.flatMap { browsers[browser].codes[$0] }
            case .of(let other): address.flatMap { browsers[other].codes[$0] }
            }
        var fields = [("form_token", token), ("code", known ?? wrongCode())]
        if remember { fields.append(("remember", "1")) }
        if let flow { fields.append(("flow", flow)) }
        let reply = try await send(browser, .post, "/sign-in/code", fields)
        if reply.status == 422 { return "refused" }
        if reply.status == 303 { browsers[browser].flow = nil }
        let landed = try await land(browser, reply)
        if reply.status == 303 { try await noteSignIn(browser, landed) }
        return landed
    }

    /// Finds the session that a sign-in has made. A form stays open for a user who has to sign in, and has not.
    func noteSignIn(_ browser: Int, _ landed: String) async throws {
        let all = try await database.stored.sessions.ofAccounts.handles()
        let new = all.first { !handles.contains($0) }
        if let new { browsers[browser].handle = new }
        if new != nil || landed != "sign-in" { browsers[browser].formToken = nil }
        handles.formUnion(all)
    }

    func link(_ browser: Int, _ other: Int) async throws -> String {
        guard let address = browsers[other].address, let key = browsers[other].links[address] else { return "nothing" }
        _ = try await send(browser, .get, "/sign-in/link/\(key)")
        let page = try await send(browser, .get, "/sign-in/link")
        guard page.status == 200 else {
            if page.status == 303 { browsers[browser].flow = nil }
            return page.status == 303 ? try await land(browser, page) : "no button"
        }
        guard let challenge = Self.between("name=\"challenge\" value=\"", "\"", in: page.text),
            let token = token(in: page)
        else { return "no button" }
        let reply = try await send(
            browser, .post, "/sign-in/link", [("form_token", token), ("challenge", challenge)])
        if reply.status == 303 { browsers[browser].flow = nil }
        let landed = try await land(browser, reply)
        if reply.status == 303 { try await noteSignIn(browser, landed) }
        return landed
    }

    func endOthers(_ browser: Int) async throws -> String { try await end(browser, "/sessions/end-others", []) }

    func endSession(_ browser: Int, _ other: Int) async throws -> String {
        guard let handle = browsers[other].handle else {
            let home = try await send(browser, .get, "/")
            return home.text.contains("action=\"/sign-out\"") ? "nothing" : "signed out"
        }
        return try await end(browser, "/sessions/end", [("session", handle)])
    }

    private func end(_ browser: Int, _ path: String, _ fields: [(String, String)]) async throws -> String {
        let home = try await send(browser, .get, "/")
        guard home.text.contains("action=\"/sign-out\""), let token = token(in: home) else { return "signed out" }
        let reply = try await send(browser, .post, path, [("form_token", token)] + fields)
        guard reply.status == 303, let target = reply.header("location") else { return "\(reply.status)" }
        guard target == "/sessions" else { return target }
        // A browser that has ended itself is no longer shown the list.
        let list = try await send(browser, .get, target)
        return list.status == 303 || list.text.contains("role=\"status\"") ? "ends" : "not there"
    }

    /// Six digits that no challenge of this history has.
    private func wrongCode() -> String {
        let all = Set(browsers.flatMap(\.codes.values))
        return (0..<1000).lazy.map { "000" + String($0 + 1000).dropFirst() }.first { !all.contains($0) } ?? "000000"
    }

    func look(_ browser: Int) async throws -> String {
        signedIn(try await send(browser, .get, "/api/v1/session"))
    }

    func lookEarlier(_ browser: Int) async throws -> String {
        guard let id = browsers[browser].earlier else { return "nothing" }
        let fields = [("User-Agent", Browser.browserUserAgent), ("Cookie", "\(Self.sessionCookie)=\(id)")]
        return signedIn(try await node.respond(.get, "/api/v1/session", fields))
    }

    private func signedIn(_ reply: ProbeReply) -> String {
        guard reply.status == 200 else { return "signed out" }
        let address = World.between("\"email\":\"", "\"", in: reply.text) ?? ""
        return "signed in as \(Cast.addresses.firstIndex(of: address) ?? -1)"
    }

    func signOut(_ browser: Int) async throws -> String {
        let home = try await send(browser, .get, "/")
        guard home.text.contains("action=\"/sign-out\""), let token = token(in: home) else { return "signed out" }
        let reply = try await send(browser, .post, "/sign-out", [("form_token", token)])
        browsers[browser].formToken = nil
        return try await land(browser, reply)
    }

    func authorize(_ browser: Int, _ client: Int, _ wish: Operation.Wish) async throws -> String {
        states += 1
        var fields = [
            ("client_id", Cast.clients[client]), ("redirect_uri", World.callback(client)), ("state", "state-\(states)"),
        ]
        switch wish {
        case .none: break
        case .login: fields.append(("prompt", "login"))
        case .silent: fields.append(("prompt", "none"))
        case .fresh: fields.append(("max_age", "60"))
        case .strong: fields.append(("acr_values", "phr"))
        }
        var path = SSOPath.authorize
        if client == Cast.openID {
            path = "/oidc/authorize"
            fields += [
                ("response_type", "code"), ("scope", "openid email offline_access"), ("nonce", "nonce-\(states)"),
            ]
        }
        return try await land(browser, send(browser, .get, "\(path)?\(FormCoding.encode(fields))"))
    }
}
