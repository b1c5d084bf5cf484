import SSOShared
import SSOWeb
import Testing

@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

/// What `idp check` says of apps that use passkeys, and of a service without mail.
@Suite("Checks of passkeys and apps", .program)
struct PasskeyAssociationTests {
    private static let apps = [
        "IDP_PUBLIC_URL": "https://id.example.com", "IDP_APPLE_APP_IDS": "ABCDE12345.com.example.app",
        "IDP_ANDROID_APPS": ProgramPaths.androidApp, "IDP_MAIL_URL": "smtps://mail.example.com",
        "IDP_LINK_TESTER": "false",
    ]

    private static func warnings(_ changed: [String: String]) async throws -> [String] {
        let reader = SettingsReader(SettingsSource(SettingsFixture.idp.merging(changed) { $1 }))
        _ = IdPSettings.read(reader)
        await reader.runChecks()
        return reader.warnings
    }

    @Test("apps whose files name passkeys, on the relying party ID itself, are no warning")
    func fine() async throws {
        let found = try await Self.warnings(Self.apps).filter { $0.hasPrefix("IDP_PASSKEY_RP_ID") }
        #expect(found.isEmpty, "\(found)")
        let none = try await Self.warnings(
            ["IDP_PASSKEY_RP_ID": "example.com"].merging(Self.apps) { $1 }.filter {
                !["IDP_APPLE_APP_IDS", "IDP_ANDROID_APPS"].contains($0.key)
            })
        #expect(!none.contains { $0.contains("association files of passkeys") }, "without apps nothing is compared")
    }

    @Test("a relying party ID on another host is a warning that names where apps look")
    func otherHost() async throws {
        let found = try await Self.warnings(Self.apps.merging(["IDP_PASSKEY_RP_ID": "example.com"]) { $1 })
        let words =
            "https://example.com/.well-known/apple-app-site-association and https://example.com/.well-known/assetlinks.json"
        #expect(found.contains { $0.hasPrefix("IDP_PASSKEY_RP_ID: ") && $0.contains(words) }, "\(found)")
    }

    @Test("a file of one's own without webcredentials, or without get_login_creds, is a warning")
    func ownFiles() async throws {
        let folder = try TemporaryFolder()
        let apple = try folder.write(
            #"{"applinks":{"apps":[],"details":[{"appIDs":["9JA89QQLNQ.org.wiki.app"],"components":[{"/":"/sign-in/link/*"}]}]}}"#,
            to: "aasa")
        let print = SHA256.hash(Array("wiki".utf8)).map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
        let android = try folder.write(
            #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","package_name":"org.wiki.app","sha256_cert_fingerprints":["\#(print)"]}}]"#,
            to: "assetlinks")
        var settings = Self.apps.merging(["IDP_AASA_FILE": apple, "IDP_ASSETLINKS_FILE": android]) { $1 }
        settings["IDP_APPLE_APP_IDS"] = nil
        settings["IDP_ANDROID_APPS"] = nil
        let found = try await Self.warnings(settings)
        for member in ["does not name webcredentials", "does not name delegate_permission/common.get_login_creds"] {
            #expect(found.contains { $0.hasPrefix("IDP_PASSKEY_RP_ID: ") && $0.contains(member) }, "\(found)")
        }
    }

    @Test("IDP_MAIL_URL=none needs no sender, and check says in plain lines what does not work")
    func withoutMail() async throws {
        var settings = SettingsFixture.idp.merging(["IDP_MAIL_URL": "none"]) { $1 }
        settings["IDP_MAIL_FROM"] = nil
        let reader = SettingsReader(SettingsSource(settings))
        #expect(IdPSettings.read(reader) != nil, "\(reader.problems)")
        await reader.runChecks()
        for word in [
            "by a code, a link or a reply", "idp user sign-in-link ADDRESS", "not told by email", "every passkey",
        ] {
            #expect(
                reader.warnings.contains { $0.hasPrefix("IDP_MAIL_URL: is none. ") && $0.contains(word) }, "\(word)")
        }
    }

    @Test("a name for EHLO without a dot is a warning where emails are sent, and none with IDP_MAIL_URL=none")
    func greetingWithoutMail() async {
        for (url, isWarnedOf) in [("smtps://ann:s3cret@mail.example.com:465", true), ("none", false)] {
            let reader = SettingsFixture.read(.idp, ["IDP_MAIL_URL": url, "IDP_MAIL_EHLO": "vm"])
            #expect(reader.problems.isEmpty, "\(reader.problems)")
            let isFound = reader.warnings.contains { $0.hasPrefix("IDP_MAIL_EHLO: ") }
            #expect(isFound == isWarnedOf, "\(url): \(reader.warnings)")
        }
    }

    @Test("a setting or a client that asks for a passkey is refused where browsers make none")
    func outOfReach() {
        for url in ["http://127.0.0.1:4000", "http://localhost:4000"] {
            let reader = SettingsReader(
                SettingsSource(
                    SettingsFixture.idp.merging([
                        "IDP_PUBLIC_URL": url, "IDP_REQUIRE": "phr", "IDP_ADMIN_REQUIRE": "mfa",
                    ]) { $1 }))
            _ = IdPSettings.read(reader)
            let found = reader.problems.filter { $0.contains("asks for a passkey, and passkeys are off") }
            #expect(
                found.map { String($0.prefix { $0 != ":" }) }
                    == (url.contains("localhost") ? [] : ["IDP_REQUIRE", "IDP_ADMIN_REQUIRE"]), "\(reader.problems)")
        }
    }

    @Test("IDP_MAIL_URL=none is refused beside replies, beside a server, and where nobody could sign in")
    func refused() async throws {
        let rows: [([String: String], String)] = [
            (ReplySettings.all, "IDP_INBOUND_MAIL_DOMAIN: users reply to an email"),
            (["IDP_MAIL_URL": "none,smtps://mail.example.com"], "IDP_MAIL_URL: "),
            (["IDP_PUBLIC_URL": "http://127.0.0.1:4000"], "nobody could sign in"),
        ]
        for (changed, words) in rows {
            let reader = SettingsReader(
                SettingsSource(SettingsFixture.idp.merging(["IDP_MAIL_URL": "none"]) { $1 }.merging(changed) { $1 }))
            #expect(IdPSettings.read(reader) == nil)
            #expect(reader.problems.contains { $0.contains(words) }, "\(words): \(reader.problems)")
        }
    }
}
