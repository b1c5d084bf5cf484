import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// Sources of the rules: see `TransportRules`.
@Suite("wellknown fetch: how the files are served", .deployment)
struct FetchTransportTests {
    typealias Reply = SiteServer.Reply

    @Test("A healthy site has no findings")
    func healthy() async throws {
        let report = try await FetchHouse.open().fetch()
        #expect(report.files.map(\.kind) == [.aasa, .assetlinks])
        #expect(report.findings.filter { $0.severity != .info } == [])
        #expect(report.codes.isDisjoint(with: ["http.head-only", "http.ipv6-differs"]))
        #expect(report.isChecked)
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let name: String
        var kind = AssociationKind.aasa
        let reply: Reply
        let codes: [String]
        var others: [String: Reply] = [:]
        var testDescription: String { name }
    }

    static let html = ["Content-Type": "text/html; charset=utf-8"]
    static let broken: [Broken] = [
        Broken(name: "404", reply: Reply(status: 404), codes: ["http.status"]),
        Broken(name: "500", reply: Reply(status: 500, body: FetchHouse.aasa), codes: ["http.status"]),
        Broken(
            name: "403 for Apple's bot alone", reply: Reply(body: FetchHouse.aasa, byAgent: ["AASA-Bot": 403]),
            codes: ["http.bot-blocked"]),
        Broken(
            name: "401", reply: Reply(status: 401, headers: ["WWW-Authenticate": "Basic realm=x"]),
            codes: ["http.geo-or-auth"]),
        Broken(name: "451", reply: Reply(status: 451), codes: ["http.geo-or-auth"]),
        Broken(
            name: "a redirect to another path", reply: Reply(status: 301, headers: ["Location": "/moved"]),
            codes: ["http.redirect"], others: ["/moved": Reply(body: FetchHouse.aasa)]),
        Broken(
            name: "a redirect to a login", reply: Reply(status: 302, headers: ["Location": "/login?next=/"]),
            codes: ["http.redirect", "http.geo-or-auth"]),
        Broken(
            name: "HTML instead of JSON", reply: Reply(headers: html, body: "<!doctype html><title>Shop</title>"),
            codes: ["body.html"]),
        Broken(
            name: "another type", reply: Reply(headers: ["Content-Type": "text/plain"], body: FetchHouse.aasa),
            codes: ["http.content-type"]),
        Broken(
            name: "no type", kind: .assetlinks, reply: Reply(headers: [:], body: FetchHouse.assetLinks),
            codes: ["http.content-type"]),
        Broken(
            name: "a type with parameters", kind: .assetlinks,
            reply: Reply(
                headers: ["Content-Type": "application/json; charset=utf-8"], body: FetchHouse.assetLinks),
            codes: ["http.content-type-params"]),
        Broken(
            name: "130 KB", reply: Reply(body: #"{"x":["1234567890"]}    "#, size: 133_120), codes: ["http.too-large"]),
        Broken(
            name: "100 KB", reply: Reply(body: #"{"applinks":{}}    "#, size: 102_400), codes: ["http.near-limit"]),
        Broken(
            name: "more than 1 MiB", kind: .assetlinks, reply: Reply(body: "[]      ", size: 2 << 20),
            codes: ["http.too-large"]),
        Broken(
            name: "compressed without being asked",
            reply: Reply(
                headers: ["Content-Type": "application/json", "Content-Encoding": "br"], body: FetchHouse.aasa),
            codes: ["http.encoding"]),
        Broken(
            name: "HEAD answers 405", reply: Reply(body: FetchHouse.aasa, headStatus: 405), codes: ["http.head-only"]),
        Broken(
            name: "only at the root", reply: Reply(status: 404), codes: ["http.status", "http.location-root"],
            others: ["/apple-app-site-association": Reply(body: FetchHouse.aasa)]),
        Broken(
            name: "with an extension", reply: Reply(status: 404), codes: ["http.status", "http.wrong-name"],
            others: ["/.well-known/apple-app-site-association.json": Reply(body: FetchHouse.aasa)]),
        Broken(
            name: "at the root, Android's", kind: .assetlinks, reply: Reply(status: 404),
            codes: ["http.status", "http.wrong-name"],
            others: ["/assetlinks.json": Reply(body: FetchHouse.assetLinks)]),
    ]

    @Test("Each serving error is the only finding", arguments: broken)
    func finds(_ broken: Broken) async throws {
        let house = try await FetchHouse.open(broken.others.merging([broken.kind.path: broken.reply]) { $1 })
        let report = try await house.fetch(kinds: [broken.kind])
        #expect(report.codes.isSuperset(of: broken.codes))
        #expect(report.codes.filter { $0.hasPrefix("http.") } == Set(broken.codes.filter { $0.hasPrefix("http.") }))
        #expect(report.isChecked)
    }

    @Test("assetlinks.json of the wrong type is an error, Apple's file a warning")
    func severityOfType() async throws {
        let plain = ["Content-Type": "text/plain"]
        let house = try await FetchHouse.open([
            FetchHouse.aasaPath: Reply(headers: plain, body: FetchHouse.aasa),
            FetchHouse.assetLinksPath: Reply(headers: plain, body: FetchHouse.assetLinks),
        ])
        let findings = try await house.fetch().findings.filter { $0.code == "http.content-type" }
        #expect(Set(findings.map(\.severity)) == [.warning, .error])
    }

    @Test("Up to five redirects are listed, each is an error, and the target is not linted")
    func redirects() async throws {
        var routes = [FetchHouse.aasaPath: Reply(status: 301, headers: ["Location": "/1"])]
        for step in 1...9 { routes["/\(step)"] = Reply(status: 302, headers: ["Location": "\(step + 1)"]) }
        let findings = try await FetchHouse.open(routes).fetch(kinds: [.aasa]).findings
        #expect(findings.map(\.code) == Array(repeating: "http.redirect", count: 5))
        #expect(findings.allSatisfy { $0.severity == .error })
        #expect(findings.first?.message.contains("\(FetchHouse.aasaPath) → https://127.0.0.1:") == true)
        #expect(findings.last?.message.hasSuffix("/5") == true)
    }

    @Test("An untrusted certificate and one for another host are reported by name")
    func certificates() async throws {
        let stranger = try await FetchHouse.open(tls: .untrusted).fetch(kinds: [.aasa])
        #expect(stranger.codes == ["http.tls"])
        #expect(stranger.finding("http.tls")?.message.contains("certificate") == true)
        let other = try await FetchHouse.open(tls: .wrongHost).fetch(kinds: [.aasa])
        #expect(other.codes == ["http.tls"])
        #expect(other.isChecked)
    }

    @Test("A site without TLS is distinguished from one with broken TLS")
    func plain() async throws {
        let report = try await FetchHouse.open(tls: .none).fetch(kinds: [.aasa])
        #expect(report.codes == ["http.plain"])
    }

    @Test("A slow response ends at the time limit")
    func drip() async throws {
        let slow = Reply(body: FetchHouse.aasa, pauseSeconds: 1)
        let house = try await FetchHouse.open([FetchHouse.aasaPath: slow])
        let report = try await house.fetch(kinds: [.aasa], limit: .milliseconds(1500))
        #expect(report.codes == ["http.timeout"])
        #expect(report.finding("http.timeout")?.message.contains("1500 ms") == true)
    }

    @Test("A private address is not contacted, under any name", arguments: ["127.0.0.1", "site.test"])
    func privateAddress(host: String) async throws {
        let house = try await FetchHouse.open()
        let report = try await house.fetch(
            "\(host):{port}", kinds: [.aasa], allowPrivate: false, resolve: ["site.test"])
        #expect(report.codes == ["http.private-address"])
        #expect(report.finding("http.private-address")?.message.contains("127.0.0.1 (loopback)") == true)
        #expect(report.files.flatMap(\.facts).count == 1)
    }

    @Test("An unreachable site is reported as not checked")
    func nobody() async throws {
        let port = try FreePort.find()
        let report = try await FetchHouse.open().fetch("127.0.0.1:\(port)", kinds: [.aasa])
        #expect(report.codes == ["http.unreachable"])
        #expect(!report.isChecked)
    }

    @Test("The host with www. and the host without it both need the file")
    func siblings() async throws {
        let house = try await FetchHouse.open()
        let both = try await house.fetch("site.test:{port}", kinds: [.aasa], resolve: ["site.test", "www.site.test"])
        #expect(!both.codes.contains("http.www-vs-apex"))
        #expect(both.files.flatMap(\.facts).contains { $0.what == "at www.site.test" })
    }

    @Test("A URL names its file, and a URL that no system requests is reported")
    func address() async throws {
        let house = try await FetchHouse.open(["/files/assetlinks.txt": Reply(body: FetchHouse.assetLinks)])
        let report = try await house.fetch("https://127.0.0.1:{port}/files/assetlinks.txt", kinds: [.assetlinks])
        #expect(report.codes.contains("http.wrong-name"))
    }
}
