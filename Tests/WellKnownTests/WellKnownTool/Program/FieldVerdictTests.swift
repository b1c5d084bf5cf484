import Foundation
import Testing

@testable import TestKit

/// Inputs from real set-ups, each with the verdict and the exit code that it must have.
///
/// The tests of the library say more about each of them. This table shows that the program says it.
@Suite("wellknown as a program: verdicts on real set-ups", .deployment)
struct FieldVerdictTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The command line. `{site}` stands for the address and options of ``site``.
        let command: [String]
        var files: [String: String] = [:]
        var site: [String: SiteServer.Reply] = [:]
        var services: [String: SiteServer.Reply]?
        let code: Int32
        /// Texts that the output must have, without regard to line breaks.
        let says: [String]
        var saysNot: [String] = []

        var testDescription: String { name }
    }

    static let app = SampleFiles.app
    static let link = "https://links.acme.com"

    static func aasa(_ components: String, app: String = app) -> String {
        "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[\(components)]}]}}\n"
    }

    static func dynamic(_ rules: String) -> String {
        SampleFiles.assetLinks.replacing(
            "\"target\"",
            with: "\"relation_extensions\": {\"delegate_permission/common.handle_all_urls\": "
                + "{\"dynamic_app_link_components\": [\(rules)]}}, \"target\"")
    }

    static func entitlements(_ domains: String...) -> String {
        "<plist version=\"1.0\"><dict><key>com.apple.developer.associated-domains</key><array>\n"
            + domains.map { "<string>\($0)</string>\n" }.joined() + "</array></dict></plist>\n"
    }

    static func manifest(_ data: String...) -> String {
        """
        <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.acme.shop"><application>
        <activity android:name=".Links" android:exported="true"><intent-filter android:autoVerify="true">
        <action android:name="android.intent.action.VIEW"/><category android:name="android.intent.category.DEFAULT"/>
        <category android:name="android.intent.category.BROWSABLE"/>
        <data android:scheme="https"/>
        \(data.joined(separator: "\n"))
        </intent-filter></activity></application></manifest>
        """
    }

    static let doctorManifest = ["doctor", "links.acme.com", "--offline", "--manifest", "AndroidManifest.xml"]
    static let doctorEntitlements = ["doctor", "links.acme.com", "--offline", "--entitlements", "App.entitlements"]
    static let certificate = Array(repeating: "AB", count: 31).joined(separator: ":") + ":01"

    static let undecided = [
        Case(
            name: "1: assetlinks.json without dynamic rules", command: ["match", "assetlinks.json", "\(link)/shop/1"],
            files: ["assetlinks.json": SampleFiles.assetLinks], code: 3,
            says: ["not decided (manifest decides)", "the app opens what its manifest says"]),
        Case(
            name: "1: explain says the same", command: ["explain", "assetlinks.json", "\(link)/shop/1"],
            files: ["assetlinks.json": SampleFiles.assetLinks], code: 3, says: ["not decided (manifest decides)"]),
        Case(
            name: "1: JSON says the same",
            command: ["match", "assetlinks.json", "\(link)/shop/1", "--format", "json"],
            files: ["assetlinks.json": SampleFiles.assetLinks], code: 3,
            says: ["\"decision\" : \"manifest decides\"", "\"verdict\" : \"not decided\""]),
        Case(
            name: "1: dynamic rules that Android discards",
            command: ["match", "assetlinks.json", "\(link)/shop/1"],
            files: ["assetlinks.json": dynamic("{\"/\": \"\"}")], code: 3, says: ["not decided (manifest decides)"]),
        Case(name: "1: help", command: ["match", "--help"], code: 0, says: ["3 not decided"]),
    ]

    static let placeholders = [
        Case(
            name: "2: $(DOMAIN) in the entitlements", command: doctorEntitlements + ["--aasa", "aasa.json"],
            files: [
                "App.entitlements": entitlements("applinks:$(DOMAIN)", "webcredentials:${DOMAIN}"),
                "aasa.json": SampleFiles.aasa,
            ], code: 2, says: ["--define", "Nothing could be compared"],
            saysNot: ["upper-case", "Add applinks", "project.entitlement"]),
        Case(
            name: "2: $(DOMAIN) with its value",
            command: doctorEntitlements + ["--aasa", "aasa.json", "--define", "DOMAIN=links.acme.com"],
            files: [
                "App.entitlements": entitlements("applinks:$(DOMAIN)", "webcredentials:${DOMAIN}"),
                "aasa.json": SampleFiles.aasa,
            ], code: 0, says: ["ok the associated domain"], saysNot: ["upper-case", "Add applinks"]),
        Case(
            name: "2: $(DOMAIN) with the value of another host",
            command: doctorEntitlements + ["--aasa", "aasa.json", "--define", "DOMAIN=www.acme.com"],
            files: ["App.entitlements": entitlements("applinks:$(DOMAIN)"), "aasa.json": SampleFiles.aasa], code: 1,
            says: ["Add applinks:links.acme.com"]),
        Case(
            name: "2: ${host} in the manifest", command: doctorManifest + ["--assetlinks", "assetlinks.json"],
            files: [
                "AndroidManifest.xml": manifest("<data android:host=\"${host}\"/>"),
                "assetlinks.json": SampleFiles.assetLinks,
            ], code: 0, says: ["--define"], saysNot: ["DIFFERS", "project.manifest"]),
        Case(
            name: "2: ${host} with its value",
            command: doctorManifest + ["--assetlinks", "assetlinks.json", "--define", "host=links.acme.com"],
            files: [
                "AndroidManifest.xml": manifest("<data android:host=\"${host}\"/>"),
                "assetlinks.json": SampleFiles.assetLinks,
            ], code: 0, says: ["ok the intent filter"], saysNot: ["DIFFERS"]),
        Case(
            name: "2: --define without a value", command: doctorManifest + ["--define", "host"], code: 64,
            says: ["NAME=VALUE"]),
    ]

    static let linter = [
        Case(
            name: "3: a rule for everything before one that says the same", command: ["lint", "--all", "aasa.json"],
            files: ["aasa.json": aasa("{\"/\":\"*\"},{\"/\":\"/shop/x\"}")], code: 0,
            says: ["info pat.catch-all-first", "would decide the same"]),
        Case(
            name: "3: a rule for everything before an exclude", command: ["lint", "aasa.json"],
            files: ["aasa.json": aasa("{\"/\":\"*\"},{\"/\":\"/shop/x\",\"exclude\":true}")], code: 1,
            says: ["error pat.catch-all-first"]),
        Case(
            name: "3: a rule for everything before the rules of another app", command: ["lint", "aasa.json"],
            files: [
                "aasa.json": "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[{\"/\":\"*\"}]},"
                    + "{\"appIDs\":[\"K7Q2M9X4TB.com.acme.driver\"],\"components\":[{\"/\":\"/driver/*\"}]}]}}\n"
            ], code: 1, says: ["error pat.catch-all-first", "no link opens \"K7Q2M9X4TB.com.acme.driver\""],
            saysNot: ["aasa.shared-path"]),
        Case(
            name: "3: two builds of one app", command: ["lint", "aasa.json"],
            files: [
                "aasa.json": "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[{\"/\":\"*\"}]},"
                    + "{\"appIDs\":[\"K7Q2M9X4TB.com.acme.beta\"],\"components\":[{\"/\":\"*\"}]}]}}\n"
            ], code: 0, says: [], saysNot: ["pat.catch-all-first"]),
        Case(
            name: "4: the file of generate --ios12",
            command: [
                "sh",
                "wellknown generate --apple \(app) --path '/shop/*' --ios12 --only aasa > aasa.json && "
                    + "wellknown lint --minimum-ios 12 --fail-on warning aasa.json",
            ], code: 0, says: [], saysNot: ["aasa.min-os"]),
        Case(
            name: "4: components alone on iOS 12",
            command: ["lint", "--minimum-ios", "12", "--fail-on", "warning", "aasa.json"],
            files: ["aasa.json": aasa("{\"/\":\"/shop/*\"}")], code: 1, says: ["warning aasa.min-os"]),
        Case(
            name: "13: 200 apps with one fingerprint each",
            command: ["lint", "--all", "--kind", "assetlinks", "links.json"],
            files: [
                "links.json": "["
                    + (0..<200).map {
                        "{\"relation\":[\"delegate_permission/common.handle_all_urls\"],\"target\":{\"namespace\":"
                            + "\"android_app\",\"package_name\":\"com.acme.a\($0)\",\"sha256_cert_fingerprints\":"
                            + "[\"\(certificate)\"]}}"
                    }.joined(separator: ",\n") + "]\n"
            ], code: 0, says: ["200 apps (com.acme.a0, com.acme.a1, com.acme.a2 and 197 more)", "2 remarks"]),
    ]

    static let manifests = [
        Case(
            name: "5: a path without its first slash", command: doctorManifest,
            files: [
                "AndroidManifest.xml": manifest(
                    "<data android:host=\"links.acme.com\"/>", "<data android:pathPrefix=\"shop/\"/>")
            ], code: 1, says: ["project.manifest-path", "AndroidManifest.xml:7:", "Write \"/shop/\""]),
        Case(
            name: "5: a star in a prefix", command: doctorManifest,
            files: [
                "AndroidManifest.xml": manifest(
                    "<data android:host=\"links.acme.com\"/>", "<data android:pathPrefix=\"/shop/*\"/>")
            ], code: 1, says: ["project.manifest-path", "here * is a plain character"]),
        Case(
            name: "5: two pairs of host and path", command: doctorManifest,
            files: [
                "AndroidManifest.xml": manifest(
                    "<data android:host=\"links.acme.com\" android:pathPrefix=\"/shop/\"/>",
                    "<data android:host=\"help.acme.com\" android:path=\"/faq\"/>")
            ], code: 0,
            says: [
                "warning", "project.manifest-paths-cross", "links.acme.com with path \"/faq\"",
                "help.acme.com with pathPrefix \"/shop/\"",
            ]),
    ]

    static let comparisons =
        [
            Case(
                name: "9: excluded on Android, then without a rule",
                command: ["diff", "old.json", "new.json", "--format", "json"],
                files: [
                    "old.json": dynamic("{\"/\":\"/a\",\"exclude\":true},{\"/\":\"/b*\"}"),
                    "new.json": dynamic("{\"/\":\"/b*\"}"),
                ], code: 0, says: ["\"same\" : true", "\"notes\" : [ {", "\"old\" : \"excluded\""]),
            Case(
                name: "9: on iOS that is a change", command: ["diff", "old.json", "new.json"],
                files: [
                    "old.json": aasa("{\"/\":\"/a\",\"exclude\":true},{\"/\":\"/b*\"}"),
                    "new.json": aasa("{\"/\":\"/b*\"}"),
                ], code: 1, says: ["excluded -> no match"]),
            Case(
                name: "10: a trailing comma", command: ["diff", "old.json", "new.json"],
                files: ["old.json": aasa("{\"/\":\"/a\"},"), "new.json": aasa("{\"/\":\"/a\"}")], code: 0,
                says: [
                    "no difference", "disputed in the old file: Does Apple's reader accept a comma",
                    "would be \"no match\"",
                ]),
            Case(
                name: "11: 5,000 query items",
                command: ["diff", "old.json", "new.json"],
                files: [
                    "old.json": aasa((0..<5000).map { "{\"?\":{\"q\($0)\":\"?*\"}}" }.joined(separator: ",")),
                    "new.json": aasa((1..<5000).map { "{\"?\":{\"q\($0)\":\"?*\"}}" }.joined(separator: ",")),
                ], code: 1, says: ["opens -> no match", "?q0="]),
            Case(
                name: "12: /buy/*/ for /buy", command: ["match", "aasa.json", "\(link)/buy"],
                files: ["aasa.json": aasa("{\"/\":\"/buy/*/\"}")], code: 0, says: [": opens", "disputed", "TN3155"]),
            Case(
                name: "12: /buy/** for /buy", command: ["match", "aasa.json", "\(link)/buy"],
                files: ["aasa.json": aasa("{\"/\":\"/buy/**\"}")], code: 0, says: [": opens", "disputed", "TN3155"]),
            Case(
                name: "12: /buy/* for /buy is documented", command: ["match", "aasa.json", "\(link)/buy"],
                files: ["aasa.json": aasa("{\"/\":\"/buy/*\"}")], code: 0, says: [": opens"], saysNot: ["disputed"]),
            Case(
                name: "12: a port", command: ["match", "aasa.json", "\(link):8443/buy/1"],
                files: ["aasa.json": aasa("{\"/\":\"/buy/*\"}")], code: 0,
                says: ["disputed", "ports are not possible (Apple TN3155)"]),
        ]
        + ["/**", "/?*?", "/*?b"].map { pattern in
            Case(
                name: "12: \(pattern) on Android", command: ["match", "links.json", "\(link)/aab"],
                files: ["links.json": dynamic("{\"/\":\"\(pattern)\"}")], code: 0,
                says: ["opens", "disputed", "the character after the wildcard"])
        }

    static let others = [
        Case(
            name: "6: http, https, http", command: ["statements", "list", "request.json", "--content", "content.json"],
            files: [
                "request.json": "{\"source\":{\"web\":{\"site\":\"http://a.example\"}},\"relation\":\"a/b\"}",
                "content.json": """
                {"web_content":[
                {"url":"http://a.example/.well-known/assetlinks.json","body":"[{\\"include\\":\\"https://b.example/l\\"}]"},
                {"url":"https://b.example/l","body":"[{\\"include\\":\\"http://c.example/l\\"}]"},
                {"url":"http://c.example/l","body":"[{\\"relation\\":[\\"a/b\\"],\\"target\\":{\\"namespace\\":\\"web\\",\
                \\"site\\":\\"https://d.example\\"}}]"}]}
                """,
            ], code: 0,
            says: [
                "\"outcome\": \"FETCH_ERROR\"", "\"statements\": []", "ERROR_CODE_SECURE_ASSET_INCLUDES_INSECURE",
                "Insecure include file included by secure include file",
            ]),
        Case(
            name: "6: a certificate that no app has",
            command: ["statements", "list", "request.json", "--content", "content.json"],
            files: [
                "request.json": "{\"source\":{\"android_app\":{\"package_name\":\"com.acme.shop\",\"certificate\":"
                    + "{\"sha256_fingerprint\":\"\(certificate)\"}}}}",
                "content.json": "{\"android_content\":[{\"package_name\":\"com.acme.shop\",\"cert_fingerprint\":"
                    + "\"\(SampleFiles.fingerprint)\",\"assets_statements\":\"[]\"}]}",
            ], code: 0, says: ["\"outcome\": \"SUCCESS\"", "\"statements\": []"], saysNot: ["error_code"]),
        Case(
            name: "7: Google's copy is older than the file",
            command: ["fetch", "{site}", "--platform", "android"],
            site: [FetchHouse.assetLinksPath: SiteServer.Reply(body: FetchHouse.assetLinks)],
            services: [
                "/v1/statements:list": SiteServer.Reply(body: "{\"maxAge\":\"3600s\"}"),
                "/v1/assetlinks:check": SiteServer.Reply(body: "{\"linked\":false}"),
            ], code: 0, says: ["warning dal.drift", "It expires at 20"], saysNot: ["dal.not-linked", "error"]),
        Case(
            name: "8: the first request gets no answer",
            command: ["fetch", "{site}", "--platform", "ios", "--origin-only", "--time-limit", "5"],
            site: [FetchHouse.aasaPath: SiteServer.Reply(body: FetchHouse.aasa, silent: 1)], code: 0,
            says: ["as AASA-Bot/1.0.0, first", "no complete answer within"],
            saysNot: ["http.bot-blocked", "http.timeout"]),
        Case(
            name: "8: a firewall refuses the bot",
            command: ["fetch", "{site}", "--platform", "ios", "--origin-only", "--time-limit", "60"],
            site: [FetchHouse.aasaPath: SiteServer.Reply(body: FetchHouse.aasa, byAgent: ["AASA-Bot": 403])], code: 1,
            says: ["error http.bot-blocked"]),
        Case(
            name: "14: Apple's copy is older than the file",
            command: ["fetch", "{site}", "--platform", "ios"],
            site: [FetchHouse.aasaPath: SiteServer.Reply(body: FetchHouse.aasa)],
            services: [
                "/a/v1/127.0.0.1": SiteServer.Reply(
                    headers: ["Content-Type": "application/json", "Cache-Control": "max-age=3600", "Age": "60"],
                    body: FetchHouse.aasa.replacing("/buy/", with: "/old/"))
            ], code: 0, says: ["warning cdn.drift", "https://127.0.0.1:", "/old", "It expires at 20"],
            saysNot: ["example.com"]),
        Case(
            name: "15: a manifest where an association file is expected",
            command: ["match", "AndroidManifest.xml", "\(link)/shop/1"],
            files: ["AndroidManifest.xml": manifest("<data android:host=\"links.acme.com\"/>")], code: 2,
            says: ["this is an Android manifest", "--manifest"], saysNot: ["page"]),
        Case(
            name: "15: entitlements where an association file is expected",
            command: ["match", "App.entitlements", "\(link)/shop/1"],
            files: ["App.entitlements": entitlements("applinks:links.acme.com")], code: 2,
            says: ["a property list, such as an app's entitlements", "--entitlements"]),
    ]

    static let shopManifest = manifest(
        "<data android:host=\"links.acme.com\"/>", "<data android:pathPrefix=\"/shop/\"/>")
    static let androidApp = [
        Case(
            name: "1: with the manifest it is decided",
            command: [
                "match", "\(link)/shop/1", "--assetlinks", "assetlinks.json", "--manifest", "AndroidManifest.xml",
            ],
            files: ["assetlinks.json": SampleFiles.assetLinks, "AndroidManifest.xml": shopManifest], code: 0,
            says: ["com.acme.shop on Android: opens", "The filter of .Links (line 2) matches"]),
        Case(
            name: "Another host leaves old versions open",
            command: [
                "match", "\(link)/shop/1", "--assetlinks", "assetlinks.json", "--manifest", "AndroidManifest.xml",
            ],
            files: [
                "assetlinks.json": SampleFiles.assetLinks,
                "AndroidManifest.xml": manifest(
                    "<data android:host=\"links.acme.com\"/>", "<data android:host=\"go.library.example\"/>"),
            ], code: 0,
            says: ["com.acme.shop on Android: opens", "Android 6 to 11: not decided", "go.library.example"]),
        Case(
            name: "The manifest does not name the path",
            command: [
                "explain", "\(link)/help", "--assetlinks", "assetlinks.json", "--manifest", "AndroidManifest.xml",
            ],
            files: ["assetlinks.json": SampleFiles.assetLinks, "AndroidManifest.xml": shopManifest], code: 1,
            says: ["com.acme.shop on Android: no match", "no path of it matches"]),
        Case(
            name: "Dynamic rules on top, and older versions",
            command: [
                "match", "\(link)/shop/x", "--assetlinks", "assetlinks.json", "--manifest", "AndroidManifest.xml",
                "--format", "json",
            ],
            files: [
                "assetlinks.json": dynamic("{\"/\":\"/shop/x\",\"exclude\":true},{\"/\":\"*\"}"),
                "AndroidManifest.xml": shopManifest,
            ], code: 1,
            says: [
                "\"decision\" : \"excluded\"", "\"versions\" : \"Android 15 and later\"",
                "\"versions\" : \"Android 6 to 14\"", "\"line\" : 2", "\"activity\" : \".Links\"",
            ]),
        Case(
            name: "The manifest alone", command: ["match", "\(link)/shop/1", "--manifest", "AndroidManifest.xml"],
            files: ["AndroidManifest.xml": shopManifest], code: 3,
            says: ["not decided", "assetlinks.json of links.acme.com decides"]),
        Case(
            name: "Another manifest opens other links",
            command: [
                "diff", "assetlinks.json", "assetlinks.json", "--manifest", "AndroidManifest.xml", "--manifest",
                "new.xml",
            ],
            files: [
                "assetlinks.json": SampleFiles.assetLinks, "AndroidManifest.xml": shopManifest,
                "new.xml": manifest(
                    "<data android:host=\"links.acme.com\"/>", "<data android:pathPrefix=\"/sale/\"/>"),
            ], code: 1, says: ["https://links.acme.com/shop/", "opens -> no match", "no match -> opens"]),
        Case(
            name: "The same manifest with other spaces",
            command: [
                "diff", "assetlinks.json", "assetlinks.json", "--manifest", "AndroidManifest.xml", "--manifest",
                "new.xml",
            ],
            files: [
                "assetlinks.json": SampleFiles.assetLinks, "AndroidManifest.xml": shopManifest,
                "new.xml": shopManifest.replacing("<data", with: "\n  <data"),
            ], code: 0, says: ["no difference"]),
        Case(
            name: "A file and a link with --manifest",
            command: ["match", "assetlinks.json", "\(link)/", "--manifest", "AndroidManifest.xml"], code: 64,
            says: ["the link is the only argument"]),
    ]

    static let all = undecided + placeholders + linter + manifests + comparisons + others + androidApp

    @Test("Each input has its verdict and its exit code", arguments: all)
    func verdict(_ item: Case) async throws {
        let folder = try TemporaryFolder()
        for (name, text) in item.files { try folder.write(text, to: name) }
        var command = item.command
        var house: FetchHouse?
        if let place = command.firstIndex(of: "{site}") {
            let open = try await FetchHouse.open(item.site, services: item.services)
            let services = "http://127.0.0.1:\(open.services?.port ?? 9)"
            command[place] = "127.0.0.1:\(open.site.port)"
            command += ["--allow-private", "--ca-file", try #require(open.certificateFile)]
            command += ["--apple-cdn", services, "--google-api", services]
            house = open
        }
        let run: WellKnownRun
        if command.first == "sh" {
            let own = URL(fileURLWithPath: WellKnownRun.program).deletingLastPathComponent().path
            run = try await WellKnownRun.command(
                ["/bin/sh", "-c", command[1]], in: folder.path, environment: ["PATH": "\(own):/usr/bin:/bin"])
        } else {
            run = try await WellKnownRun.run(command, in: folder.path)
        }
        withExtendedLifetime(house) {}
        let text = (run.output + run.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(run.code == item.code, "\(run.output)\(run.errors)")
        for part in item.says { #expect(text.contains(part), "\(part)\n\(run.output)\(run.errors)") }
        for part in item.saysNot { #expect(!text.contains(part), "\(part)\n\(run.output)\(run.errors)") }
    }
}
