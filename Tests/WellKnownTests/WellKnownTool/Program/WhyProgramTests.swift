import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

/// `wellknown why` on what goes wrong at midnight: the cause in the first line, and one command.
@Suite("wellknown why, the program", .deployment)
struct WhyProgramTests {
    private static let link = "https://links.acme.com/shop/42"
    private static let manifest = """
        <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.acme.shop"><application>
        <activity android:name=".A" android:exported="true"><intent-filter android:autoVerify="true">
        <action android:name="android.intent.action.VIEW"/><category android:name="android.intent.category.DEFAULT"/>
        <category android:name="android.intent.category.BROWSABLE"/>
        <data android:scheme="https" android:host="links.acme.com" android:pathPrefix="/shop/"/>
        </intent-filter></activity></application></manifest>
        """
    private static let entitlements = """
        <plist version="1.0"><dict><key>application-identifier</key><string>\(SampleFiles.app)</string>
        <key>com.apple.developer.associated-domains</key><array><string>applinks:links.acme.com</string>
        <string>webcredentials:links.acme.com</string></array></dict></plist>
        """

    /// Both files and a project that agree.
    private static func folder() throws -> TemporaryFolder {
        let folder = try SampleFiles.folder()
        _ = try folder.folder("project/app/src/main")
        _ = try folder.folder("project/ios")
        try folder.write(manifest, to: "project/app/src/main/AndroidManifest.xml")
        try folder.write(entitlements, to: "project/ios/Shop.entitlements")
        return folder
    }

    private static func why(
        _ folder: TemporaryFolder, _ more: [String] = [], link: String = link, project: Bool = true
    ) async throws -> WellKnownRun {
        try await WellKnownRun.run(
            [
                "why", link, "--offline", "--aasa", "apple-app-site-association", "--assetlinks", "assetlinks.json",
            ] + (project ? ["--project", "project"] : []) + more, in: folder.path)
    }

    @Test("Where all agrees, the first line says so")
    func opens() async throws {
        let run = try await Self.why(Self.folder(), ["--app", SampleFiles.app])
        #expect(run.code == 0 && run.output.hasPrefix("The link opens the app.\n"), "\(run.output)\(run.errors)")
    }

    static let broken: [(file: String, old: String, new: String, first: String, next: String)] = [
        // A page in place of the file, an exclude, another app, another package.
        ("apple-app-site-association", "{\n", "<!doctype html>{\n", "FAILS: iOS, server: ", "wellknown lint"),
        ("apple-app-site-association", "/shop/admin/*", "/shop/*", "FAILS: iOS, rule: ", "wellknown explain"),
        ("apple-app-site-association", "K7Q2M9X4TB", "Z7Q2M9X4TB", "FAILS: iOS, ", ""),
        ("assetlinks.json", "com.acme.shop", "com.acme.other", "FAILS: Android, ", ""),
        ("project/app/src/main/AndroidManifest.xml", "links.acme.com", "www.acme.com", "FAILS: Android, ", ""),
        ("project/ios/Shop.entitlements", "applinks:", "appclips:", "FAILS: iOS, app: ", ""),
    ]

    @Test("The first line is the cause, and one step follows", arguments: broken)
    func fails(file: String, old: String, new: String, first: String, next: String) async throws {
        let folder = try Self.folder()
        try folder.write(folder.text(of: file).replacing(old, with: new), to: file)
        let run = try await Self.why(folder, ["--app", SampleFiles.app])
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(run.code == 1 && lines.count <= 10 && lines.allSatisfy { $0.count <= 80 }, "\(run.output)\(run.errors)")
        #expect(lines.first?.hasPrefix(first) == true, "\(run.output)")
        let steps = lines.filter { $0.hasPrefix("Next: ") }
        #expect(steps.count == 1 && (next.isEmpty || steps[0].contains(next)), "\(run.output)")
    }

    @Test("Without a project the line of the app says what is missing")
    func projectless() async throws {
        let run = try await Self.why(Self.folder(), project: false)
        #expect(run.output.contains("not given: --project FOLDER compares it"), "\(run.output)")
    }

    @Test(
        "What is no link is refused with the form",
        arguments: ["shop", "https:///x", "https://192.0.2.1/x", "https://[::1]/", "acme://open", "http://"])
    func refused(link: String) async throws {
        let run = try await WellKnownRun.run(["why", link])
        #expect(run.code == 64 && run.errors.contains("https://HOST/PATH"), "\(run.errors)")
    }

    @Test("A server that nobody reaches leaves nothing to say: 2")
    func unreachable() async throws {
        let run = try await WellKnownRun.run([
            "why", Self.link, "--resolve", "links.acme.com:443:127.0.0.1", "--allow-private", "--apple-cdn",
            "http://127.0.0.1:9", "--google-api", "http://127.0.0.1:9",
        ])
        #expect(run.code == 2 && run.output.contains("Nothing could be asked."), "\(run.output)\(run.errors)")
    }

    /// A port that takes connections and never answers. It counts them.
    private final class SilentPort: Sendable {
        let socket: Int32
        let port: UInt16

        init() throws {
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (socket, length) = (socket, size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &size) == 0
                }
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin_port)
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        }

        deinit { close(socket) }

        /// The connections since the last call.
        func count() -> Int {
            var count = 0
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return count }
                close(connection)
                count += 1
            }
        }
    }

    @Test("Servers that never answer are asked so often that all of them together take at most fifteen seconds")
    func silent() async throws {
        #expect(WhyCommand.secondsPerRequest * Double(WhyCommand.requests) < WhyCommand.secondsInAll)
        #expect(WhyCommand.secondsInAll <= 15)
        let services = try SilentPort()
        let base = "http://127.0.0.1:\(services.port)"
        let run = try await WellKnownRun.run([
            "why", Self.link, "--resolve", "links.acme.com:443:127.0.0.1", "--allow-private", "--apple-cdn", base,
            "--google-api", base, "--time-limit", "0.2",
        ])
        // The other two requests are those of the files, each once.
        let asked = services.count() + 2
        #expect(run.code == 2 && asked == WhyCommand.requests, "\(asked) requests: \(run.output)\(run.errors)")
    }

    @Test("Apple's old copy is the cause when everything else agrees")
    func old() async throws {
        let folder = try Self.folder()
        let copy = SampleFiles.aasa.replacing("/shop/*", with: "/old/*")
        let services = try await SiteServer(
            ["/a/v1/links.acme.com": SiteServer.Reply(body: copy)], certificate: nil)
        let run = try await WellKnownRun.run(
            [
                "why", Self.link, "--aasa", "apple-app-site-association", "--assetlinks", "assetlinks.json",
                "--platform", "ios", "--allow-private", "--apple-cdn", "http://127.0.0.1:\(services.port)",
                "--google-api", "http://127.0.0.1:\(services.port)", "--project", "project", "--app", SampleFiles.app,
            ], in: folder.path)
        #expect(run.output.contains("iOS, Apple's copy: "), "\(run.output)\(run.errors)")
    }

    @Test("JSON has the verdict, the steps and the next one")
    func json() async throws {
        let run = try await Self.why(Self.folder(), ["--app", SampleFiles.app, "--format", "json"])
        let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(report["verdict"] as? String == "opens" && report["url"] as? String == Self.link)
        #expect((report["steps"] as? [[String: Any]])?.isEmpty == false)
    }
}
