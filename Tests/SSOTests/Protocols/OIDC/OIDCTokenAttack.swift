import SSOShared

@testable import IdPClients
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Requests at the token endpoint that are refused.
enum OIDCTokenAttack {
    typealias Change = @Sendable (inout Sent, TestDeployment) -> Void

    /// A request for tokens.
    struct Sent: Sendable {
        var fields: [(String, String)]
        var authorization: String?
        var type = "application/x-www-form-urlencoded"

        subscript(name: String) -> String? {
            get { fields.first { $0.0 == name }?.1 }
            set {
                fields.removeAll { $0.0 == name }
                if let newValue { fields.append((name, newValue)) }
            }
        }
    }

    /// Name, change, error on the wire, cause in the log. None of them uses up the code.
    static let table: [(name: String, change: Change, error: String, cause: String)] = [
        ("no client", { sent, _ in sent.authorization = nil }, "invalid_client", "client_id_missing"),
        (
            "no secret",
            { sent, _ in
                sent.authorization = nil; sent["client_id"] = "partner-1"
            }, "invalid_client", "client_secret_wrong"
        ),
        (
            "empty secret", { sent, _ in sent.authorization = TestDeployment.basic("partner-1", "") }, "invalid_client",
            "client_secret_wrong"
        ),
        (
            "wrong secret", { sent, _ in sent.authorization = TestDeployment.basic("partner-1", "wrong") },
            "invalid_client", "client_secret_wrong"
        ),
        (
            "secret of another client",
            { sent, d in sent.authorization = TestDeployment.basic("partner-1", d.clients[1].secret) },
            "invalid_client", "client_secret_wrong"
        ),
        (
            "secret and a byte more",
            { sent, d in sent.authorization = TestDeployment.basic("partner-1", d.client.secret + "a") },
            "invalid_client", "client_secret_wrong"
        ),
        (
            "unknown client", { sent, _ in sent.authorization = TestDeployment.basic("nobody", "wrong") },
            "invalid_client", "client_unknown"
        ),
        (
            "fingerprint for secret",
            { sent, d in
                sent.authorization = TestDeployment.basic(
                    "partner-1", d.idp.clients.clients.client(id: "partner-1")?.fingerprints[0] ?? "")
            }, "invalid_client", "client_secret_wrong"
        ),
        (
            "two secrets", { sent, d in sent["client_secret"] = d.client.secret }, "invalid_request",
            "client_secret_wrong"
        ),
        ("another client_id", { sent, _ in sent["client_id"] = "partner-2" }, "invalid_request", "client_id_wrong"),
        ("bearer", { sent, _ in sent.authorization = "Bearer abc" }, "invalid_client", "Authorization_wrong"),
        ("no base64", { sent, _ in sent.authorization = "Basic !!!" }, "invalid_client", "Authorization_wrong"),
        ("no colon", { sent, _ in sent.authorization = "Basic YWJj" }, "invalid_client", "Authorization_wrong"),
        (
            "client_id twice", { sent, _ in sent.fields += [("client_id", "partner-1"), ("client_id", "partner-1")] },
            "invalid_request", "client_id_repeated"
        ),
        ("grant_type missing", { sent, _ in sent["grant_type"] = nil }, "invalid_request", "grant_type_missing"),
        (
            "grant_type twice", { sent, _ in sent.fields.append(("grant_type", "refresh_token")) }, "invalid_request",
            "grant_type_repeated"
        ),
        ("password", { sent, _ in sent["grant_type"] = "password" }, "unsupported_grant_type", "grant_type"),
        (
            "client_credentials", { sent, _ in sent["grant_type"] = "client_credentials" }, "unsupported_grant_type",
            "grant_type"
        ),
        ("implicit", { sent, _ in sent["grant_type"] = "implicit" }, "unsupported_grant_type", "grant_type"),
        (
            "device", { sent, _ in sent["grant_type"] = "urn:ietf:params:oauth:grant-type:device_code" },
            "unsupported_grant_type", "grant_type"
        ),
        (
            "token exchange", { sent, _ in sent["grant_type"] = "urn:ietf:params:oauth:grant-type:token-exchange" },
            "unsupported_grant_type", "grant_type"
        ),
        (
            "grant_type in capitals", { sent, _ in sent["grant_type"] = "AUTHORIZATION_CODE" },
            "unsupported_grant_type", "grant_type"
        ),
        ("code missing", { sent, _ in sent["code"] = nil }, "invalid_request", "code_missing"),
        ("code empty", { sent, _ in sent["code"] = "" }, "invalid_request", "code_missing"),
        (
            "code twice", { sent, _ in sent.fields.append(("code", sent["code"] ?? "")) }, "invalid_request",
            "code_repeated"
        ),
        (
            "code as a list", { sent, _ in sent.fields.append(("code[]", sent["code"] ?? "")) }, "invalid_request",
            "code_repeated"
        ),
        (
            "a long code", { sent, _ in sent["code"] = "soc_" + String(repeating: "A", count: 3000) }, "invalid_grant",
            "malformed_token"
        ),
        ("code of another form", { sent, _ in sent["code"] = "abc" }, "invalid_grant", "malformed_token"),
        (
            "code as an SSO token", { sent, _ in sent["code"] = "sst_" + (sent["code"] ?? "").dropFirst(4) },
            "invalid_grant", "malformed_token"
        ),
        (
            "code as an access token", { sent, _ in sent["code"] = "soa_" + (sent["code"] ?? "").dropFirst(4) },
            "invalid_grant", "malformed_token"
        ),
        (
            "code with a space", { sent, _ in sent["code"] = " " + (sent["code"] ?? "") }, "invalid_grant",
            "malformed_token"
        ),
        (
            "another code", { sent, _ in sent["code"] = "soc_" + String(repeating: "A", count: 43) }, "invalid_grant",
            "unknown"
        ),
        (
            "redirect_uri and verifier missing",
            { sent, _ in
                sent["redirect_uri"] = nil; sent["code_verifier"] = nil
            }, "invalid_request", "redirect_uri_missing"
        ),
        (
            "redirect_uri missing, another verifier",
            { sent, _ in
                sent["redirect_uri"] = nil; sent["code_verifier"] = String(repeating: "b", count: 43)
            }, "invalid_grant", "code_verifier_wrong"
        ),
        (
            "redirect_uri with a slash", { sent, _ in sent["redirect_uri"] = (sent["redirect_uri"] ?? "") + "/" },
            "invalid_grant", "redirect_uri_differs"
        ),
        (
            "redirect_uri in capitals", { sent, _ in sent["redirect_uri"] = sent["redirect_uri"]?.uppercased() },
            "invalid_grant", "redirect_uri_differs"
        ),
        (
            "redirect_uri of an attacker", { sent, _ in sent["redirect_uri"] = "https://evil.example/" },
            "invalid_grant", "redirect_uri_differs"
        ),
        ("no verifier", { sent, _ in sent["code_verifier"] = nil }, "invalid_grant", "code_verifier_missing"),
        (
            "another verifier", { sent, _ in sent["code_verifier"] = String(repeating: "b", count: 43) },
            "invalid_grant", "code_verifier_wrong"
        ),
        (
            "the challenge as verifier",
            { sent, _ in sent["code_verifier"] = CodeChallenge.s256(sent["code_verifier"] ?? "") }, "invalid_grant",
            "code_verifier_wrong"
        ),
        ("a short verifier", { sent, _ in sent["code_verifier"] = "abc" }, "invalid_grant", "malformed_code_verifier"),
        (
            "verifier twice", { sent, _ in sent.fields.append(("code_verifier", "x")) }, "invalid_request",
            "code_verifier_repeated"
        ),
        (
            "refresh with a code",
            { sent, _ in
                sent["refresh_token"] = sent["code"]; sent["grant_type"] = "refresh_token"
            }, "invalid_grant", "malformed_token"
        ),
        (
            "refresh with a long token",
            { sent, _ in
                sent["refresh_token"] = "sor_" + String(repeating: "A", count: 3000)
                sent["grant_type"] = "refresh_token"
            }, "invalid_grant", "malformed_token"
        ),
        (
            "refresh without a token", { sent, _ in sent["grant_type"] = "refresh_token" }, "invalid_request",
            "refresh_token_missing"
        ),
        (
            "an unknown refresh token",
            { sent, _ in
                sent["grant_type"] = "refresh_token"; sent["refresh_token"] = "sor_" + String(repeating: "A", count: 43)
            }, "invalid_grant", "unknown"
        ),
        ("JSON", { sent, _ in sent.type = "application/json" }, "invalid_request", "content_type"),
        ("no type", { sent, _ in sent.type = "text/plain" }, "invalid_request", "content_type"),
        (
            "many fields", { sent, _ in sent.fields += (0..<70).map { ("f\($0)", "") } }, "invalid_request",
            "client_id_malformed"
        ),
        (
            "a long body", { sent, _ in sent["x"] = String(repeating: "x", count: 17 << 10) }, "invalid_request",
            "body_too_large"
        ),
    ]
}
