import Foundation
import SSOShared
import Synchronization
import Testing

@testable import IdPOIDC
@testable import TestKit

extension ProcessDeployment {
    private func post(
        _ fields: [(String, String)], _ client: ClientProcess, at process: ProgramProcess
    ) async throws -> ProbeReply {
        let basic = "Basic " + Data("\(client.id):\(client.secret)".utf8).base64EncodedString()
        return try await HTTPProbe(port: process.port, authority: "localhost:\(idp.port)").post(
            OIDCPath.token, [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", basic)],
            body: Array(FormCoding.encode(fields).utf8))
    }

    func openIDTokens(code: String, _ client: ClientProcess, at process: ProgramProcess) async throws -> ProbeReply {
        try await post(
            [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.callback)], client,
            at: process)
    }

    func openIDTokens(
        refresh token: String, _ client: ClientProcess, at process: ProgramProcess
    ) async throws -> ProbeReply {
        try await post([("grant_type", "refresh_token"), ("refresh_token", token)], client, at: process)
    }
}

extension Browser {
    /// A code; the user is signed in.
    func openIDCode(at client: ClientProcess, of pair: ProcessDeployment, state: String) async throws -> String {
        let fields = [
            ("client_id", client.id), ("redirect_uri", client.callback), ("response_type", "code"),
            ("scope", "openid email offline_access"), ("state", state), ("nonce", state),
        ]
        let visit = try await get("\(pair.origin)\(OIDCPath.authorize)?\(FormCoding.encode(fields))")
        guard let code = try visit.location().query("code") else { throw ProbeFailure("\(visit.status) \(visit.text)") }
        return code
    }

    /// Code, tokens, userinfo and a refresh. Returns what went wrong; nil if all of it succeeded.
    func openIDLogin(
        at client: ClientProcess, of pair: ProcessDeployment, by process: ProgramProcess, state: String
    ) async throws -> String? {
        let code = try await openIDCode(at: client, of: pair, state: state)
        let tokens = try await pair.openIDTokens(code: code, client, at: process)
        guard tokens.status == 200, let access = try tokens.json()["access_token"]?.text,
            let refresh = try tokens.json()["refresh_token"]?.text
        else { return "\(state): code \(tokens.status) \(tokens.text)" }
        let probe = HTTPProbe(port: process.port, authority: "localhost:\(pair.idp.port)")
        let user = try await probe.get(OIDCPath.userInfo, [("Authorization", "Bearer \(access)")])
        guard user.status == 200 else { return "\(state): userinfo \(user.status)" }
        let kid = try JWTParts(tokens.json()["id_token"]?.text ?? "").header["kid"]?.text
        let keys = try await probe.get(OIDCPath.keys).json()["keys"]?.items ?? []
        guard keys.contains(where: { $0["kid"]?.text == kid }) else { return "\(state): key not published" }
        let next = try await pair.openIDTokens(refresh: refresh, client, at: process)
        return next.status == 200 ? nil : "\(state): refresh \(next.status) \(next.text)"
    }
}
