@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// What a browser brings to the callback.
extension HostileRow {
    static let answerRows: [HostileRow] = fields + states + issuers + errors

    private static let fields: [HostileRow] = [
        bringing("no code and no error", "malformed_answer", ["code": nil]),
        bringing("an empty code", "malformed_answer", ["code": ""]),
        bringing("a code and an error", "malformed_answer", ["error": "access_denied"]),
        bringing("a code with a line break", "malformed_answer", ["code": "code-1\nx"]),
        bringing("a code with a letter beyond ASCII", "malformed_answer", ["code": "cod\u{e9}"]),
        bringing(
            "a code of 4097 bytes", "malformed_answer", ["code": .some(String(repeating: "c", count: 4097))]),
        bringing("an unknown code", "token_endpoint_refused", ["code": "code-of-nobody"]),
        HostileRow(
            name: "an unspent code of another browser's attempt", reason: "token_endpoint_refused",
            arrive: { place, browser, answer in
                let (other, standIn) = (place.deployment.browser(), try place.standIn(.oidc))
                let page = try await other.get(place.deployment.origin + "/sign-in")
                // PKCE: the provider knows the verifier of the attempt that the code is for.
                let code = try await standIn.visit(from: page, in: other).code
                return try await browser.follow(browser.bring(answer.with(["code": code])))
            }),
        adding("a code twice", [("code", "code-of-another")]),
        adding("an issuer twice", [("iss", "https://idp.example.org")]),
    ]

    private static let states: [HostileRow] = [
        bringing("no state", "malformed_answer", ["state": nil]),
        bringing("an empty state", "malformed_answer", ["state": ""]),
        adding("a state twice", [("state", "another")]),
        HostileRow(
            name: "an altered state", reason: "unknown_state",
            arrive: { _, browser, answer in
                let other = (answer.state.hasPrefix("A") ? "B" : "A") + answer.state.dropFirst()
                return try await browser.follow(browser.bring(answer.with(["state": other])))
            }),
        HostileRow(
            name: "65 bytes after the state", reason: "unknown_state",
            arrive: { _, browser, answer in
                let longer = answer.state + String(repeating: "A", count: 65)
                return try await browser.follow(browser.bring(answer.with(["state": longer])))
            }),
        bringing("a state that is made up", "unknown_state", ["state": .some(String(repeating: "A", count: 43))]),
        HostileRow(
            name: "an answer in a browser without a session", reason: "other_browser",
            arrive: { place, _, answer in try await place.deployment.browser().bring(answer) }),
        HostileRow(
            name: "an answer in another browser that has a session", reason: "other_browser",
            arrive: { place, _, answer in
                let other = place.deployment.browser()
                _ = try await other.get(place.deployment.origin + "/sign-in")
                return try await other.bring(answer)
            }),
        HostileRow(
            name: "an answer in a browser that is at the provider itself", reason: "other_browser",
            arrive: { place, _, answer in
                let (other, standIn) = (place.deployment.browser(), try place.standIn(.oidc))
                let page = try await other.get(place.deployment.origin + "/sign-in")
                _ = try await standIn.visit(from: page, in: other)
                return try await other.bring(answer)
            }),
        HostileRow(
            name: "an answer at the callback of another provider", kinds: [.oidc, .google], reason: "other_provider",
            arrive: { _, browser, answer in try await browser.bring(answer.at("google")) }),
        HostileRow(
            name: "an answer after ten minutes", reason: "attempt_expired",
            arrive: { place, browser, answer in
                place.deployment.clock.advance(by: .minutes(10))
                return try await browser.bring(answer)
            }),
        HostileRow(
            name: "an answer as a form, where a query is registered", reason: "wrong_response_mode",
            arrive: { _, browser, answer in try await browser.postFromOtherSite(answer) }),
    ]

    private static let issuers: [HostileRow] = [
        // RFC 9207: an answer that says which provider it is from.
        bringing("iss of another issuer", "answer_issuer_mismatch", ["iss": "https://idp.example.org"]),
        bringing("no iss, although the document announces it", "answer_issuer_missing", ["iss": nil]),
        HostileRow(
            name: "iss with a slash at its end", reason: "answer_issuer_mismatch",
            arrive: { _, browser, answer in
                let other = (answer.iss ?? "") + "/"
                return try await browser.follow(browser.bring(answer.with(["iss": other])))
            }),
    ]

    private static let errors: [HostileRow] = [
        bringing(
            "access_denied", "access_denied", status: 200, ["code": nil, "error": "access_denied"]),
        bringing("server_error", "error_answer", ["code": nil, "error": "server_error"]),
        bringing(
            "an unknown error with 4 KiB of words", "error_answer",
            [
                "code": nil, "error": "<script>alert(1)</script>",
                "error_description": .some(String(repeating: "words ", count: 700)),
            ]),
        bringing("login_required", "error_answer", ["code": nil, "error": "login_required"]),
    ]

    /// Further fields beside those of the answer.
    private static func adding(_ name: String, _ fields: [(String, String)]) -> HostileRow {
        HostileRow(
            name: name, reason: "malformed_answer",
            arrive: { _, browser, answer in
                try await browser.bring(
                    StandInAnswer(
                        redirectURI: answer.redirectURI, isFormPost: answer.isFormPost,
                        fields: answer.fields + fields))
            })
    }
}

extension StandInAnswer {
    /// The same answer at the callback of another provider.
    func at(_ provider: String) throws -> StandInAnswer {
        let address = try WebAddress(redirectURI)
        return StandInAnswer(
            redirectURI: "\(address.origin)/auth/\(provider)/callback", isFormPost: isFormPost, fields: fields)
    }
}
