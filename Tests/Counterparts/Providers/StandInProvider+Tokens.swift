import Foundation
import JWT
import Synchronization

@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// What a code stands for.
struct StandInGrant: Sendable {
    let request: StandInRequest
    let user: StandInProvider.User
}

/// An ID token before it is written.
struct StandInToken: Sendable {
    enum Signature: Sendable {
        /// With the header's algorithm replaced or not: the key signs as its own kind does.
        case key(StandInKey)
        /// HMAC-SHA256 with these bytes as the secret.
        case hmac([UInt8])
        case bytes([UInt8])
    }

    var header: [String: JSONValue]
    var claims: [String: JSONValue]
    var signature: Signature
    /// Bytes instead of ``header`` and ``claims``: what no JSON writer writes.
    var headerText: String?
    var claimsText: String?
    /// The finished text, changed at last.
    var finish: @Sendable (String) -> String = { $0 }

    func text() throws -> String {
        let header = try headerText ?? StandInJSON.text(.object(header))
        let claims = try claimsText ?? StandInJSON.text(.object(claims))
        let signed = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        let bytes =
            switch signature {
            case .key(let key): try key.sign(Array(signed.utf8))
            case .hmac(let secret): HMACSHA256.code(for: Array(signed.utf8), key: secret)
            case .bytes(let bytes): bytes
            }
        return finish("\(signed).\(Base64URL.encode(bytes))")
    }
}

extension StandInProvider {
    /// An error of the token endpoint (RFC 6749 5.2).
    struct TokenError: Error, CustomStringConvertible {
        let code: String
        let description: String
    }

    func tokens(_ request: Request) throws -> Answer {
        do {
            let grant = try grant(for: request)
            return kind == .github ? try gitHubTokens(grant) : try json(.token, tokens(for: grant))
        } catch let error as TokenError {
            state.withLock { $0.problems.append("token: \(error.code): \(error.description)") }
            let members: [String: JSONValue] = [
                "error": .string(error.code), "error_description": .string(error.description),
            ]
            // GitHub reports errors with the status 200.
            let status = error.code == "invalid_client" ? "401 Unauthorized" : "400 Bad Request"
            return .json(try StandInJSON.text(.object(members)), status: kind == .github ? "200 OK" : status)
        }
    }

    private func grant(for request: Request) throws -> StandInGrant {
        func check(_ holds: Bool, _ code: String, _ problem: String) throws {
            guard holds else { throw TokenError(code: code, description: problem) }
        }
        try check(request.method == "POST", "invalid_request", "not a POST")
        let names = request.fields.map(\.0)
        try check(Set(names).count == names.count, "invalid_request", "a parameter twice")
        try checkClient(request)
        let type = request.field("grant_type")
        try check(type == "authorization_code" || kind == .github, "unsupported_grant_type", "\(type ?? "missing")")
        let found = request.field("code").flatMap { code in state.withLock { $0.grants.removeValue(forKey: code) } }
        guard let found else {
            let code = kind == .github ? "bad_verification_code" : "invalid_grant"
            throw TokenError(code: code, description: "the code is unknown or used")
        }
        try check(request.field("redirect_uri") == found.request.redirectURI, "invalid_grant", "another redirect_uri")
        let verifier = request.field("code_verifier") ?? ""
        try check((43...128).contains(verifier.count), "invalid_grant", "no code_verifier")
        let challenge = Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
        try check(challenge == found.request.challenge, "invalid_grant", "the code_verifier does not match")
        return found
    }

    /// Client authentication: Basic or fields of the form, never both (RFC 6749 2.3).
    func checkClient(_ request: Request) throws {
        func refuse(_ problem: String) -> TokenError { TokenError(code: "invalid_client", description: problem) }
        if kind == .apple {
            guard request.field("client_id") == clientID else { throw refuse("another client_id") }
            return try apple.check(request.field("client_secret") ?? "", of: self)
        }
        var (id, secret) = (request.field("client_id"), request.field("client_secret"))
        if let header = request.header("authorization") {
            guard secret == nil, header.hasPrefix("Basic "), let data = Data(base64Encoded: String(header.dropFirst(6)))
            else { throw refuse("two ways of authentication, or not Basic") }
            let pair = String(decoding: data, as: UTF8.self).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, id == nil || id == clientID else { throw refuse("not an id and a secret") }
            // RFC 6749 2.3.1: both are encoded as in a form.
            (id, secret) = (FormCoding.decode(pair[0]), FormCoding.decode(pair[1]))
        }
        guard id == clientID else { throw refuse("the client is \(id ?? "missing")") }
        guard secret == (isPublicClient ? nil : clientSecret) else { throw refuse("another client secret") }
    }

    private func tokens(for grant: StandInGrant) throws -> [String: JSONValue] {
        let access = "access-\(Self.random(16))"
        var members: [String: JSONValue] = [
            "access_token": .string(access), "token_type": "Bearer", "expires_in": 3_600,
            "id_token": .string(try idToken(for: grant, access: access)),
        ]
        if kind == .apple {
            let refresh = "refresh-\(Self.random(16))"
            state.withLock { $0.refreshTokens.append(refresh) }
            members["refresh_token"] = .string(refresh)
        }
        return members
    }

    /// The ID token of a grant, changed as ``idToken(_:)`` wants it.
    func idToken(for grant: StandInGrant, access: String? = nil) throws -> String {
        let key = try key
        var token = StandInToken(
            header: ["alg": .string(key.algorithm.rawValue), "kid": .string(key.id), "typ": "JWT"],
            claims: claims(of: grant, access: access), signature: .key(key))
        if kind == .apple { token.header["typ"] = nil }
        try state.withLock { $0.alterToken }?(&token)
        return try token.text()
    }

    /// The left half of the digest that belongs to the algorithm: of Ed25519 it is SHA-512 (OpenID Connect Core 1.0,
    /// 3.1.3.6).
    private func accessTokenHash(_ access: String) -> String {
        let bytes = Array(access.utf8)
        let digest = algorithm == .eddsa ? SHA512.hash(bytes) : SHA256.hash(bytes)
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }

    private func claims(of grant: StandInGrant, access: String?) -> [String: JSONValue] {
        let (user, now) = (grant.user, clock.now().seconds)
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": .string(user.subject), "aud": .string(clientID),
            "iat": .number(Double(now)), "exp": .number(Double(now + 3_600)),
        ]
        claims["nonce"] = grant.request.nonce.map(JSONValue.string)
        claims["auth_time"] = user.authTime.map { .number(Double($0.seconds)) }
        claims["at_hash"] = access.map { .string(accessTokenHash($0)) }
        if grant.request.scopes.contains("email"), let email = user.email {
            claims["email"] = .string(email)
            switch kind {
            case .apple: claims["email_verified"] = user.emailVerified ? "true" : "false"
            case .microsoft: claims["xms_edov"] = .bool(user.emailVerified)
            default: claims["email_verified"] = .bool(user.emailVerified)
            }
        }
        if grant.request.scopes.contains("profile") { claims["name"] = user.name.map(JSONValue.string) }
        if kind == .apple {
            claims["nonce_supported"] = true
            if user.isPrivateEmail { claims["is_private_email"] = "true" }
        }
        return claims
    }
}
