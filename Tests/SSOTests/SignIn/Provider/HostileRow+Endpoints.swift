import JWT
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit

/// What a provider answers instead of tokens, keys and its document.
extension HostileRow {
    typealias Answer = StandInProvider.Answer

    private static let html = Answer.page("Sign in", "<h1>Maintenance</h1>")
    private static let elsewhere = Answer.redirect(to: "http://127.0.0.1:9/elsewhere", status: "302 Found")
    private static let error = Answer.json("{}", status: "500 Internal Server Error")

    /// JSON with this many bytes and more.
    private static func large(_ kibibytes: Int) -> Answer {
        .json("{\"filler\":\"\(String(repeating: "a", count: kibibytes << 10))\"}")
    }

    // MARK: Tokens

    static let tokenRows: [HostileRow] = [
        answering("a redirect", "token_endpoint_status", status: 502, .token, elsewhere),
        answering(
            "a redirect that keeps the method", "token_endpoint_status", status: 502, .token,
            .redirect(to: "http://127.0.0.1:9/elsewhere", status: "307 Temporary Redirect")),
        answering("a page", "token_endpoint_content_type", status: 502, .token, html),
        answering("an error of the server", "token_endpoint_status", .token, error),
        answering("nothing, and it closes", "token_endpoint_unreachable", .token, .bytesThenClose([])),
        // This row waits five seconds, and so does the one of the keys. No other row waits.
        answering("nothing, and it waits", "token_endpoint_timed_out", .token, .hang),
        answering("70 KiB", "token_endpoint_too_large", status: 502, .token, large(70)),
        answering("300 KiB", "token_endpoint_too_large", status: 502, .token, large(300)),
        answering("text that is no JSON", "token_endpoint_json", status: 502, .token, .json("{\"id_token\":")),
        answering(
            "two id_token members", "token_endpoint_json", status: 502, .token,
            .json("{\"id_token\":\"a\",\"id_token\":\"b\"}")),
        answering(
            "bytes of gzip that end too early", "token_endpoint_content_encoding", status: 502, .token,
            .bytes(
                BackChannelFixture.http(
                    "200 OK", ["Content-Type: application/json", "Content-Encoding: gzip"],
                    [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0xae, 0x05, 0x00]))),
        answering(
            "status 201", "token_endpoint_status", status: 502, .token, .json("{}", status: "201 Created")),
        answering(
            "two content types", "token_endpoint_content_type", status: 502, .token,
            .json("{}", headers: ["Content-Type: text/html"])),
        answering("a list", "id_token_missing", status: 400, .token, .json("[]")),
        altering("no id_token", "id_token_missing", status: 400, .token) { $0["id_token"] = nil },
        altering("an id_token as a number", "id_token_missing", status: 400, .token) { $0["id_token"] = 1 },
        altering("no access token for the at_hash", "at_hash_mismatch", status: 400, .token) {
            $0["access_token"] = nil
        },
        altering("another access token", "at_hash_mismatch", status: 400, .token) {
            $0["access_token"] = "another"
        },
        answering(
            "invalid_grant", "token_endpoint_refused", status: 400, .token,
            .json("{\"error\":\"invalid_grant\"}", status: "400 Bad Request")),
        answering(
            "invalid_client", "token_endpoint_refused", .token,
            .json("{\"error\":\"invalid_client\"}", status: "401 Unauthorized")),
        answering(
            "an error with status 200", "token_endpoint_refused", .token, .json("{\"error\":\"server_error\"}")),
    ]

    // MARK: Keys

    static let keySetRows: [HostileRow] = [
        answering("300 KiB", "jwks_too_large", status: 502, .keys, large(300)),
        answering("nothing, and it waits", "jwks_timed_out", .keys, .hang),
        answering("a page", "jwks_content_type", status: 502, .keys, html),
        answering("a redirect", "jwks_status", status: 502, .keys, elsewhere),
        answering("an error", "jwks_status", .keys, error),
        answering("keys twice", "jwks_json", status: 502, .keys, .json("{\"keys\":[],\"keys\":[]}")),
        altering("no list", "jwks_malformed", .keys) { $0["keys"] = "none" },
        altering("no keys", "jwks_no_usable_key", .keys) { $0["keys"] = [] },
        altering("a key that is a text", "jwks_no_usable_key", .keys) { $0["keys"] = ["key"] },
        altering("1000 keys", "jwks_too_many_keys", .keys) {
            $0["keys"] = .array(Array(repeating: ["kty": "oct"], count: 1000))
        },
        HostileRow(
            name: "two keys under one kid", reason: "id_token_key_ambiguous",
            prepare: { place in
                let standIn = try place.standIn(.oidc)
                let other = try StandInKey(.rs256, id: standIn.key.id)
                standIn.alter(.keys) { $0["keys"] = .array(($0["keys"]?.items ?? []) + [.object(other.jwk)]) }
            }),
        key("a key of RSA with 1024 bits", "jwks_no_usable_key") { key in
            key["n"] = .string(Base64URL.encode([UInt8](repeating: 0xff, count: 128)))
        },
        key("a key with an even modulus", "jwks_no_usable_key") { key in
            key["n"] = .string(Base64URL.encode([UInt8](repeating: 0xfe, count: 256)))
        },
        key("a key with the exponent 1", "jwks_no_usable_key") { $0["e"] = "AQ" },
        key("a key for encryption", "jwks_no_usable_key") { $0["use"] = "enc" },
        key("a key for another algorithm", "jwks_no_usable_key") { $0["alg"] = "RS512" },
        key("a key for HMAC", "jwks_no_usable_key") {
            $0 = ["kty": "oct", "k": "c2VjcmV0", "kid": $0["kid"] ?? .null]
        },
        key("a private key", "jwks_no_usable_key") { $0["d"] = "AQAB" },
        key("a kid that is a number", "jwks_no_usable_key") { $0["kid"] = 1 },
        key("a key without kty", "jwks_no_usable_key") { $0["kty"] = nil },
    ]

    /// A key set whose only key is changed.
    private static func key(
        _ name: String, _ reason: String, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) -> HostileRow {
        altering(name, reason, .keys) { members in
            let keys = (members["keys"]?.items ?? []).map { item -> JSONValue in
                guard case .object(var key) = item else { return item }
                change(&key)
                return .object(key)
            }
            members["keys"] = .array(keys)
        }
    }

    // MARK: Its document

    static let documentRows: [HostileRow] = [
        member("issuer", "https://idp.example.org", "discovery_issuer_mismatch"),
        member("issuer", nil, "discovery_issuer_mismatch"),
        altering("an issuer with a slash", "discovery_issuer_mismatch", .discovery) {
            $0["issuer"] = .string(($0["issuer"]?.text ?? "") + "/")
        },
        member("authorization_endpoint", "http://idp.example.org/authorize", "discovery_endpoint_refused"),
        member("authorization_endpoint", "javascript:alert(1)", "discovery_endpoint_refused"),
        member("token_endpoint", "http://idp.example.org/token", "discovery_endpoint_refused"),
        member("token_endpoint", "http://169.254.169.254/latest", "discovery_endpoint_refused"),
        member("token_endpoint", "https://user:word@idp.example.org/token", "discovery_endpoint_refused"),
        member("token_endpoint", "https://idp.example.org/token#part", "discovery_endpoint_refused"),
        member("token_endpoint", "file:///etc/passwd", "discovery_endpoint_refused"),
        member("token_endpoint", 1, "discovery_endpoint_refused"),
        member("token_endpoint", "https://10.0.0.1/token", "token_endpoint_address_refused"),
        member("token_endpoint", "https://169.254.169.254/token", "token_endpoint_address_refused"),
        member("jwks_uri", "https://192.168.1.1/keys", "jwks_address_refused"),
        member("jwks_uri", "http://10.0.0.1/keys", "discovery_endpoint_refused"),
        member("authorization_endpoint", nil, "discovery_endpoint_missing"),
        member("token_endpoint", nil, "discovery_endpoint_missing"),
        member("jwks_uri", nil, "discovery_endpoint_missing"),
        member("id_token_signing_alg_values_supported", "RS256", "discovery_member_invalid"),
        member("id_token_signing_alg_values_supported", ["none", "HS256"], "discovery_no_common_algorithm"),
        member("token_endpoint_auth_methods_supported", ["private_key_jwt"], "discovery_no_auth_method"),
        answering("a redirect", "discovery_status", status: 502, .discovery, elsewhere),
        answering("a page", "discovery_content_type", status: 502, .discovery, html),
        answering("not found", "discovery_status", status: 502, .discovery, .json("{}", status: "404 Not Found")),
        answering("70 KiB", "discovery_too_large", status: 502, .discovery, large(70)),
        answering("a list", "discovery_issuer_mismatch", .discovery, .json("[]")),
        answering(
            "an issuer twice", "discovery_json", status: 502, .discovery,
            .json("{\"issuer\":\"http://a\",\"issuer\":\"http://b\"}")),
    ]

    private static func member(_ name: String, _ value: JSONValue?, _ reason: String) -> HostileRow {
        altering("\(name) \(value.map { "\($0)" } ?? "missing")", reason, .discovery) { $0[name] = value }
    }
}
