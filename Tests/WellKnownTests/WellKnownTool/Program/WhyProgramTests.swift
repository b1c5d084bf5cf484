import Foundation
import Testing

@testable import TestKit

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
