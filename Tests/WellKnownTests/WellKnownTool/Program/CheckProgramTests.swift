import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

@Suite("wellknown check, and fetch of several sites", .deployment)
struct CheckProgramTests {
    static let good = """
        expect:
          - url: https://links.acme.com/shop/1
            ios: \(SampleFiles.app)
            android: com.acme.shop
          - url: https://links.acme.com/shop/admin/x
            ios: browser
        files:
          links.acme.com: {aasa: apple-app-site-association, assetlinks: assetlinks.json, manifest: AndroidManifest.xml}
        """

    private func run(_ yaml: String, _ more: String..., format: String = "text") async throws -> WellKnownRun {
        let folder = try SampleFiles.folder()
        try folder.write(FieldVerdictTests.shopManifest, to: "AndroidManifest.xml")
        try folder.write(yaml, to: "expectations.yaml")
        return try await WellKnownRun.run(["check", "expectations.yaml", "--format", format] + more, in: folder.path)
    }

    @Test("What is as expected exits with 0, over several systems and with a manifest")
    func asExpected() async throws {
        let good = try await run(Self.good)
        #expect(good.code == 0 && good.output == "3 as expected, 0 differs, 0 not decided, 0 unreadable\n", "\(good)")
    }

    @Test("The first difference ends the check, and --keep-going shows all")
    func differences() async throws {
        let wrong = Self.good.replacing("ios: browser", with: "ios: \(SampleFiles.app)")
            .replacing("android: com.acme.shop", with: "android: browser")
        let first = try await run(wrong)
        #expect(first.code == 1 && first.output.contains("expectations.yaml:2: differs on Android"))
        #expect(first.output.contains("expected browser, found com.acme.shop") && !first.output.contains("admin"))
        let all = try await run(wrong, "--keep-going")
        #expect(all.code == 1 && all.output.contains("expectations.yaml:5: differs on iOS"))
        #expect(all.output.contains("2 differs"))
        let json = try await run(wrong, "--keep-going", format: "json")
        let results = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [[String: Any]]]
        #expect(results?["results"]?.compactMap { $0["verdict"] as? String } == ["as expected", "differs", "differs"])
    }

    @Test("Without the manifest the link is not decided, and without the file it could not be read")
    func undecided() async throws {
        let open = try await run(Self.good.replacing(", manifest: AndroidManifest.xml", with: ""))
        #expect(open.code == 3 && open.output.contains("not decided on Android"))
        let missing = try await run(Self.good.replacing("aasa: apple-app", with: "aasa: no-such"))
        #expect(missing.code == 2 && missing.output.contains("unreadable on iOS"))
    }

    @Test("Where several apps open a link alike, each of them is as expected, and no other one is")
    func severalApps() async throws {
        let (folder, team, aasa) = (try TemporaryFolder(), "K7Q2M9X4TB.", ".well-known/apple-app-site-association")
        let apps = ["com.acme.shop", "com.acme.dev"].flatMap {
            ["--apple", team + $0, "--android", "\($0)=\(SampleFiles.fingerprint)"]
        }
        let words = ["generate", "--path", "/shop/*", "--dynamic-rules", "--out-dir", "."] + apps
        #expect(try await WellKnownRun.run(words, in: folder.path).code == 0)
        let earlier = #""details": [{"appIDs": ["K7Q2M9X4TB.com.acme.first"], "components": [{"/": "*"}]}, "#
        let other = folder.text(of: aasa).replacing(/"details" ?: ?\[/, with: earlier)
        try folder.write(other, to: "other")
        for (app, file, result) in [
            ("com.acme.shop", aasa, "2 as expected, 0 differs"), ("com.acme.dev", aasa, "2 as expected, 0 differs"),
            ("com.acme.none", aasa, "0 as expected, 2 differs"), ("com.acme.dev", "other", "1 as expected, 1 differs"),
        ] {
            let yaml = """
                expect: [{url: "https://links.acme.com/shop/1", ios: \(team)\(app), android: \(app)}]
                files: {links.acme.com: {aasa: \(file), assetlinks: .well-known/assetlinks.json}}
                """
            try folder.write(yaml, to: "expectations.yaml")
            let run = try await WellKnownRun.run(["check", "expectations.yaml", "--keep-going"], in: folder.path)
            #expect(run.output.contains(result), "\(app) \(file): \(run)")
        }
    }

    @Test("A manifest that cannot be read hides no other result", arguments: ["no-such.xml", "expectations.yaml"])
    func unreadableManifest(name: String) async throws {
        let wrong = Self.good.replacing("ios: browser", with: "ios: \(SampleFiles.app)")
            .replacing("manifest: AndroidManifest.xml", with: "manifest: \(name)")
        let all = try await run(wrong, "--keep-going")
        #expect(all.output.contains("expectations.yaml:5: differs on iOS"), "\(all)")
        #expect(all.code == 1 && all.output.contains("unreadable on Android") && all.output.contains(name))
        #expect(try await run(wrong, "--keep-going", format: "json").output.contains("unreadable"))
    }

    @Test("Local files are those of the host as it is sent: in any case, with umlauts, with the dot of the root")
    func localHosts() async throws {
        for (host, key) in [
            ("links.acme.com", "Links.ACME.com"), ("bücher.example", "bücher.example"),
            ("bücher.example", "xn--bcher-kva.example"), ("links.acme.com.", "links.acme.com"),
            ("links.acme.com", "links.acme.com."),
        ] {
            let yaml = """
                expect:
                  - url: https://\(host)/shop/1
                    ios: \(SampleFiles.app)
                files:
                  \(key): {aasa: apple-app-site-association}
                """
            let run = try await run(yaml)
            #expect(run.code == 0, "\(host) \(key): \(run)")
        }
    }

    @Test(
        "An error in the file is told with its line",
        arguments: [
            ("expect: x", "1: expect must be a list"), ("expects: []", "unknown key \"expects\""), ("", "empty"),
            ("expect:\n  - url: nope\n    ios: browser", "2: url must be"), ("expect: []", "has no links"),
            ("expect:\n  - url: https://a.com/\n    ios: com.acme.shop", "3: ios must be an app with its Team ID"),
            ("expect:\n  - url: https://a.com/", "2: an expectation needs"), ("expect: [", "not valid YAML"),
            ("expect:\n  - url: https://a.com/\n    iOS: browser", "3: unknown key \"iOS\""),
            (
                "expect:\n  - url: https://a.com/\n    ios: browser\nfiles:\n  b.com: {aasa: f}",
                "no link of expect is at the host b.com"
            ),
            (
                "expect:\n  - url: https://a.com/\n    ios: browser\nfiles:\n  a.com:8443: {aasa: f}",
                "a.com:8443 is not a host"
            ),
            (
                "expect:\n  - url: https://a.com/\n    ios: browser\nfiles:\n  a.com: {aasa: f}\n  A.com: {aasa: f}",
                "is there twice"
            ),
        ])
    func faults(yaml: String, reason: String) async throws {
        let run = try await run(yaml)
        #expect(run.code == 1 && run.errors.contains(reason), "\(run.errors)")
    }

    @Test("--watch prints the first state that is not as expected, and then only changes")
    func watch() async throws {
        let wrong = Self.good.replacing("ios: browser", with: "ios: \(SampleFiles.app)")
        let same = try await run(wrong, "--watch", "--interval", "0", "--rounds", "3")
        #expect(same.code == 1 && same.output.split(separator: "\n").count { $0.contains("differs on") } == 1)
        #expect(try await run(Self.good, "--rounds", "3").code == 64)
    }

    @Test("The files of a host are fetched once for all its links")
    func fetched() async throws {
        let house = try await FetchHouse.open([FetchHouse.aasaPath: SiteServer.Reply(body: FetchHouse.aasa)])
        let folder = try TemporaryFolder()
        let origin = "https://127.0.0.1:\(house.site.port)"
        try folder.write(
            """
            expect:
              - {url: "\(origin)/buy/1", ios: 9F3K7QX2LM.com.acme.shop}
              - {url: "\(origin)/help", ios: browser}
            """, to: "x.yaml")
        let run = try await WellKnownRun.run(
            [
                "check", "x.yaml", "--allow-private", "--ca-file", try #require(house.certificateFile), "--time-limit",
                "60",
            ],
            in: folder.path)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test("fetch takes several sites, and its JSON lists them")
    func sites() async throws {
        let house = try await FetchHouse.open()
        let site = "127.0.0.1:\(house.site.port)"
        let options = [
            "--allow-private", "--ca-file", try #require(house.certificateFile), "--origin-only", "--time-limit", "60",
        ]
        let two = try await WellKnownRun.run(["fetch", site, "https://\(site)", "--format", "json"] + options)
        let answer = try JSONSerialization.jsonObject(with: Data(two.output.utf8)) as? [String: [[String: Any]]]
        #expect(two.code == 0 && answer?["sites"]?.count == 2, "\(two.output)\(two.errors)")
        let one = try await WellKnownRun.run(["fetch", site, "--format", "json"] + options)
        #expect((try JSONSerialization.jsonObject(with: Data(one.output.utf8)) as? [String: Any])?["files"] != nil)
    }

    @Test("The example is a valid file of expectations")
    func example() throws {
        let path = TestVectors.repository.appending(path: "examples/wellknown/expectations.yaml")
        let file = try ExpectationsFile(path.path())
        #expect(file.expectations.count == 2 && file.files["links.acme.com"]?.manifest != nil)
    }
}
