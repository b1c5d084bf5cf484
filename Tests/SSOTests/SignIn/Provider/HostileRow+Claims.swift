@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

/// Claims of correctly signed ID tokens.
extension HostileRow {
    static let claimRows: [HostileRow] = origin + times + nonces + subjects

    private static let origin: [HostileRow] = [
        claim("iss of another issuer", .issuer, "iss", "https://idp.example.org"),
        claim("no iss", .issuer, "iss", nil),
        claim("iss as a list", .issuer, "iss", ["http://127.0.0.1"]),
        claims("iss with a slash at its end", .issuer) { $0["iss"] = .string(($0["iss"]?.text ?? "") + "/") },
        claims("iss in upper case", .issuer) { $0["iss"] = .string(($0["iss"]?.text ?? "").uppercased()) },
        HostileRow(
            name: "iss of another provider", kinds: [.oidc, .google], reason: "id_token_issuer_mismatch",
            prepare: { place in
                let other = try place.standIn(.google).issuer
                try place.standIn(.oidc).claims { $0["iss"] = .string(other) }
            }),
        claim("aud of another client", .audience, "aud", "another-client"),
        claim("a list with another client", .audience, "aud", ["another-client"]),
        claim("no aud", .audience, "aud", nil),
        claim("an empty list as aud", .audience, "aud", []),
        claim("an empty aud", .audience, "aud", ""),
        claims("aud with a space after the client id", .audience) {
            $0["aud"] = .string(($0["aud"]?.text ?? "") + " ")
        },
        claims("two audiences and no azp", .authorizedParty) { claims in
            claims["aud"] = .array([claims["aud"] ?? .null, "another-client"])
        },
        claims("two audiences and the azp of the other", .authorizedParty) { claims in
            claims["aud"] = .array([claims["aud"] ?? .null, "another-client"])
            claims["azp"] = "another-client"
        },
        claim("azp of another client", .authorizedParty, "azp", "another-client"),
        claims("azp as a list", .authorizedParty) { $0["azp"] = .array([$0["aud"] ?? .null]) },
    ]

    private static let times: [HostileRow] = [
        // The clocks may differ by 60 seconds.
        moved("expired 61 seconds ago", .expired, "exp", from: "iat", by: -61),
        moved("expired exactly 60 seconds ago", .expired, "exp", from: "iat", by: -60),
        moved("issued in 61 seconds", .issuedAt, "iat", from: "iat", by: 61),
        moved("issued more than 10 minutes ago", .tooOld, "iat", from: "iat", by: -601),
        moved("not valid for 61 seconds", .notBefore, "nbf", from: "iat", by: 61),
        moved("authenticated in 61 seconds", .authTime, "auth_time", from: "iat", by: 61),
        claim("no iat", .claims, "iat", nil), claim("no exp", .claims, "exp", nil),
        claim("exp as a text", .claims, "exp", "1895262400"), claim("iat as a text", .claims, "iat", "1795262400"),
        claim("a negative exp", .claims, "exp", -1), claim("exp after the year 9999", .claims, "exp", 253_402_300_800),
        claim("nbf as a list", .claims, "nbf", [0]), claim("auth_time as a text", .authTime, "auth_time", "now"),
    ]

    private static func moved(
        _ name: String, _ problem: ProviderError.AnswerError, _ claim: String, from base: String,
        by seconds: Double
    ) -> HostileRow {
        claims(name, problem) { $0[claim] = .number(($0[base]?.number ?? 0) + seconds) }
    }

    private static let nonces: [HostileRow] = [
        claim("no nonce", .nonce, "nonce", nil), claim("an empty nonce", .nonce, "nonce", ""),
        claim("another nonce", .nonce, "nonce", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        claims("the beginning of the nonce", .nonce) {
            $0["nonce"] = .string(String(($0["nonce"]?.text ?? "").prefix(20)))
        },
        claims("the nonce and more", .nonce) { $0["nonce"] = .string(($0["nonce"]?.text ?? "") + "A") },
        claims("the nonce in a list", .nonce) { $0["nonce"] = .array([$0["nonce"] ?? .null]) },
        otherNonce,
        claim("at_hash of another access token", .accessTokenHash, "at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
        claim("an empty at_hash", .accessTokenHash, "at_hash", ""),
    ]

    /// The nonce of a second attempt of the same browser.
    private static let otherNonce = HostileRow(
        name: "the nonce of another attempt", reason: "nonce_mismatch",
        arrive: { place, browser, answer in
            let standIn = try place.standIn(.oidc)
            let page = try await browser.follow(
                browser.get(place.deployment.authorize(place.client, state: "second-tab")))
            let address = try await standIn.authorizationURL(on: standIn.press(on: page, in: browser))
            let nonce = try WebAddress(address).query("nonce") ?? ""
            standIn.claims { $0["nonce"] = .string(nonce) }
            return try await browser.follow(browser.bring(answer))
        })

    private static let subjects: [HostileRow] = [
        claim("no sub", .subject, "sub", nil), claim("an empty sub", .subject, "sub", ""),
        claim("sub of 256 bytes", .subject, "sub", .string(String(repeating: "s", count: 256))),
        claim("sub with a line break", .subject, "sub", "10021\n10022"),
        claim("sub with a delete character", .subject, "sub", "10021\u{7f}"),
        // The strict reader refuses an escaped NUL, which ends a text in some programs.
        claim("sub with a NUL", .claims, "sub", "10021\u{0}"),
        claim("sub as a number", .subject, "sub", 10021),
        claim("sub with a letter that looks like another", .subject, "sub", "\u{0430}dmin"),
        claim("sub as null", .subject, "sub", .null),
    ]
}
