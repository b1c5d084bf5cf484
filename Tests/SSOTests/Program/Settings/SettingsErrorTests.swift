import Storage
import Testing

@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// Contract 2: the operator sees all problems at once, with the setting and the accepted form.
@Suite("Errors in the settings", .program)
struct SettingsErrorTests {
    typealias Program = SettingsFixture.Program

    struct InvalidSetting: Sendable, CustomTestStringConvertible {
        let program: Program
        let name: String
        let value: String
        /// The text that tells the operator what to do.
        let advice: String
        var testDescription: String { "\(name)=\(value.prefix(60))" }

        init(_ program: Program, _ name: String, _ value: String, _ advice: String) {
            (self.program, self.name, self.value, self.advice) = (program, name, value, advice)
        }
    }

    private static let make = "openssl rand -hex 32"

    static let invalidSettings: [InvalidSetting] =
        origins(.idp, "IDP_PUBLIC_URL") + origins(.client, "RP_PUBLIC_URL", example: "https://partner.example.com")
        + origins(.client, "RP_IDP_URL")
        + secrets(.idp, "IDP_SECRET_KEY") + secrets(.idp, "SSO_SHARED_SECRET")
        + secrets(.client, "RP_SECRET_KEY") + secrets(.client, "SSO_SHARED_SECRET", advice: "that the IdP has")
        + listens(.idp, "IDP_LISTEN", "127.0.0.1:8080, or [::]:8080")
        + listens(.client, "RP_LISTEN", "127.0.0.1:8081, or [::]:8081") + [
            InvalidSetting(.idp, "IDP_METRICS_LISTEN", "nowhere", "for example 127.0.0.1:9464"),
            InvalidSetting(.client, "RP_METRICS_LISTEN", "nowhere", "for example 127.0.0.1:9465"),
            InvalidSetting(.idp, "IDP_METRICS_LISTEN", "127.0.0.1:8080", "is the same address as IDP_LISTEN"),
            InvalidSetting(.client, "RP_METRICS_LISTEN", "127.0.0.1:8081", "is the same address as RP_LISTEN"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "var/idp.sqlite", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "mysql://user:password@host/db", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "postgres://user:password@host", "names no database"),
            InvalidSetting(
                .client, "RP_DATABASE_URL", "postgres://user:password@host/db?sslmode=require", "sslmode=verify-full"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "postgres://user:password@[::1/db", "postgres://USER@HOST/NAME"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "postgres://idp:1/password@127.0.0.1/idp", "percent-encoded"),
            InvalidSetting(.client, "RP_DATABASE_URL", "postgres://idp:a@password@127.0.0.1/rp", "percent-encoded"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "host=h:password dbname=idp", "Percent-encode"),
            InvalidSetting(.client, "RP_DATABASE_URL", "password", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "sqlite://idp:password@127.0.0.1/idp", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "sqlite:postgres://idp:password@127.0.0.1/idp", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "credential:../x", "must name a credential"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "credential:database", "LoadCredential=database:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_READERS", "0", "from 1 to 16"),
            InvalidSetting(.client, "RP_DATABASE_READERS", "17", "from 1 to 16"),
            InvalidSetting(.client, "RP_DATABASE_URL", "sqlite:", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_DATABASE_URL", "sqlite::memory:", "sqlite:PATH"),
            InvalidSetting(.client, "RP_DATABASE_URL", "sqlite://var/rp", "sqlite:PATH"),
            InvalidSetting(.idp, "IDP_ALLOWED_EMAILS", "x*@example.com", "*@domain"),
            InvalidSetting(.idp, "IDP_MAIL_URL", "", "smtp://"),
            InvalidSetting(.idp, "IDP_MAIL_FROM", "", "Main App <"),
            InvalidSetting(.idp, "IDP_MAIL_HOURLY_LIMIT", "many", "from 1 to"),
            InvalidSetting(.idp, "IDP_MAIL_FROM", "A <a@x.example>, B <b@x.example>", "Use one mailbox"),
            InvalidSetting(.idp, "IDP_MAIL_FROM", "a@x.example, b@x.example", "one mailbox"),
            InvalidSetting(.idp, "IDP_MAIL_URL", "smtps://ann:pass word@mail.example", "%20"),
            InvalidSetting(.idp, "SSO_CLIENT_NAME", "Part\nner", "on one line"),
            InvalidSetting(.idp, "SSO_CLIENT_NAME", String(repeating: "x", count: 84), "has 84 characters; at most 80"),
            InvalidSetting(.idp, "IDP_MAIL_FROM", "nobody", "\"nobody\" is not a valid sender. Use Name <address>"),
            InvalidSetting(.idp, "IDP_MAIL_EHLO", "my_host", "\"my_host\" must be a host name"),
            InvalidSetting(.idp, "IDP_MAIL_EHLO", "192.0.2.1", "such as [192.0.2.1]"),
            InvalidSetting(.idp, "IDP_MAIL_EHLO", "id.b\u{fc}cher.example", "host as id.xn--bcher-kva.example."),
            InvalidSetting(
                .idp, "IDP_MAIL_URL", "smtp://ann:s3cret@mail.b\u{fc}cher.example:587",
                "host as mail.xn--bcher-kva.example."),
            InvalidSetting(
                .idp, "IDP_MAIL_URL",
                "smtps://mail.example,smtps://ann:secret@\u{43f}\u{43e}\u{447}\u{442}\u{430}.\u{440}\u{444}",
                "host as xn--80a1acny.xn--p1ai."),
            InvalidSetting(.idp, "IDP_LISTEN", "b\u{fc}cher.example:8080", "host as xn--bcher-kva.example."),
            InvalidSetting(
                .idp, "SSO_REDIRECT_URIS", "https://rp.example/cb, https://b\u{fc}cher.example/cb",
                "host as xn--bcher-kva.example."),
            InvalidSetting(
                .idp, "IDP_NATIVE_APPS", "https://b\u{fc}cher.example/cb", "host as xn--bcher-kva.example."),
            InvalidSetting(.idp, "HSTS_INCLUDE_SUBDOMAINS", "yes", "must be true or false"),
            InvalidSetting(.client, "HSTS_INCLUDE_SUBDOMAINS", "1", "must be true or false"),
            InvalidSetting(.idp, "IDP_MAIL_HOURLY_LIMIT", "0", "from 1 to"),
            InvalidSetting(.idp, "IDP_AUDIT_DAYS", "6", "must be a whole number from 7 to 3650, such as 90"),
            InvalidSetting(.idp, "IDP_AUDIT_DAYS", "+90", "must be a whole number from 7 to 3650, such as 90"),
            InvalidSetting(.idp, "IDP_LIMIT_NEW_SESSIONS", "+500", "must be a whole number from 1 to 1000000"),
            InvalidSetting(.idp, "IDP_MAIL_HOURLY_LIMIT", "\u{665}00", "must be a whole number from 1 to 1000000"),
            InvalidSetting(.client, "RP_DATABASE_READERS", "+4", "must be a whole number from 1 to 16, such as 4"),
            InvalidSetting(.idp, "IDP_SESSION_IDLE", "299s", "must be a time from 5m to 30d, such as 12h"),
            InvalidSetting(.idp, "IDP_SESSION_LIFETIME", "31d", "must be a time from 5m to 30d, such as 12h"),
            InvalidSetting(.idp, "IDP_REMEMBER", "31d", "must be off, or a time from 5m to 30d, such as 7d"),
            InvalidSetting(.idp, "IDP_SESSION_IDLE", "4m", "must be a time from 5m to 30d, such as 12h"),
            InvalidSetting(.idp, "IDP_SESSION_IDLE", "forever", "must be a time from 5m to 30d, such as 12h"),
            InvalidSetting(.idp, "IDP_ALLOWED_EMAILS", "*@example.com, nobody", "*@domain"),
            InvalidSetting(.idp, "IDP_TRUSTED_PROXIES", "10.0.0.0/33", "0 to 32"),
            InvalidSetting(.idp, "IDP_TRUSTED_PROXIES", "10.0.0.0/+8", "0 to 32"),
            InvalidSetting(.idp, "IDP_TRUSTED_PROXIES", "proxy.example", "10.0.0.0/8"),
            InvalidSetting(.idp, "IDP_APPLE_APP_IDS", "com.example.app", "team id"),
            InvalidSetting(.idp, "IDP_ANDROID_APPS", "com.example.app=AB", "SHA-256"),
            InvalidSetting(.idp, "IDP_CLIENTS_FILE", "/nowhere/clients.yaml", "/nowhere/clients.yaml"),
            InvalidSetting(.idp, "SSO_CLIENT_ID", "Partner", "lower-case"),
            InvalidSetting(.idp, "SSO_CLIENT_ID", "", "Use, for example, partner"),
            InvalidSetting(.idp, "SSO_CLIENT_NAME", "a\u{7}b", "visible"),
            InvalidSetting(.idp, "SSO_REDIRECT_URIS", "", "https://partner.example.com/auth/sso/callback"),
            InvalidSetting(.idp, "SSO_REDIRECT_URIS", "http://partner.example/cb", "https"),
            InvalidSetting(.idp, "SSO_REDIRECT_URIS", "https://partner.example/*", "Register each"),
            InvalidSetting(.client, "SSO_CLIENT_ID", "", "registered"),
            InvalidSetting(.client, "SSO_CLIENT_ID", "Bad Id", "lower-case"),
            InvalidSetting(
                .client, "RP_IDP_BACKCHANNEL_URL", "http://idp.internal:8080", "RP_ALLOW_PLAINTEXT_BACKCHANNEL=true"),
            InvalidSetting(.client, "RP_ALLOW_PLAINTEXT_BACKCHANNEL", "yes", "must be true or false"),
            InvalidSetting(.idp, "IDP_NATIVE_APPS", "javascript:alert(1)", "an app's own scheme"),
            InvalidSetting(.idp, "IDP_LINK_TESTER", "1", "must be true or false"),
            InvalidSetting(.idp, "IDP_WEBFINGER", "yes", "must be true or false"),
            InvalidSetting(.client, "RP_REQUIRE_SIGNED_RESPONSE", "0", "must be true or false"),
            InvalidSetting(.client, "RP_CA_FILE", "/nowhere/ca.pem", "Check the path"),
            InvalidSetting(.client, "RP_CA_FILE", "/etc/hostname", "PEM"),
        ]

    private static func origins(
        _ program: Program, _ name: String, example: String = "https://idp.example.com"
    ) -> [InvalidSetting] {
        [
            InvalidSetting(program, name, "http://sso.example.com", "must be https, for example \(example)."),
            InvalidSetting(program, name, "ftp://sso.example.com", "for example \(example)."),
            InvalidSetting(program, name, "sso.example.com", "for example \(example)."),
            InvalidSetting(program, name, "https://idp.example.com/path", "Leave out path"),
            InvalidSetting(program, name, "https://user@idp.example.com", "Leave out path"),
            InvalidSetting(program, name, "https://user:pass@password@idp.example.com", "Leave out path"),
            InvalidSetting(program, name, "https://idp.example.com?a=b", "Leave out path"),
            InvalidSetting(program, name, "https://idp.example.com:443", "Leave it out"),
            InvalidSetting(program, name, "https://idp.example.com:", "Leave it out"),
            InvalidSetting(program, name, "http://localhost:80", "Leave it out"),
            InvalidSetting(program, name, "https://idp.example.com:70000", "port"),
            InvalidSetting(program, name, "https://evil.example\\@idp.example.com", "Leave out path"),
            InvalidSetting(program, name, "https://sso.ex%41mple.com", "letters"),
            InvalidSetting(program, name, "http://localhost.evil.example", "must be https"),
            InvalidSetting(program, name, "http://127.0.0.1.evil.example", "must be https"),
        ]
    }

    /// - Parameter advice: how the operator gets the secret.
    private static func secrets(_ program: Program, _ name: String, advice: String = make) -> [InvalidSetting] {
        [
            "", "short", "0123456789abcdef 0123456789abcdef", "0123456789abcdef\r\n0123456789abcdef",
            "\"0123456789abcdef0123456789abcdef\"", "\u{feff}0123456789abcdef0123456789abcdef",
        ].map { InvalidSetting(program, name, $0, advice) }
    }

    private static func listens(_ program: Program, _ name: String, _ advice: String) -> [InvalidSetting] {
        ["nowhere", "127.0.0.1", ":8080", "127.0.0.1:port", "127.0.0.1:70000", "127.0.0.1:+80", "a b:80"].map {
            InvalidSetting(program, name, $0, advice)
        }
    }

    @Test(
        "white space around the address of a database is no part of the name of its file",
        arguments: ["sqlite:/srv/idp.sqlite ", " sqlite:/srv/idp.sqlite", "sqlite:/srv/idp.sqlite\n\t"])
    func blanks(text: String) throws {
        let reader = SettingsReader(SettingsSource(SettingsFixture.idp.merging(["IDP_DATABASE_URL": text]) { $1 }))
        let values = try #require(IdPSettings.read(reader), "\(reader.problems)")
        let location = try values[IdPSettings.database]
        guard case .sqlite("/srv/idp.sqlite") = location else { throw ProbeFailure("\(location)") }
    }

    @Test("every problem names its setting and the accepted form, and never a secret", arguments: invalidSettings)
    func named(_ invalid: InvalidSetting) throws {
        let reader = SettingsFixture.read(invalid.program, [invalid.name: invalid.value])
        let problem = try #require(reader.problems.first)
        #expect(reader.problems.count == 1, "\(reader.problems)")
        #expect(problem.hasPrefix(invalid.name), "\(problem)")
        #expect(problem.contains(invalid.advice), "\(problem)")
        #expect(!problem.utf8.contains(10), "\(problem)")
        if invalid.name.contains("SECRET"), !invalid.value.isEmpty { #expect(!problem.contains(invalid.value)) }
        #expect(invalid.value.isEmpty || !problem.contains("password"))
    }

    @Test("valid settings give no problem", arguments: Program.allCases)
    func fine(program: Program) {
        let reader = SettingsFixture.read(program)
        #expect(reader.problems.isEmpty && reader.warnings.isEmpty)
        #expect(!reader.lines.isEmpty)
        let shown = reader.lines.map(\.shown).joined(separator: "\n")
        #expect(shown.contains("fingerprint"))
        #expect(!shown.contains(SettingsFixture.secret) && !shown.contains(SettingsFixture.otherSecret))
    }

    @Test("all problems are reported at once", arguments: Program.allCases)
    func together(program: Program) {
        // Without an id there is no client that could have other problems.
        let all = Self.invalidSettings.filter {
            $0.program == program && !$0.value.isEmpty && (program == .client || $0.name != "SSO_CLIENT_ID")
        }
        let changes = Dictionary(all.map { ($0.name, $0.value) }) { first, _ in first }
        let reader = SettingsFixture.read(program, changes)
        for name in changes.keys {
            #expect(reader.problems.contains { $0.hasPrefix(name) }, "\(name) is not named in \(reader.problems)")
        }
    }

    @Test("an outbox folder, which every visitor can read, needs a loopback address")
    func outbox() {
        let reader = SettingsFixture.read(.idp, ["IDP_PUBLIC_URL": "https://idp.example.com"])
        #expect(reader.problems.count == 1)
        #expect(reader.problems.first?.hasPrefix("IDP_MAIL_URL: outbox:") == true)
        #expect(SettingsFixture.read(.idp, ["IDP_PUBLIC_URL": "https://localhost"]).problems.isEmpty)
    }

    /// Browsers never compare this address.
    @Test("the address of the back channel may name the default port")
    func namedPort() {
        for address in ["https://idp.internal:443", "https://idp.internal:443/"] {
            #expect(SettingsFixture.read(.client, ["RP_IDP_BACKCHANNEL_URL": address]).problems.isEmpty)
        }
    }

    @Test(
        "every bad item of a list is reported",
        arguments: [
            ("IDP_SECRET_KEY", "short,0123456789abcdef 0123456789abcdef", ["key 1 of 2", "key 2 of 2"]),
            (
                "IDP_APPLE_APP_IDS", "com.example.one,ABCDE12345.a,com.example.two,,ABCDE12345.a",
                ["com.example.one", "com.example.two", "item 4", "twice"]
            ),
            ("IDP_ANDROID_APPS", "one,com.example.two=AB", ["\"one\"", "com.example.two"]),
        ])
    func everyItem(_ name: String, _ value: String, _ words: [String]) {
        let reader = SettingsFixture.read(.idp, [name: value])
        for word in words { #expect(reader.problems.joined().contains(word), "\(reader.problems)") }
    }

    /// A client that may set `X-Forwarded-For` chooses the address for limits and logs.
    @Test(
        "a network of proxies that is larger than any private one is a warning",
        arguments: [
            ("0.0.0.0/0", true), ("::/0", true), ("10.0.0.0/8 0.0.0.0/1", true), ("2000::/3", true),
            ("10.0.0.0/8, 127.0.0.1/32", false), ("fc00::/7", false), ("203.0.113.7", false),
        ])
    func everyPeerIsAProxy(_ value: String, _ isWarnedOf: Bool) {
        let reader = SettingsFixture.read(.idp, ["IDP_TRUSTED_PROXIES": value])
        #expect(reader.problems.isEmpty)
        #expect(reader.warnings.count == (isWarnedOf ? 1 : 0), "\(reader.warnings)")
        for warning in reader.warnings { #expect(warning.hasPrefix("IDP_TRUSTED_PROXIES: ")) }
    }

    @Test("plain http to the back channel needs its own setting")
    func plaintext() {
        let changes = ["RP_IDP_BACKCHANNEL_URL": "http://idp.internal:8080", "RP_ALLOW_PLAINTEXT_BACKCHANNEL": "true"]
        #expect(SettingsFixture.read(.client, changes).problems.isEmpty)
    }
}
