import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

/// Arguments that are domains and URLs, with a test site on loopback.
@Suite("wellknown on domains and URLs", .deployment)
struct RemoteInputTests {
    private func house(_ routes: [String: SiteServer.Reply]) async throws -> (FetchHouse, [String]) {
        let house = try await FetchHouse.open(routes)
        let network = ["--allow-private", "--ca-file", try #require(house.certificateFile), "--time-limit", "30"]
        return (house, network)
    }

    private static let routes: [String: SiteServer.Reply] = [
        FetchHouse.aasaPath: SiteServer.Reply(body: SampleFiles.aasa),
        FetchHouse.assetLinksPath: SiteServer.Reply(body: SampleFiles.assetLinks),
    ]

    @Test("Both files of a host are linted and compared")
    func domain() async throws {
        let (house, network) = try await house(Self.routes)
        let run = try await WellKnownRun.run(["lint", "--all", "127.0.0.1:\(house.site.port)"] + network)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("/.well-known/apple-app-site-association"))
        #expect(run.output.contains("fp.play-signing"))
        #expect(run.output.contains("parity.decision"), "\(run.output)")
    }

    @Test("A site with only one file is reported without an error")
    func one() async throws {
        let (house, network) = try await house([FetchHouse.aasaPath: SiteServer.Reply(body: SampleFiles.aasa)])
        let run = try await WellKnownRun.run(["lint", "127.0.0.1:\(house.site.port)"] + network)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("and no assetlinks.json"))
    }

    @Test("The transport of a file is also linted")
    func served() async throws {
        var routes = Self.routes
        routes[FetchHouse.aasaPath] = SiteServer.Reply(
            status: 301, headers: ["Location": "https://www.acme.com/.well-known/apple-app-site-association"])
        let (house, network) = try await house(routes)
        let run = try await WellKnownRun.run(
            ["lint", "https://127.0.0.1:\(house.site.port)/.well-known/apple-app-site-association"] + network)
        #expect(run.code == 1)
        #expect(run.output.contains("http.redirect"), "\(run.output)")
    }

    @Test("match, explain and diff accept domains and URLs, and the app or platform selects the file")
    func questions() async throws {
        let (house, network) = try await house(Self.routes)
        let site = "127.0.0.1:\(house.site.port)"
        let folder = try SampleFiles.folder()
        let ios = try await WellKnownRun.run(["match", site, "https://acme.com/shop/1"] + network)
        #expect(ios.code == 0 && ios.output.hasPrefix(SampleFiles.app), "\(ios.output)\(ios.errors)")
        let android = try await WellKnownRun.run(
            ["explain", site, "https://acme.com/shop/1", "--app", "com.acme.shop"] + network)
        #expect(android.output.hasPrefix("com.acme.shop on Android"), "\(android.output)\(android.errors)")
        let diff = try await WellKnownRun.run(
            ["diff", "https://\(site)/.well-known/assetlinks.json", "assetlinks.json"] + network, in: folder.path)
        #expect(diff.code == 0, "\(diff.output)\(diff.errors)")
    }

    @Test("A private address is contacted only if that is allowed")
    func privateAddress() async throws {
        let (house, _) = try await house(Self.routes)
        let site = "127.0.0.1:\(house.site.port)"
        let match = try await WellKnownRun.run(["match", site, "https://acme.com/shop/1"])
        #expect(match.code == 2)
        #expect(match.errors.contains("private"), "\(match.errors)")
    }

    @Test(
        "A mistyped file name causes no DNS request",
        arguments: [
            "missing.json", "./acme.com", "dir/acme.com", "links.yaml", "nodots", "../x.y", ".hidden", "-x.com",
        ])
    func mistyped(word: String) throws {
        guard case .local = InputWord(word) else {
            Issue.record("\(word) is taken for a domain")
            return
        }
    }

    @Test(
        "Domains, hosts with ports and URLs are remote",
        arguments: ["acme.com", "acme.com:8443", "https://x/y.json", "localhost:8443"])
    func remote(word: String) throws {
        guard case .remote = InputWord(word) else {
            Issue.record("\(word) is taken for a file")
            return
        }
    }
}
