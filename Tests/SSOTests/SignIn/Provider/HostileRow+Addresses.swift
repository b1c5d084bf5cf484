@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

/// Addresses that a provider names, and the kinds of providers with rules of their own.
extension HostileRow {
    static let addressRows: [HostileRow] = unverified + odd + settings

    /// A sign-in that has no account and may make none.
    private static func noEmail(
        _ name: String, _ kind: Provider.Kind = .oidc,
        _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) -> HostileRow {
        HostileRow(
            name: name, kinds: [kind], reason: "no_verified_email", status: 403,
            prepare: { place in try place.standIn(kind).claims(change) })
    }

    private static func email(_ name: String, _ text: JSONValue) -> HostileRow {
        noEmail("an address \(name)") { $0["email"] = text }
    }

    private static let unverified: [HostileRow] = [
        noEmail("no address") { $0["email"] = nil },
        noEmail("an unverified address") { $0["email_verified"] = false },
        noEmail("no email_verified") { $0["email_verified"] = nil },
        noEmail("email_verified \"yes\"") { $0["email_verified"] = "yes" },
        noEmail("email_verified \"True\"") { $0["email_verified"] = "True" },
        noEmail("email_verified 1") { $0["email_verified"] = 1 },
        noEmail("email_verified null") { $0["email_verified"] = .null },
        noEmail("email_verified in a list") { $0["email_verified"] = [true] },
        // An administrator of any tenant may set `email` (nOAuth).
        noEmail("Microsoft's email without xms_edov", .microsoft) {
            $0["xms_edov"] = nil
            $0["email_verified"] = true
        },
        noEmail("Microsoft's xms_edov \"0\"", .microsoft) { $0["xms_edov"] = "0" },
        noEmail("Apple's email_verified \"false\"", .apple) { $0["email_verified"] = "false" },
    ]

    private static let odd: [HostileRow] = [
        email("with a dotless i", "ann@examp\u{131}e.com"), email("with a Kelvin sign", "\u{212a}en@example.com"),
        email("with a fullwidth @", "ann\u{ff20}example.com"), email("with a Cyrillic a", "\u{430}nn@example.com"),
        email("with a soft hyphen", "an\u{ad}n@example.com"), email("with two @", "ann@example.com@evil.example"),
        email("in display form", "Ann <ann@example.com>"), email("with a comment", "ann@example.com(evil.example)"),
        email("with a quoted name", "\"ann@evil.example\"@example.com"),
        email("of 300 bytes", .string(String(repeating: "a", count: 288) + "@example.com")),
        email("with a line break", "ann@example.com\nBcc: ben@example.com"),
        email("with a percent sign", "ann%evil.example@example.com"), email("at an IP address", "ann@[127.0.0.1]"),
        email("that is a list", ["ann@example.com"]), email("that is null", .null), email("that is empty", ""),
        email("with a blank in front", " ann@example.com"), email("with a blank behind", "ann@example.com "),
        email("with a tab in front", "\tann@example.com"),
        email("two in one text", "ann@example.com,ben@example.com"),
    ]

    private static func allowed(_ name: String, _ address: String?) -> HostileRow {
        HostileRow(
            name: "allowed_domains and \(name)", lines: ["allowed_domains: [example.com]"],
            reason: "domain_not_allowed", status: 403,
            prepare: { place in try place.standIn(.oidc).user.email = address })
    }

    private static let settings: [HostileRow] = [
        allowed("an address of another domain", "ann@other.example"),
        allowed("an address of a sub-domain", "ann@sub.example.com"),
        allowed("an address of a longer domain", "ann@badexample.com"),
        allowed("the domain in the name", "example.com@evil.example"), allowed("no address", nil),
        HostileRow(
            name: "allowed_domains and an unverified address", lines: ["allowed_domains: [example.com]"],
            reason: "domain_not_allowed", status: 403,
            prepare: { place in try place.standIn(.oidc).user.emailVerified = false }),
        HostileRow(
            name: "an address that IDP_ALLOWED_EMAILS does not name", reason: "address_not_allowed", status: 403,
            prepare: { place in try place.standIn(.oidc).user.email = "ann@elsewhere.example" }),
        HostileRow(
            name: "a new account with new_accounts: false", lines: ["new_accounts: false"],
            reason: "new_accounts_off", status: 403, worksAfterwards: false),
        HostileRow(
            name: "an address with email: never", lines: ["email: never"], reason: "no_verified_email", status: 403,
            worksAfterwards: false),
    ]

    // MARK: GitHub

    private static func gitHub(
        _ name: String, _ reason: String, status: Int = 400,
        _ change: @escaping @Sendable (StandInProvider) -> Void
    ) -> HostileRow {
        HostileRow(
            name: name, kinds: [.github], reason: reason, status: status,
            prepare: { place in change(try place.standIn(.github)) })
    }

    private static func gitHubID(_ name: String, _ value: JSONValue?) -> HostileRow {
        gitHub("id \(name)", "github_user_invalid") { $0.alter(.user) { $0["id"] = value } }
    }

    static let gitHubRows: [HostileRow] = [
        gitHubID("as a text", "10021"), gitHubID("0", 0), gitHubID("negative", -1),
        gitHubID("huge", .number(1e30)), gitHubID("with a fraction", .number(1.5)), gitHubID("missing", nil),
        gitHubID("null", .null), gitHubID("as a list", [10021]),
        gitHub("an unverified primary address", "no_verified_email", status: 403) { $0.user.emailVerified = false },
        gitHub("no primary address", "no_verified_email", status: 403) { $0.user.email = nil },
        gitHub("verified as a text", "no_verified_email", status: 403) {
            $0.replace(.emails) { _ in
                .json("[{\"email\":\"ann@example.com\",\"primary\":true,\"verified\":\"true\"}]")
            }
        },
        gitHub("addresses as a page", "github_emails_content_type", status: 502) {
            $0.replace(.emails) { _ in .page("GitHub", "") }
        },
        gitHub("addresses with a member twice", "github_emails_json", status: 502) {
            $0.replace(.emails) { _ in .json("[{\"primary\":true,\"primary\":true}]") }
        },
        gitHub("the user as a page", "github_user_content_type", status: 502) {
            $0.replace(.user) { _ in .page("GitHub", "") }
        },
        gitHub("the user elsewhere", "github_user_status", status: 502) {
            $0.replace(.user) { _ in .redirect(to: "http://127.0.0.1:9/user", status: "302 Found") }
        },
        gitHub("no access token", "github_token_invalid") { $0.alter(.token) { $0["access_token"] = nil } },
        gitHub("an access token with a line break", "github_token_invalid") {
            $0.alter(.token) { $0["access_token"] = "gho_1\r\nHost: evil.example" }
        },
        gitHub("an error with status 200", "token_endpoint_refused") {
            $0.replace(.token) { _ in .json("{\"error\":\"bad_verification_code\"}") }
        },
    ]

    // MARK: Apple

    private static func apple(_ name: String, _ reason: String, _ changes: [String: String?]) -> HostileRow {
        HostileRow(
            name: name, kinds: [.apple], reason: reason,
            arrive: { _, browser, answer in try await browser.bring(answer.with(changes)) })
    }

    static let appleRows: [HostileRow] = [
        apple("a form without state", "malformed_answer", ["state": nil]),
        apple("a form with an altered state", "unknown_state", ["state": .some(String(repeating: "A", count: 43))]),
        apple("a form without code", "malformed_answer", ["code": nil]),
        apple("10 KiB of user", "malformed_answer", ["user": .some(String(repeating: "u", count: 10 << 10))]),
        HostileRow(
            name: "a query where a form is registered", kinds: [.apple], reason: "wrong_response_mode",
            arrive: { _, browser, answer in try await browser.get(answer.address) }),
        HostileRow(
            name: "a handle that is made up", kinds: [.apple], reason: "unknown_handle",
            arrive: { place, browser, answer in
                try await browser.get("\(answer.redirectURI)?answer=\(String(repeating: "A", count: 43))")
            }),
        HostileRow(
            name: "a handle in another browser", kinds: [.apple], reason: "other_browser",
            arrive: { place, _, answer in try await place.deployment.browser().bring(answer) }),
        HostileRow(
            name: "an ID token for another Services ID", kinds: [.apple], reason: "id_token_audience_mismatch",
            prepare: { place in try place.standIn(.apple).claims { $0["aud"] = "com.example.other" } }),
    ]
}
