import Foundation
import JWT

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

/// Algorithms, headers, keys and the form of ID tokens.
extension HostileRow {
    static let keyRows: [HostileRow] = unsignedRows + wrongKeys + [embedded("jwk"), embedded("jku"), embedded("x5u")]

    /// The provider's own key id with a key that comes with the token.
    private static func embedded(_ member: String) -> HostileRow {
        signedElsewhere("a key in the header (\(member))", .keyUnknown) { token, key in
            token.header["kid"] = .string(key.id)
            token.header[member] = member == "jwk" ? .object(key.jwk) : "http://127.0.0.1:9/keys"
        }
    }

    /// A token that is signed with a key which its key set does not have. The key is made before the sign-in: the IdP does
    /// not wait for it.
    private static func signedElsewhere(
        _ name: String, _ problem: ProviderError.AnswerError, _ algorithm: SignatureAlgorithm = .rs256,
        _ change: @escaping @Sendable (inout StandInToken, StandInKey) -> Void
    ) -> HostileRow {
        HostileRow(
            name: name, reason: problem.rawValue,
            prepare: { place in
                let key = try StandInKey(algorithm, id: "elsewhere")
                try place.standIn(.oidc).idToken { token in
                    token.signature = .key(key)
                    change(&token, key)
                }
            })
    }

    private static let unsignedRows: [HostileRow] = [
        unsigned("none"), unsigned("None"), unsigned("nOnE"), unsigned(""),
        token("no alg", .algorithm) { $0.header["alg"] = nil },
        token("alg as a list", .algorithm) { $0.header["alg"] = ["RS256"] },
        hmac("as PEM") { Array(PublicKeyText.pem($0).utf8) }, hmac("as DER") { PublicKeyText.der($0) },
        hmac("as a JWK") { Array(((try? StandInJSON.text(.object($0))) ?? "").utf8) },
        signedElsewhere("an algorithm that its document does not have", .algorithm, .es256) { token, _ in
            token.header["alg"] = "ES256"
        },
    ]

    private static func unsigned(_ name: String) -> HostileRow {
        token("alg \"\(name)\" and no signature", .algorithm) { token in
            token.header["alg"] = .string(name)
            token.signature = .bytes([])
        }
    }

    /// HMAC with the provider's public key as the secret.
    private static func hmac(
        _ form: String, _ secret: @escaping @Sendable ([String: JSONValue]) -> [UInt8]
    ) -> HostileRow {
        HostileRow(
            name: "HS256 with the public key \(form)", reason: "id_token_alg_not_allowed",
            prepare: { place in
                let standIn = try place.standIn(.oidc)
                let bytes = secret(try standIn.key.jwk)
                standIn.idToken { token in
                    token.header["alg"] = "HS256"
                    token.signature = .hmac(bytes)
                }
            })
    }

    private static let wrongKeys: [HostileRow] = [
        HostileRow(
            name: "RS256 in the header and a P-256 key", reason: "id_token_key_alg_mismatch",
            prepare: { place in
                let standIn = try place.standIn(.oidc)
                try standIn.rotateKeys(algorithm: .es256)
                standIn.idToken { $0.header["alg"] = "RS256" }
            }),
        signedElsewhere("a key that is not in its key set", .keyUnknown) { token, key in
            token.header["kid"] = .string(key.id)
        },
        signedElsewhere("another key under a published kid", .signature) { _, _ in },
        signedElsewhere("another key and no kid", .signature) { token, _ in token.header["kid"] = nil },
        signedElsewhere("another key in x5c and a published kid", .signature) { token, _ in
            token.header["x5c"] = ["MIIB"]
        },
        HostileRow(
            name: "key and kid of another provider", kinds: [.oidc, .google], reason: "id_token_key_unknown",
            prepare: { place in
                let other = try place.standIn(.google).key
                try place.standIn(.oidc).idToken { token in
                    token.header["kid"] = .string(other.id)
                    token.signature = .key(other)
                }
            }),
        HostileRow(
            name: "no kid and two keys", reason: "id_token_key_ambiguous",
            prepare: { place in
                let standIn = try place.standIn(.oidc)
                try standIn.rotateKeys(keepingOld: true)
                standIn.idToken { $0.header["kid"] = nil }
            }),
        token("no signature", .tokenParts) { $0.signature = .bytes([]) },
        token("a signature of 256 zeros", .signature) { $0.signature = .bytes([UInt8](repeating: 0, count: 256)) },
        token("crit", .tokenCritical) { $0.header["crit"] = ["exp"] },
        token("b64", .tokenCritical) { $0.header["b64"] = false },
        token("an access token", .tokenType) { $0.header["typ"] = "at+jwt" },
        token("a logout token", .tokenType) { $0.header["typ"] = "logout+jwt" },
        token("kid as a number", .tokenHeader) { $0.header["kid"] = 1 },
        token("kid of 257 bytes", .tokenHeader) { $0.header["kid"] = .string(String(repeating: "k", count: 257)) },
    ]

    /// Spellings of a token that two readers may read differently.
    static let spellingRows: [HostileRow] = [
        token("alg twice in the header", .tokenHeader) { token in
            let kid = token.header["kid"]?.text ?? ""
            token.headerText = "{\"alg\":\"RS256\",\"alg\":\"none\",\"kid\":\"\(kid)\"}"
        },
        token("sub twice in the claims", .claims) { token in
            let text = try StandInJSON.text(.object(token.claims))
            token.claimsText = text.dropLast() + ",\"sub\":\"1\"}"
        },
        token("sub twice, once escaped", .claims) { token in
            let text = try StandInJSON.text(.object(token.claims))
            token.claimsText = text.dropLast() + ",\"\\u0073ub\":\"1\"}"
        },
        token("bytes after the claims", .claims) { token in
            token.claimsText = try StandInJSON.text(.object(token.claims)) + "{}"
        },
        token("claims that are a list", .claims) { $0.claimsText = "[]" },
        token("a header that is a text", .tokenHeader) { $0.headerText = "\"alg\"" },
        token("padding", .tokenParts) { $0.finish = { $0 + "=" } },
        token("a space before it", .tokenParts) { $0.finish = { " " + $0 } },
        token("a line break after it", .tokenParts) { $0.finish = { $0 + "\n" } },
        token("four parts", .tokenParts) { $0.finish = { $0 + ".AAAA" } },
        token("five parts, as of an encrypted token", .tokenParts) { $0.finish = { $0 + ".AAAA.AAAA" } },
        token("two parts", .tokenParts) { token in
            token.finish = { $0.split(separator: ".").prefix(2).joined(separator: ".") }
        },
        token("a dot after it", .tokenParts) { $0.finish = { $0 + "." } },
        token("20 KiB", .tokenTooLarge) { $0.claims["filler"] = .string(String(repeating: "a", count: 20 << 10)) },
        token("an empty text", .tokenParts) { $0.finish = { _ in "" } },
    ]
}
