import Foundation
import JWT
import SSOShared
import SSOWeb
import Synchronization

@testable import TestKit
@testable import WebTestKit

/// A Services ID at Apple: its key, and the check of the client secrets that are signed with it.
struct StandInAppleClient: Sendable {
    let teamID = "TEAM123456"
    let keyID = "KEY7890123"
    /// The text of the `.p8` file.
    let pem: String
    let key: PrivateKey

    init() throws {
        pem = try TestKeys.new().pem
        key = try PrivateKey(pem: pem)
    }

    /// Apple's rules for a client secret: ES256 with the registered key, `iss`, `sub`, `aud`, and at most six months.
    func check(_ secret: String, of provider: StandInProvider) throws {
        func check(_ holds: Bool, _ problem: String) throws {
            guard holds else {
                throw StandInProvider.TokenError(code: "invalid_client", description: "client secret: \(problem)")
            }
        }
        let parts = secret.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try check(parts.count == 3, "not a JWT")
        let decoded = parts.map { Base64URL.decode($0) ?? [] }
        guard let header = try? JSONDecoding.value(decoded[0]), let claims = try? JSONDecoding.value(decoded[1]) else {
            return try check(false, "not JSON")
        }
        try check(header["alg"]?.text == "ES256", "alg is not ES256")
        try check(header["kid"]?.text == keyID, "kid is not the key's id")
        try check(
            key.publicKey().isValid(decoded[2], for: Array("\(parts[0]).\(parts[1])".utf8), .es256),
            "another signature")
        try check(claims["iss"]?.text == teamID, "iss is not the team")
        try check(claims["sub"]?.text == provider.clientID, "sub is not the Services ID")
        try check(claims["aud"]?.text == provider.issuer, "aud is not the issuer")
        let now = Double(provider.clock.now().seconds)
        guard let issued = claims["iat"]?.number, let expires = claims["exp"]?.number else {
            return try check(false, "no iat or no exp")
        }
        try check(issued <= now + 60, "iat is in the future")
        try check(expires > now, "expired")
        try check(expires <= now + 15_777_000, "exp is more than six months away")
    }
}

extension StandInProvider {
    /// The field `user`, which Apple sends with the first answer only. The server cannot trust it.
    func appleUser(_ request: StandInRequest) throws -> String? {
        var members: [String: JSONValue] = [:]
        if request.scopes.contains("name"), let name = user.name {
            let words = name.split(separator: " ", maxSplits: 1).map(String.init)
            members["name"] = [
                "firstName": .string(words.first ?? ""), "lastName": .string(words.count > 1 ? words[1] : ""),
            ]
        }
        if request.scopes.contains("email") { members["email"] = user.email.map(JSONValue.string) }
        return members.isEmpty ? nil : try StandInJSON.text(.object(members))
    }

    /// Sends `user` again with the next answer: the user has withdrawn the consent.
    func forgetConsent() { state.withLock { $0.knownSubjects = [] } }

    func revocation(_ request: Request) throws -> Answer {
        do {
            try checkClient(request)
        } catch let error as TokenError {
            state.withLock { $0.problems.append("revoke: \(error.description)") }
            return .json("{\"error\":\"\(error.code)\"}", status: "400 Bad Request")
        }
        guard let token = request.field("token"), state.withLock({ $0.refreshTokens.contains(token) }) else {
            throw ProbeFailure("no token to revoke")
        }
        state.withLock { $0.revoked.append(token) }
        return .bytes(BackChannelFixture.http("200 OK", [], []))
    }

    /// The body of a notification from Apple's server: `{"payload": JWS}`, its `events` JSON inside a text.
    ///
    /// - Parameters:
    ///   - event: `consent-revoked`, `account-deleted`, `email-disabled` or `email-enabled`.
    ///   - change: changes the JWS before it is signed.
    func notification(
        _ event: String, subject: String, email: String? = nil,
        _ change: (inout StandInToken) throws -> Void = { _ in }
    ) throws -> String {
        let now = clock.now().seconds
        var details: [String: JSONValue] = [
            "type": .string(event), "sub": .string(subject), "event_time": .number(Double(now) * 1_000),
        ]
        if let email {
            details["email"] = .string(email)
            details["is_private_email"] = "true"
        }
        let key = try key
        var token = StandInToken(
            header: ["alg": .string(key.algorithm.rawValue), "kid": .string(key.id)],
            claims: [
                "iss": .string(issuer), "aud": .string(clientID), "iat": .number(Double(now)),
                "exp": .number(Double(now + 86_400)), "jti": .string(Self.random(16)),
                "events": .string(try StandInJSON.text(.object(details))),
            ], signature: .key(key))
        try change(&token)
        return try StandInJSON.text(["payload": .string(token.text())])
    }
}
