import Foundation
import Testing
import WellKnown

@testable import TestKit

@Suite("wellknown generate", .deployment)
struct GenerateProgramTests {
    static let app = SampleFiles.app
    static let android = "com.acme.shop=\(SampleFiles.fingerprint)"
    static let yaml = """
        apple: [\(app)]
        android:
          - package: com.acme.shop
            fingerprints: ["\(SampleFiles.fingerprint)"]
        paths: [/shop/*, /help]
        exclude: [/shop/admin/*]
        host: links.acme.com
        ios12: true
        dynamic-rules: true

        """

    @Test("Both files match as planned on both systems, without errors or warnings")
    func roundTrip() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.yaml, to: "links.yaml")
        let made = try await WellKnownRun.run(
            ["generate", "--from", "links.yaml", "--out-dir", "public"], in: folder.path)
        #expect(made.code == 0, "\(made.errors)")
        let place = "public/.well-known"
        #expect(
            made.output.hasPrefix("\(place)/apple-app-site-association\n\(place)/assetlinks.json\n"), "\(made.output)")
        #expect(made.output.contains("<data android:pathPrefix=\"/shop/\" />"))
        for (file, app) in [("apple-app-site-association", Self.app), ("assetlinks.json", "com.acme.shop")] {
            for (path, decision) in [
                ("/shop", "opens"), ("/shop/1", "opens"), ("/help/", "opens"), ("/shop/admin", "excluded"),
                ("/shop/admin/x", "excluded"), ("/other", "no match"),
            ] {
                let run = try await WellKnownRun.run(
                    ["match", "\(place)/\(file)", "https://links.acme.com\(path)", "--app", app], in: folder.path)
                #expect(run.output.hasPrefix("\(app) on") && run.output.contains(": \(decision)\n"), "\(run.output)")
            }
        }
        let lint = try await WellKnownRun.run(
            [
                "lint", "--fail-on", "warning", "\(place)/apple-app-site-association",
                "\(place)/assetlinks.json",
            ], in: folder.path)
        #expect(lint.code == 0, "\(lint.output)")
    }

    @Test("A non-ASCII path in a plan has the same meaning on both systems")
    func beyondASCII() async throws {
        let folder = try TemporaryFolder()
        let made = try await WellKnownRun.run(
            [
                "generate", "--apple", Self.app, "--android", Self.android, "--path", "/straße/*", "--path", "/日本",
                "--dynamic-rules", "--ios12", "--out-dir", "public",
            ], in: folder.path)
        #expect(made.code == 0, "\(made.errors)")
        for file in ["apple-app-site-association", "assetlinks.json"] {
            for (path, code) in [("/stra%C3%9Fe/1", 0), ("/%E6%97%A5%E6%9C%AC", 0), ("/strasse/1", 1)]
                as [(String, Int32)]
            {
                let run = try await WellKnownRun.run(
                    ["match", "public/.well-known/\(file)", "https://links.acme.com\(path)"], in: folder.path)
                #expect(run.code == code, "\(file) \(path): \(run.output)")
            }
        }
    }

    @Test(
        "A star at the beginning is allowed, trailing slashes are ignored, and rules are unique",
        arguments: [
            (["/*/c"], ["/*/c", "/*/c/"]), (["/wp/*/"], ["/wp", "/wp/*"]), (["/*/"], ["/*"]),
            (["/shop", "/shop/*"], ["/shop", "/shop/", "/shop/*"]),
        ])
    func forms(paths: [String], rules: [String]) async throws {
        let words = ["generate", "--android", Self.android, "--dynamic-rules", "--only", "assetlinks"]
        let run = try await WellKnownRun.run(words + paths.flatMap { ["--path", $0] })
        #expect(run.code == 0, "\(run.errors)")
        let written = run.output.matches(of: #/"/" ?: ?"([^"]*)"/#).map { String($0.1) }
        #expect(written == rules)
    }

    @Test("An existing file is kept unless --force is given, equal bytes are no conflict, and all are written or none")
    func overwriting() async throws {
        let folder = try TemporaryFolder()
        let words = ["generate", "--apple", Self.app, "--path", "/shop/*", "--out-dir", "public"]
        #expect(try await WellKnownRun.run(words, in: folder.path).code == 0)
        #expect(try await WellKnownRun.run(words, in: folder.path).code == 0)
        let file = "public/.well-known/apple-app-site-association"
        let first = folder.text(of: file)
        #expect(first.contains(Self.app))
        let other = words + ["--path", "/help", "--android", Self.android]
        let refused = try await WellKnownRun.run(other, in: folder.path)
        #expect(refused.code == 2)
        #expect(refused.errors.contains("--force"))
        #expect(folder.text(of: file) == first)
        #expect(folder.text(of: "public/.well-known/assetlinks.json").isEmpty)
        #expect(try await WellKnownRun.run(other + ["--force"], in: folder.path).code == 0)
        #expect(folder.text(of: file) != first)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "public/.well-known"))
        #expect(names.sorted() == ["apple-app-site-association", "assetlinks.json"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: file))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
        // While one file cannot be written, the other one stays as it is.
        let (second, links) = (folder.text(of: file), folder.path(of: "public/.well-known/assetlinks.json"))
        try FileManager.default.removeItem(atPath: links)
        try FileManager.default.createDirectory(atPath: links, withIntermediateDirectories: false)
        let half = try await WellKnownRun.run(words + ["--android", Self.android, "--force"], in: folder.path)
        #expect(half.code == 2 && half.errors.contains("it is a folder") && folder.text(of: file) == second)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "public/.well-known")).count == 2)
    }

    @Test("A single file is printed as its bytes")
    func only() async throws {
        let run = try await WellKnownRun.run(
            ["generate", "--apple", Self.app, "--path", "/shop/*", "--only", "aasa"])
        let plan = try AssociationPlan(appleApps: [AppleAppID(Self.app)], routes: [LinkRoute("/shop/*")])
        #expect(run.output == String(decoding: plan.appleFile?.json() ?? [], as: UTF8.self))
        let none = try await WellKnownRun.run(
            ["generate", "--apple", Self.app, "--path", "/shop/*", "--only", "assetlinks"])
        #expect(none.code == 1)
        #expect(none.output.isEmpty)
    }

    @Test(
        "Ill-formed flags are rejected with the reason, and no file is written",
        arguments: [
            ("--apple", "com.acme.shop", "team id"), ("--apple", "k7q2m9x4tb.com.acme", "upper-case"),
            ("--apple", "K7Q2M9X4TB.*", "may hold"), ("--android", "com.acme.shop", "no ="),
            ("--android", "shop=\(SampleFiles.fingerprint)", "two or more parts"),
            ("--android", "com.acme.shop=AA:BB", "SHA-256"), ("--path", "shop/*", "begin with a slash"),
            ("--path", "https://acme.com/shop", "begin with a slash"), ("--path", "/shop?x=1", "query"),
            ("--path", "/shop#x", "fragment"), ("--path", "/a%20b", "encoded"), ("--path", "/a b", "pchar"),
            ("--path", "/a\u{200b}b", "seen"), ("--path", "/a/**", "**"), ("--path", "/$(lang)/x", "variable"),
            ("--path", "/a//b", "empty part"), ("--path", "/a/../b", "resolve"), ("--exclude", "", "begin"),
            ("--host", "https://acme.com", "--host"), ("--host", "acme.com:8443", "--host"),
            ("--host", "LINKS.acme.com", "--host"), ("--only", "apple", "invalid"),
        ])
    func flags(flag: String, value: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        let run = try await WellKnownRun.run(
            ["generate", "--apple", Self.app, "--path", "/ok", "--out-dir", "public", flag, value], in: folder.path)
        #expect(run.code == 64)
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "public")))
    }

    @Test(
        "A plan that would not work is rejected with the reason",
        arguments: [
            (["--apple", "ABCDE12345.com.example.app", "--path", "/x"], "placeholder"),
            (["--apple", app, "--path", "/shop/*", "--exclude", "/*"], "/shop/* opens nothing"),
            (["--apple", app], "no path"), (["--apple", app, "--apple", app, "--path", "/x"], "twice"),
            (["--apple", app, "--path", "/x", "--exclude", "/x"], "twice"),
            (["--android", android, "--path", "/shop/*", "--exclude", "/shop/admin"], "manifest cannot"),
            (["--android", android, "--path", "/shop/*ab*a"], "on Android"),
        ])
    func plans(words: [String], reason: String) async throws {
        let folder = try TemporaryFolder()
        let run = try await WellKnownRun.run(["generate", "--out-dir", "public"] + words, in: folder.path)
        #expect(run.code == 1)
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "public")))
    }

    @Test(
        "An error in a plan file names its line",
        arguments: [
            ("apple: [\(app)]\npath: [/x]\n", "2: unknown key \"path\""), ("apple: x\npaths: [/x]\n", "1: a list"),
            ("apple: [nope]\npaths: [/x]\n", "1: \"nope\""),
            ("apple: [\(app)]\npaths:\n  - x\n", "3: \"x\" is not a route"),
            ("apple: [\(app)]\npaths: [[/x]]\n", "2: a text"), ("- x\n", "1: it must have the keys"), ("", "empty"),
            ("apple: [\n", ": "), ("apple: []\napple: []\n", "twice"), ("ios12: perhaps\n", "1: true or false"),
            ("host: http://x\n", "1: host"), ("android: [{package: com.acme.shop}]\n", "1: an Android app needs"),
            (
                "android:\n  - package: com.acme.shop\n    fingerprints: [\"AA;BB\"]\n", "3: a fingerprint holds no ;"
            ),
            ("\u{1b}[31m: 1\n", "YAML"),
        ])
    func files(text: String, reason: String) async throws {
        let run = try await WellKnownRun.run(["generate", "--from", "-"], input: text)
        #expect(run.code == 1, "\(run.errors)")
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(!run.errors.contains("\u{1b}"))
        #expect(run.output.isEmpty)
    }

    @Test("A plan file with endless nesting is rejected")
    func nesting() async throws {
        for text in [String(repeating: "[", count: 200_000), String(repeating: "- ", count: 200_000)] {
            let run = try await WellKnownRun.run(["generate", "--from", "-"], input: text)
            #expect(run.code == 1, "\(run.errors.prefix(200))")
        }
    }

    @Test("Every form of the files passes the linter on the systems that it is written for")
    func everyForm() async throws {
        let apps = ["--apple", SampleFiles.app, "--android", "com.acme.shop=\(SampleFiles.fingerprint)"]
        for number in 0..<16 {
            func has(_ bit: Int) -> Bool { number >> bit & 1 == 1 }
            let folder = try TemporaryFolder()
            var options = apps + ["--path", "/shop/*", "--path", "/help", "--out-dir", "public"]
            if has(0) { options.append("--ios12") }
            if has(1) { options.append("--dynamic-rules") }
            if has(2) { options.append("--no-credentials") }
            // A manifest alone cannot exclude a path.
            if has(3), has(1) { options += ["--exclude", "/shop/admin/*"] }
            let made = try await WellKnownRun.run(["generate"] + options, in: folder.path)
            #expect(made.code == 0, "\(options) \(made.errors)")
            let minimum = has(0) ? ["--minimum-ios", "12"] : ["--minimum-ios", "14"]
            let lint = try await WellKnownRun.run(
                ["lint", "--fail-on", "warning"] + minimum + [
                    "public/.well-known/apple-app-site-association", "public/.well-known/assetlinks.json",
                ], in: folder.path)
            #expect(lint.code == 0, "\(options) \(lint.output)")
        }
    }
}
