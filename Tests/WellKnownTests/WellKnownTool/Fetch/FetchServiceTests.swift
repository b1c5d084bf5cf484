import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// Sources: the headers of Apple's CDN; https://developers.google.com/digital-asset-links/reference/rest/v1
@Suite("wellknown fetch: Apple's CDN and Google's service", .deployment)
struct FetchServiceTests {
    typealias Reply = SiteServer.Reply

    static let apple = "/a/v1/127.0.0.1"
    static let list = "/v1/statements:list"
    static let check = "/v1/assetlinks:check"
    static let statements = """
        {"statements":[\
        {"source":{"web":{"site":"https://127.0.0.1.:{port}"}},"relation":"delegate_permission/common.handle_all_urls",\
        "target":{"androidApp":{"packageName":"com.acme.shop","certificate":{"sha256Fingerprint":\
        "\(FetchHouse.fingerprint)"}}}}],"maxAge":"599.9s","debugString":"…"}
        """

    @Test("The same file, serialised again by Apple, is not reported as drift")
    func same() async throws {
        let copy = """
            { "applinks" : { "details" : [ { "components" : [ { "/" : "\\/buy\\/*" } ],
              "appIDs" : [ "9F3K7QX2LM.com.acme.shop" ] } ] } }
            """
        let headers = [
            "Content-Type": "application/json", "Apple-Origin-Format": "json", "Age": "600",
            "Apple-From": "https://127.0.0.1/.well-known/apple-app-site-association",
            "Cache-Control": "max-age=21600,public",
        ]
        let house = try await FetchHouse.open(services: [Self.apple: Reply(headers: headers, body: copy)])
        let report = try await house.fetch(kinds: [.aasa])
        #expect(!report.codes.contains { $0.hasPrefix("cdn.") })
        #expect(report.files.first?.notes.first?.contains("fetched 600 s ago, kept for 21600 s") == true)
    }

    @Test("A different version at Apple is drift, with a URL that is decided differently")
    func drift() async throws {
        let other = FetchHouse.aasa.replacingOccurrences(of: "/buy/", with: "/old/")
        let house = try await FetchHouse.open(services: [Self.apple: Reply(body: other)])
        let report = try await house.fetch(kinds: [.aasa])
        #expect(report.finding("cdn.drift")?.severity == .warning)
        let message = try #require(report.finding("cdn.drift")?.message)
        #expect(message.contains("/old") && message.contains("9F3K7QX2LM.com.acme.shop"))
        #expect(message.contains("“opens” at Apple, “no match” on the site"))
        #expect(message.contains("https://127.0.0.1:") && !message.contains("example.com"))
        #expect(report.finding("cdn.drift")?.file?.hasSuffix(Self.apple) == true)
    }

    @Test(
        "Each code of Apple's CDN is decoded, with the remaining time of its cached failure",
        arguments: [
            ("SWCERR00101 Bad HTTP Response: 403 Forbidden", "another status than 200", "false"),
            ("SWCERR00202 Connections to private IP not allowed", "private or reserved address", "false"),
            ("SWCERR00301 Timeout", "in time", "true"),
            ("SWCERR00401 Bad JSON content", "not JSON", "false"),
            ("SWCERR00999 Something new", "Something new", "false"),
        ])
    func failures(reason: String, meaning: String, direct: String) async throws {
        let headers = [
            "Content-Type": "text/plain", "Apple-Failure-Reason": reason, "Apple-Failure-Details": #"{"cause":"x"}"#,
            "Apple-Try-Direct": direct, "Cache-Control": "max-age=3600", "Age": "600",
        ]
        let house = try await FetchHouse.open(
            services: [Self.apple: Reply(status: 404, headers: headers, body: "Not Found")])
        let report = try await house.fetch(kinds: [.aasa])
        let message = try #require(report.finding("cdn.failure")?.message)
        #expect(message.contains(String(reason.prefix(11))) && message.contains(meaning))
        #expect(message.contains("ask the site themselves") == (direct == "true"))
        #expect(message.contains("cause"))
        #expect(report.finding("cdn.negative-cached")?.message.contains("3000 s") == true)
    }

    @Test("An unknown domain or a failing service is information, and the other checks continue")
    func unknown() async throws {
        let house = try await FetchHouse.open(services: [Self.list: Reply(status: 503, body: "{}")])
        let report = try await house.fetch()
        #expect(report.finding("cdn.unknown")?.severity == .info)
        #expect(report.finding("dal.unreachable")?.severity == .info)
        #expect(report.findings.filter { $0.severity == .error } == [])
    }

    private func google(_ list: String, check: String = #"{"linked":true}"#) async throws -> FetchReport {
        let relation = "\"delegate_permission/common.handle_all_urls\",\"delegate_permission/common.get_login_creds\""
        let links = FetchHouse.assetLinks.replacingOccurrences(
            of: relation, with: "\"delegate_permission/common.handle_all_urls\"")
        // Google's response contains the site's port, so the site must start first.
        let site = try await FetchHouse.open([FetchHouse.assetLinksPath: Reply(body: links)])
        let list = list.replacingOccurrences(of: "{port}", with: "\(site.site.port)")
        let services = try await SiteServer(
            [Self.list: Reply(body: list), Self.check: Reply(body: check)], certificate: nil)
        return try await FetchHouse(site: site.site, services: services, certificateFile: site.certificateFile)
            .fetch(kinds: [.assetlinks])
    }

    @Test("Google and the site agree")
    func agrees() async throws {
        let report = try await google(Self.statements)
        #expect(report.codes.isDisjoint(with: ["dal.error", "dal.drift", "dal.not-linked", "dal.unreachable"]))
        #expect(report.files.first?.notes == ["Google's service has 1 statement, kept for 599.9s."])
    }

    @Test("Google's error codes are decoded, as an error without statements and as a warning with them")
    func errors() async throws {
        let none = try await google(#"{"maxAge":"60s","errorCode":["ERROR_CODE_REDIRECT"]}"#)
        #expect(none.finding("dal.error")?.severity == .error)
        #expect(none.finding("dal.error")?.message.contains("REDIRECT: the file or an include redirects") == true)
        let some = try await google(
            Self.statements.replacingOccurrences(of: "\"maxAge\"", with: "\"errorCode\":[\"X\"],\"maxAge\""))
        #expect(some.finding("dal.error")?.severity == .warning)
    }

    @Test("An older copy at Google is one warning with the time at which it expires")
    func olderCopy() async throws {
        let old = Self.statements.replacingOccurrences(of: "com.acme.shop", with: "com.acme.old")
        let report = try await google(old, check: #"{"linked":false}"#)
        let findings = report.findings.filter { $0.code.hasPrefix("dal.") && $0.severity > .info }
        #expect(findings.map(\.code) == ["dal.drift"] && findings.first?.severity == .warning)
        // 599.9 s after FetchHouse.now, rounded up.
        #expect(findings.first?.message.contains("expires at 2026-11-01T12:10:00Z") == true)
    }

    @Test("An app in Google's copy that Google does not link is an error")
    func differs() async throws {
        let report = try await google(Self.statements, check: #"{"linked":false}"#)
        #expect(report.finding("dal.not-linked")?.severity == .error)
        #expect(report.finding("dal.not-linked")?.message.contains("\"com.acme.shop\"") == true)
        #expect(report.finding("dal.drift") == nil)
    }

    @Test("Included lists are followed, and a failure, a loop and a second level are reported")
    func includes() async throws {
        let here = "https://127.0.0.1:{port}"
        let house = try await FetchHouse.open([
            FetchHouse.assetLinksPath: Reply(
                body: #"[{"include":"\#(here)/a"},{"include":"\#(here)/gone"},{"include":"\#(here)/moved"}]"#),
            "/a": Reply(body: #"[{"include":"\#(here)/b"},{"include":"\#(here)/a"}]"#),
            "/b": Reply(body: FetchHouse.assetLinks),
            "/moved": Reply(status: 302, headers: ["Location": "/b"]),
        ])
        let findings = try await house.fetch(kinds: [.assetlinks]).findings
        let told = findings.filter {
            ["dal.include-failed", "dal.include-loop", "dal.include-depth"].contains($0.code)
        }
        #expect(
            told.map(\.code).sorted() == [
                "dal.include-depth", "dal.include-failed", "dal.include-failed", "dal.include-loop",
            ])
        #expect(told.contains { $0.message.contains("/gone: 404 Not Found") && $0.file?.hasSuffix("/gone") == true })
        #expect(told.contains { $0.message.contains("redirects are not followed") })
    }
}
