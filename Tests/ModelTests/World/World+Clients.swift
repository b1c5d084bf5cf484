import Foundation
import HTTPTypes
import SSOShared
import SSOWeb

@testable import IdPTestKit
@testable import TestKit

/// What clients do.
extension World {
    func answerClient(_ operation: Operation) async throws -> String {
        switch operation {
        case .redeem(let client, let grant, let how): return try await redeem(client, grant, how)
        case .question(let client, let told): return try await question(client, told)
        case .exchange(let client, let grant): return try await exchange(client, grant)
        case .refresh(let client, let token): return try await refresh(client, token)
        case .userInfo(let token): return try await userInfo(token)
        case .introspect(let client, let token): return try await introspect(client, token)
        case .revoke(let client, let token): return try await revoke(client, token)
        case .server(let client, let isDown):
            transport.set("\(Cast.clients[client]).example", isDown: isDown)
            return "done"
        default: return "no such step"
        }
    }

    private func secret(_ client: Int, _ how: Operation.Presentation) -> String {
        switch how {
        case .right, .wrongAddress: secrets[client].last ?? ""
        case .wrongSecret: "a-secret-that-no-client-has-0123456789abcdef"
        case .formerSecret:
            secrets[client].count > 1
                ? secrets[client][secrets[client].count - 2] : "none-0123456789abcdef0123456789abcdef"
        }
    }

    private func post(
        _ client: Int, _ path: String, _ body: [UInt8], _ label: MessageLabel?, _ how: Operation.Presentation = .right
    ) async throws -> ProbeReply {
        let secret = try SharedSecret.parse(secret(client, how), setting: "secret")
        let signature =
            label.map { RequestSignature.request(body: body, secret: secret, label: $0) }
            ?? RequestSignature.request(body: body, secret: secret)
        return try await node.respond(
            .post, path,
            [
                ("Content-Type", "application/json"), (RequestSignature.clientHeaderName, Cast.clients[client]),
                (RequestSignature.headerName, signature.headerValue),
            ], body: body)
    }

    /// A form of a client that does not prove who it is.
    func post(_ path: String, _ fields: [(String, String)]) async throws -> ProbeReply {
        try await node.respond(
            .post, path, [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(FormCoding.encode(fields).utf8))
    }

    private func error(_ reply: ProbeReply) throws -> String {
        "\(reply.status) \(try JSONDecoding.value(reply.body)["error"]?.text ?? "")"
    }

    private func redeem(_ client: Int, _ back: Int, _ how: Operation.Presentation) async throws -> String {
        guard let grant = Model.newest(back, of: grants.count), grants[grant].client != Cast.openID else {
            return "nothing"
        }
        let address = how == .wrongAddress ? "https://elsewhere.example/callback" : nil
        let body = VerifyRequest(token: grants[grant].text, redirectURI: address, codeVerifier: nil).body()
        let reply = try await post(client, SSOPath.verify, body, nil, how)
        guard reply.status == 200 else { return try error(reply) }
        let verified = try VerifyReply(body: reply.body)
        try await noteAccounts()
        note(client: client, session: verified.session.id, account: verified.user.id)
        return "200 account \(number(of: verified.user.id)) session \(name(of: verified.session.id)) "
            + "since \(seconds(verified.session.authenticatedAt))" + (verified.session.acr == "phr" ? " phr" : "")
    }

    private func question(_ client: Int, _ back: Int) async throws -> String {
        guard let index = Model.newest(back, of: told.count) else { return "nothing" }
        let body = SessionQuestion(session: told[index].session, user: told[index].account).body()
        let reply = try await post(client, SSOPath.session, body, .session)
        guard reply.status == 200 else { return try error(reply) }
        let answer = try JSONDecoding.value(reply.body)
        if let reason = answer["reason"]?.text { return reason }
        let verified = try VerifyReply(body: reply.body)
        return "active since \(seconds(verified.session.authenticatedAt))"
    }

    // MARK: OpenID Connect

    private func form(
        _ client: Int, _ path: String, _ fields: [(String, String)]
    ) async throws -> ProbeReply {
        let basic = Data("\(Cast.clients[client]):\(secret(client, .right))".utf8).base64EncodedString()
        return try await node.respond(
            .post, path,
            [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", "Basic \(basic)")],
            body: Array(FormCoding.encode(fields).utf8))
    }

    private func keep(_ answer: JSONValue, _ refreshed: Int? = nil) {
        if let access = answer["access_token"]?.text { tokens.append((access, false)) }
        if let refresh = answer["refresh_token"]?.text, !tokens.contains(where: { $0.text == refresh }) {
            tokens.append((refresh, true))
        }
    }

    private func exchange(_ client: Int, _ back: Int) async throws -> String {
        guard let grant = Model.newest(back, of: grants.count) else { return "nothing" }
        guard grants[grant].client == Cast.openID else { return "nothing" }
        let reply = try await form(
            client, "/oidc/token",
            [
                ("grant_type", "authorization_code"), ("code", grants[grant].text),
                ("redirect_uri", World.callback(grants[grant].client)),
            ])
        guard reply.status == 200 else { return try error(reply) }
        let answer = try JSONDecoding.value(reply.body)
        keep(answer)
        let claims = try JWTParts(answer["id_token"]?.text ?? "").claims
        let (account, session) = (claims["sub"]?.text ?? "", claims["sid"]?.text ?? "")
        try await noteAccounts()
        note(client: client, session: session, account: account)
        return "200 account \(number(of: account)) session \(name(of: session)) "
            + "since \(seconds(claims["auth_time"]?.number.map { Int($0) }))"
            + (claims["acr"]?.text == "phr" ? " phr" : "")
    }

    private func token(_ back: Int, isRefresh: Bool) -> String? {
        let all = tokens.filter { $0.isRefresh == isRefresh }
        return Model.newest(back, of: all.count).map { all[$0].text }
    }

    private func refresh(_ client: Int, _ back: Int) async throws -> String {
        guard let token = token(back, isRefresh: true) else { return "nothing" }
        let reply = try await form(
            client, "/oidc/token", [("grant_type", "refresh_token"), ("refresh_token", token)])
        guard reply.status == 200 else { return try error(reply) }
        let count = tokens.count { $0.isRefresh }
        keep(try JSONDecoding.value(reply.body))
        return tokens.count { $0.isRefresh } > count ? "200 rotated" : "200 again"
    }

    private func userInfo(_ back: Int) async throws -> String {
        guard let token = token(back, isRefresh: false) else { return "nothing" }
        let reply = try await node.respond(.get, "/oidc/userinfo", [("Authorization", "Bearer \(token)")])
        guard reply.status == 200 else { return "\(reply.status)" }
        return "200 account \(number(of: try JSONDecoding.value(reply.body)["sub"]?.text ?? ""))"
    }

    private func introspect(_ client: Int, _ back: Int) async throws -> String {
        guard let token = token(back, isRefresh: false) else { return "nothing" }
        let reply = try await form(client, "/oidc/introspect", [("token", token)])
        guard reply.status == 200 else { return try error(reply) }
        let answer = try JSONDecoding.value(reply.body)
        return answer["sub"].flatMap(\.text).map { "active account \(number(of: $0))" } ?? "inactive"
    }

    private func revoke(_ client: Int, _ back: Int) async throws -> String {
        guard let index = Model.newest(back, of: tokens.count) else { return "nothing" }
        let reply = try await form(client, "/oidc/revoke", [("token", tokens[index].text)])
        return reply.status == 200 ? "200" : try error(reply)
    }
}
