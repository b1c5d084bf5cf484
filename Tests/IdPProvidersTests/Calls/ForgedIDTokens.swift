import SSOShared
import SSOWeb

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// An ID token that must not be believed, and the reason in the log.
struct ForgedIDToken: Sendable, CustomStringConvertible {
    let description: String
    let reason: String
    let change: @Sendable (inout StandInToken, OpenIDFixture) throws -> Void

    init(
        _ description: String, _ reason: String,
        _ change: @escaping @Sendable (inout StandInToken, OpenIDFixture) throws -> Void
    ) {
        self.description = description
        self.reason = reason
        self.change = change
    }

    /// A token with other claims, well signed.
    static func claims(
        _ description: String, _ reason: String, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) -> Self {
        Self(description, reason) { token, _ in change(&token.claims) }
    }

    static func header(_ description: String, _ reason: String, _ name: String, _ value: JSONValue?) -> Self {
        Self(description, reason) { token, _ in token.header[name] = value }
    }

    static func finished(
        _ description: String, _ reason: String, _ finish: @escaping @Sendable (String) -> String
    ) -> Self {
        Self(description, reason) { token, _ in token.finish = finish }
    }

    /// Replaces text in the claims before they are signed.
    static func claimsText(_ description: String, _ reason: String, _ old: String, _ new: String) -> Self {
        Self(description, reason) { token, _ in
            let text = try StandInJSON.text(.object(token.claims))
            guard text.contains(old) else { throw ProbeFailure("\(old) is not in the claims") }
            token.claimsText = text.replacing(old, with: new)
        }
    }

    static let all = algorithms + keys + encodings + headers + origins + times + values

    private static let algorithms: [Self] =
        ["none", "None", "NONE", "nOnE", ""].flatMap { name in
            [
                Self("alg \(name) without a signature", "id_token_alg_not_allowed") { token, _ in
                    token.header = ["alg": .string(name)]
                    token.signature = .bytes([])
                },
                .header("alg \(name) with a signature", "id_token_alg_not_allowed", "alg", .string(name)),
            ]
        }
        + [
            Self("HS256 with the RSA key's PEM as secret", "id_token_alg_not_allowed") { token, fixture in
                token.header = ["alg": "HS256", "kid": "rsa"]
                token.signature = .hmac(Array(pem(fixture.keys.rs256).utf8))
            },
            Self("HS256 with the RSA key's JWK as secret", "id_token_alg_not_allowed") { token, fixture in
                token.header = ["alg": "HS256", "kid": "rsa"]
                token.signature = .hmac(Array(try StandInJSON.text(.object(fixture.keys.rs256.jwk)).utf8))
            },
            Self("HS256 with the client secret", "id_token_alg_not_allowed") { token, _ in
                token.header = ["alg": "HS256"]
                token.signature = .hmac(Array("secret".utf8))
            },
            .header("RS512", "id_token_alg_not_allowed", "alg", "RS512"),
            .header("ES384", "id_token_alg_not_allowed", "alg", "ES384"),
            .header("alg in lower case", "id_token_alg_not_allowed", "alg", "es256"),
            .header("alg with a space", "id_token_alg_not_allowed", "alg", "ES256 "),
            .header("no alg", "id_token_alg_not_allowed", "alg", nil),
            .header("alg that is a list", "id_token_alg_not_allowed", "alg", ["ES256"]),
            Self("RS256 in the header, the key is ES256", "id_token_key_alg_mismatch") { token, _ in
                token.header["alg"] = "RS256"
            },
            Self("RS256 in the header, signed with PSS by the PSS key", "id_token_key_alg_mismatch") { token, fixture in
                token.header = ["alg": "RS256", "kid": "pss"]
                token.signature = .key(fixture.keys.ps256)
            },
            Self("PS256 in the header, the key is for RS256", "id_token_key_alg_mismatch") { token, fixture in
                token.header = ["alg": "PS256", "kid": "rsa"]
                token.signature = .key(fixture.keys.rs256)
            },
            Self("EdDSA in the header, the key is RSA", "id_token_key_alg_mismatch") { token, _ in
                token.header = ["alg": "EdDSA", "kid": "rsa"]
            },
        ]

    private static func pem(_ key: StandInKey) -> String { PublicKeyText.pem(key.jwk) }

    private static let keys: [Self] = [
        Self("signed by another provider's key with our kid", "id_token_signature_invalid") { token, fixture in
            token.signature = .key(fixture.keys.stranger)
        },
        .header("kid of another provider", "id_token_key_unknown", "kid", "stranger"),
        .header("kid of another of the provider's keys", "id_token_key_alg_mismatch", "kid", "ed"),
        .header("kid in another case", "id_token_key_unknown", "kid", "EC"),
        .header("kid that is a path", "id_token_key_unknown", "kid", "../../../dev/null"),
        .header("kid that is a number", "id_token_header_invalid", "kid", 1),
        .header("kid that is empty", "id_token_header_invalid", "kid", ""),
        .header("kid of 257 bytes", "id_token_header_invalid", "kid", .string(String(repeating: "k", count: 257))),
        Self("its own key in jwk", "id_token_signature_invalid") { token, fixture in
            token.header["jwk"] = .object(fixture.keys.stranger.jwk)
            token.signature = .key(fixture.keys.stranger)
        },
        Self("its own key in jwk under its own kid", "id_token_key_unknown") { token, fixture in
            token.header["kid"] = "mine"
            token.header["jwk"] = .object(fixture.keys.stranger.jwk)
            token.signature = .key(fixture.keys.stranger)
        },
        Self("its own keys at jku", "id_token_signature_invalid") { token, fixture in
            token.header["jku"] = "https://evil.example/keys"
            token.signature = .key(fixture.keys.stranger)
        },
        Self("its own certificate in x5c and at x5u", "id_token_signature_invalid") { token, fixture in
            token.header["x5c"] = ["MIIB"]
            token.header["x5u"] = "https://evil.example/cert"
            token.signature = .key(fixture.keys.stranger)
        },
        Self("a signature of zeros", "id_token_signature_invalid") { token, _ in
            token.signature = .bytes([UInt8](repeating: 0, count: 64))
        },
        Self("a signature that is too short", "id_token_signature_invalid") { token, _ in
            token.signature = .bytes([1, 2, 3])
        },
        Self("an RSA signature of zeros", "id_token_signature_invalid") { token, _ in
            token.header = ["alg": "RS256", "kid": "rsa"]
            token.signature = .bytes([UInt8](repeating: 0, count: 256))
        },
        Self("an Ed25519 signature of zeros", "id_token_signature_invalid") { token, _ in
            token.header = ["alg": "EdDSA", "kid": "ed"]
            token.signature = .bytes([UInt8](repeating: 0, count: 64))
        },
        Self("claims changed after signing", "id_token_signature_invalid") { token, _ in
            let claims = token.claims
            token.finish = { text in
                var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                var changed = claims
                changed["sub"] = "somebody-else"
                parts[1] = Base64URL.encode(Array(((try? StandInJSON.text(.object(changed))) ?? "").utf8))
                return parts.joined(separator: ".")
            }
        },
    ]

    private static let encodings: [Self] = [
        .finished("no signature and its dot", "id_token_malformed") {
            String($0[..<($0.lastIndex(of: ".") ?? $0.endIndex)])
        },
        .finished("an empty signature", "id_token_malformed") {
            String($0[...($0.lastIndex(of: ".") ?? $0.startIndex)])
        },
        .finished("a dot at the end", "id_token_malformed") { $0 + "." },
        .finished("five parts, as JWE has", "id_token_malformed") { $0 + ".a.a" },
        .finished("padding", "id_token_malformed") { $0 + "==" },
        .finished("a space at the end", "id_token_malformed") { $0 + " " },
        .finished("a line end at the end", "id_token_malformed") { $0 + "\n" },
        .finished("the alphabet of base64", "id_token_malformed") { $0 + "+/" },
        .finished("a last digit with unused bits", "id_token_malformed") { text in
            // 64 bytes end in a digit of which four bits are unused.
            text.dropLast() + (text.last == "A" ? "B" : text.last == "Q" ? "R" : text.last == "g" ? "h" : "x")
        },
        .finished("an empty text", "id_token_malformed") { _ in "" },
        .finished("two dots", "id_token_malformed") { _ in ".." },
        .finished("17 KiB", "id_token_too_large") { $0 + String(repeating: "A", count: 17 << 10) },
    ]

    private static let headers: [Self] = [
        .header("crit", "id_token_crit", "crit", ["exp"]),
        .header("an empty crit", "id_token_crit", "crit", []),
        .header("crit that is null", "id_token_crit", "crit", .null),
        .header("b64", "id_token_crit", "b64", false),
        .header("typ of an access token", "id_token_typ_invalid", "typ", "at+jwt"),
        .header("typ of a logout token", "id_token_typ_invalid", "typ", "logout+jwt"),
        .header("typ that is a number", "id_token_typ_invalid", "typ", 1),
        Self("alg twice in the header", "id_token_header_invalid") { token, _ in
            token.headerText = #"{"alg":"none","kid":"ec","alg":"ES256"}"#
        },
        Self("a header with a comma at its end", "id_token_header_invalid") { token, _ in
            token.headerText = #"{"alg":"ES256","kid":"ec",}"#
        },
        Self("a header that is a list", "id_token_header_invalid") { token, _ in token.headerText = #"["ES256"]"# },
        Self("a header in UTF-16", "id_token_header_invalid") { token, _ in
            token.headerText = #"{"alg":"ES256"}"#.map { "\($0)\0" }.joined()
        },
    ]

    private static let origins: [Self] = [
        .claims("no iss", "id_token_issuer_mismatch") { $0["iss"] = nil },
        .claims("iss of another provider", "id_token_issuer_mismatch") { $0["iss"] = "https://other.example" },
        .claims("iss with a slash at its end", "id_token_issuer_mismatch") { $0["iss"] = "https://op.example/" },
        .claims("iss with http", "id_token_issuer_mismatch") { $0["iss"] = "http://op.example" },
        .claims("iss in upper case", "id_token_issuer_mismatch") { $0["iss"] = "https://OP.example" },
        .claims("iss that is a list", "id_token_issuer_mismatch") { $0["iss"] = ["https://op.example"] },
        .claimsText(
            "iss twice", "id_token_claims_invalid", #""iss":"#, #""iss":"https://other.example","iss":"#),
        .claims("no aud", "id_token_audience_mismatch") { $0["aud"] = nil },
        .claims("aud of another client", "id_token_audience_mismatch") { $0["aud"] = "other" },
        .claims("aud that begins like ours", "id_token_audience_mismatch") { $0["aud"] = "client2" },
        .claims("aud with ours in a longer text", "id_token_audience_mismatch") { $0["aud"] = "other client" },
        .claims("an empty list of audiences", "id_token_audience_mismatch") { $0["aud"] = [] },
        .claims("a list of other audiences", "id_token_audience_mismatch") { $0["aud"] = ["a", "b"] },
        .claims("a list with a number", "id_token_audience_mismatch") { $0["aud"] = ["client", 1] },
        .claims("our aud with a foreign one and no azp", "id_token_azp_mismatch") { $0["aud"] = ["client", "other"] },
        .claims("our aud with a foreign one that is azp", "id_token_azp_mismatch") {
            $0["aud"] = ["client", "other"]
            $0["azp"] = "other"
        },
        .claims("azp of another client", "id_token_azp_mismatch") { $0["azp"] = "other" },
        .claims("azp that is a list", "id_token_azp_mismatch") { $0["azp"] = ["client"] },
        .claims("two audiences and an azp that is null", "id_token_azp_mismatch") {
            $0["aud"] = ["client", "other"]
            $0["azp"] = .null
        },
        .claims("no nonce", "nonce_mismatch") { $0["nonce"] = nil },
        .claims("an empty nonce", "nonce_mismatch") { $0["nonce"] = "" },
        .claims("a nonce that is null", "nonce_mismatch") { $0["nonce"] = .null },
        .claims("the nonce of another flow", "nonce_mismatch") { $0["nonce"] = "other" },
        .claims("the beginning of the nonce", "nonce_mismatch") { $0["nonce"] = "n-0S6" },
        .claims("the nonce and more", "nonce_mismatch") { $0["nonce"] = "n-0S6_WzA2Mjx" },
        .claims("the nonce in another case", "nonce_mismatch") { $0["nonce"] = "N-0S6_WZA2MJ" },
        .claims("the nonce in a list", "nonce_mismatch") { $0["nonce"] = ["n-0S6_WzA2Mj"] },
        .claims("at_hash of another access token", "at_hash_mismatch") { $0["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" },
        .claims("the whole hash as at_hash", "at_hash_mismatch") {
            $0["at_hash"] = .string(Base64URL.encode(SHA256.hash(Array(OpenIDFixture.accessToken.utf8))))
        },
        .claims("an empty at_hash", "at_hash_mismatch") { $0["at_hash"] = "" },
        .claims("at_hash that is a number", "at_hash_mismatch") { $0["at_hash"] = 1 },
    ]

    /// Seconds from now.
    private static func time(_ description: String, _ reason: String, _ name: String, _ seconds: Double) -> Self {
        Self(description, reason) { token, fixture in
            token.claims[name] = .number(Double(fixture.clock.now.seconds) + seconds)
        }
    }

    private static let times: [Self] = [
        .claims("no exp", "id_token_claims_invalid") { $0["exp"] = nil },
        time("expired 60 seconds ago", "id_token_expired", "exp", -60),
        time("expired yesterday", "id_token_expired", "exp", -86400),
        .claims("exp as a text", "id_token_claims_invalid") { $0["exp"] = "1795266000" },
        .claims("exp that is negative", "id_token_claims_invalid") { $0["exp"] = -1 },
        .claims("exp that is null", "id_token_claims_invalid") { $0["exp"] = .null },
        .claims("iat that is null", "id_token_claims_invalid") { $0["iat"] = .null },
        .claims("exp in milliseconds", "id_token_claims_invalid") { $0["exp"] = 1_795_266_000_000 },
        .claimsText("exp of 1e400", "id_token_claims_invalid", #""exp":1795266000"#, #""exp":1e400"#),
        .claimsText("exp of NaN", "id_token_claims_invalid", #""exp":1795266000"#, #""exp":NaN"#),
        .claimsText("exp twice", "id_token_claims_invalid", #""exp":1795266000"#, #""exp":1,"exp":1795266000"#),
        .claims("no iat", "id_token_claims_invalid") { $0["iat"] = nil },
        .claims("iat as a text", "id_token_claims_invalid") { $0["iat"] = "1795262400" },
        time("issued 61 seconds from now", "id_token_issued_in_future", "iat", 61),
        time("issued 601 seconds ago", "id_token_too_old", "iat", -601),
        time("not valid before 61 seconds from now", "id_token_not_yet_valid", "nbf", 61),
        .claims("nbf as a text", "id_token_claims_invalid") { $0["nbf"] = "0" },
        time("signed in 61 seconds from now", "id_token_auth_time_invalid", "auth_time", 61),
        .claims("auth_time as a text", "id_token_auth_time_invalid") { $0["auth_time"] = "1795262400" },
    ]

    private static let values: [Self] = [
        .claims("no sub", "id_token_subject_invalid") { $0["sub"] = nil },
        .claims("sub that is null", "id_token_subject_invalid") { $0["sub"] = .null },
        .claims("an empty sub", "id_token_subject_invalid") { $0["sub"] = "" },
        .claims("sub of 256 bytes", "id_token_subject_invalid") {
            $0["sub"] = .string(String(repeating: "s", count: 256))
        },
        .claims("sub with a line end", "id_token_subject_invalid") { $0["sub"] = "a\nb" },
        .claims("sub with a character beyond ASCII", "id_token_subject_invalid") { $0["sub"] = "änn" },
        .claims("sub that is a number", "id_token_subject_invalid") { $0["sub"] = 248_289_761_001 },
        .claimsText("sub with an escaped NUL", "id_token_claims_invalid", "248289761001", "2482\\u0000"),
        .claimsText("half of a surrogate pair", "id_token_claims_invalid", "Ann Lee", "\\ud800"),
        .claimsText("something after the claims", "id_token_claims_invalid", #"248289761001"}"#, #"248289761001"}{}"#),
        Self("claims that are a list", "id_token_claims_invalid") { token, _ in token.claimsText = "[]" },
        Self("claims that are no JSON", "id_token_claims_invalid") { token, _ in token.claimsText = "iss=op" },
    ]
}
