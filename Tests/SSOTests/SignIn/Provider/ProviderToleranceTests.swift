import ProbeKit
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// What the standards permit a provider signs in, so that no refusal of ``HostileProviderTests`` is too wide.
@Suite("An honest provider at the limits of the rules", .program, .alsoOnPostgres)
struct ProviderToleranceTests {
    private static let rows: [HostileRow] = [
        HostileRow.claims("expired 59 seconds ago", .expired) { $0["exp"] = .number(($0["iat"]?.number ?? 0) - 59) },
        HostileRow.claims("issued in 60 seconds", .issuedAt) { $0["iat"] = .number(($0["iat"]?.number ?? 0) + 60) },
        HostileRow.claims("issued 10 minutes ago", .tooOld) { $0["iat"] = .number(($0["iat"]?.number ?? 0) - 600) },
        HostileRow.claims("valid in 60 seconds", .notBefore) { $0["nbf"] = .number(($0["iat"]?.number ?? 0) + 60) },
        HostileRow.claims("aud as a list", .audience) { $0["aud"] = .array([$0["aud"] ?? .null]) },
        HostileRow.claims("two audiences, and azp is ours", .authorizedParty) { claims in
            claims["azp"] = claims["aud"]
            claims["aud"] = .array([claims["aud"] ?? .null, "another-client"])
        },
        HostileRow.claim("no at_hash", .accessTokenHash, "at_hash", nil),
        HostileRow.claim("sub of 255 bytes", .subject, "sub", .string(String(repeating: "s", count: 255))),
        HostileRow.claim("email_verified as a text", .claims, "email_verified", "true"),
        HostileRow.claim("a claim of its own", .claims, "https://idp.example.org/groups", ["staff", 1, .null]),
        HostileRow.token("no kid and one key", .keyAmbiguous) { $0.header["kid"] = nil },
        HostileRow.token("no typ", .tokenType) { $0.header["typ"] = nil },
        HostileRow.token("typ in lower case", .tokenType) { $0.header["typ"] = "jwt" },
        HostileRow.token("a certificate in the header", .keyUnknown) { $0.header["x5c"] = ["MIIB"] },
        HostileRow.altering("keys that are not for us beside its own", "", .keys) { members in
            let others: [JSONValue] = [
                ["kty": "oct", "kid": "a", "k": "c2VjcmV0"], ["kty": "future", "kid": "b"],
                ["kty": "EC", "crv": "P-521", "kid": "c", "use": "enc"],
            ]
            members["keys"] = .array(others + (members["keys"]?.items ?? []))
        },
        HostileRow.claims("valid for a year", .expired) { $0["exp"] = .number(($0["iat"]?.number ?? 0) + 31_536_000) },
        HostileRow.claims("optional claims that are null", .claims) { claims in
            for name in ["azp", "nbf", "auth_time", "at_hash", "acr", "name"] { claims[name] = .null }
        },
        HostileRow.altering("its key twice and once more for PS256", "", .keys) { members in
            let keys = members["keys"]?.items ?? []
            let others = keys.map { item -> JSONValue in
                guard case .object(var key) = item else { return item }
                key["alg"] = "PS256"
                return .object(key)
            }
            members["keys"] = .array(keys + keys + others)
        },
        HostileRow.altering("entries that are no keys", "", .keys) {
            $0["keys"] = .array([["kid": "x", "use": "sig"], [:], .null, 1] + ($0["keys"]?.items ?? []))
        },
        HostileRow.altering("members that are null", "", .discovery) { members in
            for name in ["revocation_endpoint", "userinfo_endpoint", "token_endpoint_auth_methods_supported"] {
                members[name] = .null
            }
        },
        HostileRow.altering("an error that is null", "", .token) { $0["error"] = .null },
        HostileRow.altering("an error that is empty", "", .token) { ($0["error"], $0["expires_in"]) = ("", "3600") },
        compressed,
        HostileRow(
            name: "its keys only for those who ask for a key set", reason: "",
            prepare: { place in
                let standIn = try place.standIn(.oidc)
                standIn.replace(.keys) { [weak standIn] request in
                    guard request.header("accept")?.contains("application/jwk-set+json") == true, let standIn else {
                        return .json("{}", status: "406 Not Acceptable")
                    }
                    let keys = Array(try StandInJSON.text(.object(standIn.keySet)).utf8)
                    return .bytes(BackChannelFixture.http("200 OK", ["Content-Type: application/jwk-set+json"], keys))
                }
            }),
        HostileRow(
            name: "the secret only in the form, although its document lists both", reason: "",
            prepare: { place in
                let standIn = try place.standIn(.oidc)
                standIn.replace(.token) { [weak standIn] request in
                    guard request.header("authorization") == nil, let standIn else {
                        return .json("{\"error\":\"invalid_client\"}", status: "401 Unauthorized")
                    }
                    return try standIn.honest(request)
                }
            }),
        HostileRow.altering("no list of authentication methods", "", .discovery) {
            $0["token_endpoint_auth_methods_supported"] = nil
        },
    ]

    /// Its document and its keys come with gzip.
    private static let compressed = HostileRow(
        name: "compressed documents", reason: "",
        prepare: { place in
            let standIn = try place.standIn(.oidc)
            for (endpoint, members) in [
                (StandInProvider.Endpoint.discovery, standIn.discovery), (.keys, standIn.keySet),
            ] {
                let body = PackedBody.gzip(try StandInJSON.text(.object(members)))
                let head = ["Content-Type: application/json", "Content-Encoding: gzip"]
                standIn.replace(endpoint) { _ in .bytes(BackChannelFixture.http("200 OK", head, body)) }
            }
        })

    @Test("signs its users in", arguments: rows)
    func permitted(row: HostileRow) async throws {
        try await ProviderDeployment.open(row.kinds) { place in
            place.deployment.clock.advance(by: .hours(25))
            try row.prepare(place)
            let complete = try await place.signIn(.oidc, in: place.deployment.browser())
            #expect(try complete.token().hasPrefix("sst_"), "\(row.name)")
            #expect(place.refusalReasons.isEmpty)
        }
    }

    @Test("the name in Apple's form is text on our pages and only ever the name of a new account")
    func appleName() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let deployment = place.deployment
            func signIn(_ browser: Browser, user: String, state: String) async throws -> Visit {
                let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: state)))
                let answer = try await place.standIn(.apple).visit(from: page, in: browser)
                return try await browser.follow(browser.bring(answer.with(["user": user])))
            }
            let script = "<script>alert(1)</script>"
            let browser = deployment.browser()
            let first = try await signIn(
                browser, user: "{\"name\":{\"firstName\":\"\(script)\",\"lastName\":\"Lee\"}}", state: "1")
            #expect(try first.token().hasPrefix("sst_"))
            let home = try await browser.get(deployment.origin + "/")
            #expect(!home.text.contains("<script>alert"))
            // Replayed later: somebody who holds the browser cannot rename the account.
            let again = try await signIn(
                deployment.browser(), user: "{\"name\":{\"firstName\":\"Mallory\"}}", state: "2")
            #expect(try again.token().hasPrefix("sst_"))
            #expect(try await deployment.stored.accounts.named("\(script) Lee").count() == 1)
        }
    }

    @Test(
        "an odd name in Apple's form is ignored, and the user gets in",
        arguments: [
            "not JSON", "[]", "{\"name\":\"Ann\"}", "{\"name\":{\"firstName\":1}}",
            "{\"name\":{\"firstName\":\"A\",\"firstName\":\"B\"}}", "{\"name\":{\"firstName\":\"\\u202eAnn\"}}",
        ])
    func oddAppleName(user: String) async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            let answer = try await place.standIn(.apple).visit(from: page, in: browser)
            let complete = try await browser.follow(browser.bring(answer.with(["user": user])))
            #expect(try complete.token().hasPrefix("sst_"))
            #expect(try await deployment.stored.accounts.named("ann").count() == 1)
        }
    }
}
