import Foundation
import SSOShared

@testable import IdPClients
@testable import IdPOIDC
@testable import TestKit

/// What clients of OpenID Connect do.
enum OIDCSteps {
    /// Keys of a client that may use both protocols, for the clients file.
    static let bothProtocols = "protocols: [sso, oidc], scopes: [openid, profile, email, groups, offline_access]"
    /// The keys of an app without a secret, that listens at a port of its own.
    static let publicApp: [String: ClientEntry.Value] = [
        "protocols": .list(["oidc"]), "public": .text("true"),
        "redirect_uris": .list(["http://127.0.0.1:*/callback"]),
    ]
}

extension ProbeReply {
    /// The claims of the answer's ID token, as they are. Its signature is the subject of tests of its own.
    func idTokenClaims() throws -> JSONValue {
        let token = try json()["id_token"]?.text ?? ""
        return try JWTParts(token).claims
    }
}

/// A JWT taken apart.
struct JWTParts {
    let header, claims: JSONValue
    let signed, signature: [UInt8]

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw ProbeFailure("no JWT: \(text)") }
        self.header = try JSONDecoding.value(header)
        self.claims = try JSONDecoding.value(claims)
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }
}

extension TestDeployment {
    /// The address of an authentication request. A value of nil leaves a parameter out.
    func oidcRequest(_ client: Client, _ changes: [String: String?] = [:]) -> String {
        let usual: [String: String?] = [
            "client_id": client.id, "redirect_uri": client.callback, "response_type": "code", "scope": "openid",
            "state": "s", "nonce": "n",
        ]
        let fields = usual.merging(changes) { $1 }.compactMap { name, value in value.map { (name, $0) } }
        return "\(origin)\(OIDCPath.authorize)?\(FormCoding.encode(fields.sorted { $0.0 < $1.0 }))"
    }

    var oidcProbe: HTTPProbe { HTTPProbe(port: port, authority: "localhost:4000") }

    /// Posts a form as a client's server does.
    ///
    /// - Parameter client: proves itself by HTTP Basic; nil for a request without `Authorization`.
    func oidcPost(
        _ path: String, _ fields: [(String, String)], as client: Client?, _ headers: HTTPProbe.Headers = []
    ) async throws -> ProbeReply {
        let basic = client.map { [("Authorization", Self.basic($0.id, $0.secret))] } ?? []
        return try await oidcProbe.post(
            path, [("Content-Type", "application/x-www-form-urlencoded")] + basic + headers,
            body: Array(FormCoding.encode(fields).utf8))
    }

    static func basic(_ id: String, _ secret: String) -> String {
        "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
    }

    /// Redeems a code.
    func oidcToken(
        _ code: String, as client: Client, _ further: [(String, String)] = []
    ) async throws -> ProbeReply {
        let given = Set(further.map(\.0))
        let usual = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.callback)]
        return try await oidcPost(OIDCPath.token, usual.filter { !given.contains($0.0) } + further, as: client)
    }

    func oidcRefresh(_ token: String, as client: Client, scope: String? = nil) async throws -> ProbeReply {
        let scope = scope.map { [("scope", $0)] } ?? []
        return try await oidcPost(
            OIDCPath.token, [("grant_type", "refresh_token"), ("refresh_token", token)] + scope, as: client)
    }

    func oidcUserInfo(_ token: String) async throws -> ProbeReply {
        try await oidcProbe.get(OIDCPath.userInfo, [("Authorization", "Bearer \(token)")])
    }

    /// A code for a browser whose user is signed in.
    func oidcCode(
        _ browser: Browser, _ client: Client? = nil, _ changes: [String: String?] = [:]
    ) async throws -> String {
        let callback = try await browser.get(oidcRequest(client ?? self.client, changes)).location()
        guard let code = callback.query("code") else { throw ProbeFailure("no code: \(callback.absolute)") }
        return code
    }
}

extension TestDeployment {
    /// Opens a deployment whose clients have OpenID Connect beside SSO.
    static func openWithOIDC(
        clients: Int = 1, keys: [String] = [], more: String = "", _ body: (TestDeployment) async throws -> Void
    ) async throws {
        try await open(
            clients: clients, keys: keys, clientKeys: OIDCSteps.bothProtocols + (more.isEmpty ? "" : ", \(more)"), body)
    }
}
