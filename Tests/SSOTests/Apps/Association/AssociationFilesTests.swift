import Logging
import Testing
import WellKnown

@testable import IdPApps
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

@Suite("Custom association files", .program)
struct AssociationFilesTests {
    static let aasa = """
        {"applinks":{"details":[{"appIDs":["A1B2C3D4E5.com.example.app"],"components":[{"/":"/shop/*"}]}]},
        "webcredentials":{"apps":["A1B2C3D4E5.com.example.app"]}}
        """

    @Test("the file is served byte for byte, with the same headers as a generated one")
    func served() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.aasa, to: "aasa")
        try await TestDeployment.open(settings: ["IDP_AASA_FILE": path]) { deployment in
            let reply = try await HTTPProbe(port: deployment.port, authority: "localhost:4000")
                .get(AssociationKind.aasa.path)
            #expect(reply.status == 200)
            #expect(reply.text == Self.aasa)
            #expect(reply.header("content-type") == "application/json")
            #expect(reply.header("cache-control") == "public, max-age=300")
            #expect(reply.header("set-cookie") == nil)
        }
    }

    @Test("an error stops the start and is reported with line and column")
    func refused() throws {
        let folder = try TemporaryFolder()
        let broken = try folder.write("{\n  \"applinks\": {\"details\": [}\n}", to: "broken")
        let swapped = try folder.write("[]", to: "swapped")
        for (path, words) in [
            (broken, "\(broken):2:28"), (swapped, "["), (folder.path(of: "missing"), "cannot be read"),
            (folder.path, "cannot be read"),
        ] {
            let reader = SettingsFixture.read(.idp, ["IDP_AASA_FILE": path])
            #expect(reader.problems.contains { $0.hasPrefix("IDP_AASA_FILE: ") && $0.contains(words) }, "\(path)")
        }
    }

    @Test("a list of apps together with a file is refused: it would be unclear which one counts")
    func bothSources() throws {
        let path = try TemporaryFolder().write(Self.aasa, to: "aasa")
        let reader = SettingsFixture.read(
            .idp, ["IDP_AASA_FILE": path, "IDP_APPLE_APP_IDS": "A1B2C3D4E5.com.example.app"])
        #expect(reader.problems.contains { $0.contains("IDP_AASA_FILE") && $0.contains("IDP_APPLE_APP_IDS") })
    }

    @Test(
        "a list of apps is linted as a file is: what works for others stops the start, an example is a warning of one line",
        arguments: [
            ("IDP_ANDROID_APPS", "a.b=\(KnownFingerprints.publicDebugKey)", "fp.known-public-debug-key", true),
            ("IDP_ANDROID_APPS", "a.b=\(KnownFingerprints.documentationSample)", "fp.google-doc-sample", false),
            ("IDP_ANDROID_APPS", ProgramPaths.androidApp, "fp.repeating", false),
            ("IDP_APPLE_APP_IDS", "ABCDE12345.com.example.app", "id.placeholder", false),
        ])
    func lists(name: String, value: String, code: String, isRefused: Bool) {
        let reader = SettingsFixture.read(.idp, [name: value])
        func lines(_ all: [String]) -> [String] {
            all.filter { $0.hasPrefix("\(name): ") && $0.hasSuffix("[\(code)]") }
        }
        #expect(lines(reader.problems).count == (isRefused ? 1 : 0), "\(reader.problems)")
        #expect(lines(reader.warnings).count == (isRefused ? 0 : 1), "\(reader.warnings)")
    }

    @Test("an empty setting of apps is a warning; a missing one, or one with a file beside it, causes no warning")
    func blank() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.aasa, to: "aasa")
        for (changes, name) in [
            (["IDP_APPLE_APP_IDS": ""], "IDP_APPLE_APP_IDS"), (["IDP_APPLE_APP_IDS": " "], "IDP_APPLE_APP_IDS"),
            (["IDP_ANDROID_APPS": ""], "IDP_ANDROID_APPS"), (["IDP_AASA_FILE": ""], "IDP_AASA_FILE"),
            ([:], nil), (["IDP_APPLE_APP_IDS": "", "IDP_AASA_FILE": path], nil),
            (["IDP_APPLE_APP_IDS": "A1B2C3D4E5.com.example.app", "IDP_AASA_FILE": ""], nil),
        ] as [([String: String], String?)] {
            let reader = SettingsFixture.read(.idp, changes)
            let found = reader.warnings.filter { $0.contains("is empty, so /.well-known/") }
            #expect(found.map { String($0.prefix { $0 != ":" }) } == [name].compactMap { $0 }, "\(changes)")
            #expect(reader.problems.isEmpty, "\(reader.problems)")
        }
    }

    @Test(
        "a file of one's own that opens a path of the browser is a warning for each",
        arguments: [
            ("/*", ["/.well-known/apple-app-site-association", "/auth/sso/verify", "/auth/sso/callback"]),
            ("*", ["/.well-known/apple-app-site-association", "/auth/sso/verify", "/auth/sso/callback"]),
            ("/auth/*", ["/auth/sso/verify", "/auth/sso/callback"]), ("/auth/sso/verify", ["/auth/sso/verify"]),
            ("/auth/sso/callback", ["/auth/sso/callback"]),
            (#"/auth/sso/callback", "?": {"token": "?*"}, "comment": "c"#, ["/auth/sso/callback"]),
            (#"/auth/sso/callback", "?": {"error": "?*"}, "comment": "c"#, ["/auth/sso/callback"]),
            ("/auth/sso/authorize", []), ("/shop/*", []),
        ])
    func claims(pattern: String, paths: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.aasa.replacing("/shop/*", with: pattern), to: "aasa")
        let reader = SettingsFixture.read(.idp, ["IDP_AASA_FILE": path])
        let start = "IDP_AASA_FILE: \(path): A1B2C3D4E5.com.example.app opens "
        let found = reader.warnings.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
        #expect(found.map { String($0.prefix { $0 != "," }) } == paths, "\(reader.warnings)")
        #expect(reader.problems.isEmpty, "\(reader.problems)")
    }

    @Test("a reload takes a valid file, and keeps the old one when the new one is invalid or missing")
    func reload() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.aasa, to: "aasa")
        let files = AssociationFiles(
            apple: .file(path: path), android: .none, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
        let first = try #require(files[.aasa]).tag

        try folder.write(Self.aasa.replacing("/shop/", with: "/news/"), to: "aasa")
        #expect(files[.aasa]?.tag == first, "nothing is read before the reload")
        files.reload()
        let second = try #require(files[.aasa]).tag
        #expect(second != first)

        for broken in ["", "{", Self.aasa.replacing("components", with: "component")] {
            try folder.write(broken, to: "aasa")
            files.reload()
            #expect(files[.aasa]?.tag == second)
        }
        #expect(files[.assetlinks] == nil)
    }
}
