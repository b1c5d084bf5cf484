import Foundation
import Testing

@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Reads the files as both libraries do: rules in order, any pattern anywhere in the path, later properties first.
struct PathConfigurationReader {
    let rules: [(patterns: [NSRegularExpression], properties: [String: JSONValue])]

    init(_ json: [UInt8]) throws {
        let file = try JSONDecoding.value(json)
        rules = try (file["rules"]?.items ?? []).map { rule in
            guard case .object(let properties) = rule["properties"] else { throw ProbeFailure("no properties") }
            let patterns = try (rule["patterns"]?.items ?? []).map {
                try NSRegularExpression(pattern: $0.text ?? "(")
            }
            return (patterns, properties)
        }
    }

    func properties(of path: String) -> [String: JSONValue] {
        rules.reduce(into: [:]) { all, rule in
            let range = NSRange(path.startIndex..., in: path)
            guard rule.patterns.contains(where: { $0.firstMatch(in: path, range: range) != nil }) else { return }
            all.merge(rule.properties) { $1 }
        }
    }

    func destination(of path: String) -> PathConfiguration.Destination? {
        properties(of: path)["destination"]?.text.flatMap(PathConfiguration.Destination.init)
    }
}

/// native.hotwired.dev, Path Configuration.
@Suite("The path configuration", .program)
struct PathConfigurationTests {
    private static let configuration = PathConfiguration([
        .tree("/sign-in", .modal), .tree("/auth", .browserSession), .paths(["/auth/a.b", "/auth/c"], .webView),
        .paths(["/elsewhere"], .systemBrowser), .paths(["/over"], .reset),
    ])

    @Test(
        "a path opens as the last rule says that matches it, with a query and without",
        arguments: [
            ("", "web_view"), ("/", "web_view"), ("/account", "web_view"), ("/sign-in", "modal"),
            ("/sign-in/", "modal"), ("/sign-in/code", "modal"), ("/sign-in?flow=x", "modal"),
            ("/sign-in/link/key?x=/auth/c", "modal"), ("/sign-inn", "web_view"), ("/sign-in-x", "web_view"),
            ("/x/sign-in", "web_view"), ("/auth", "browser_session"), ("/auth/", "browser_session"),
            ("/auth/native/email", "browser_session"), ("/authors", "web_view"), ("/auth/a.b", "web_view"),
            ("/auth/a.b?c=d", "web_view"), ("/auth/aXb", "browser_session"), ("/auth/a.b/", "browser_session"),
            ("/auth/a.bc", "browser_session"), ("/auth/c", "web_view"), ("/auth/c?/", "web_view"),
            ("/elsewhere", "system_browser"), ("/elsewhere/x", "web_view"), ("/over", "reset"), ("/over?x", "reset"),
        ])
    func matching(path: String, destination: String) throws {
        for platform in PathConfiguration.Platform.allCases {
            let reader = try PathConfigurationReader(Self.configuration.json(for: platform))
            #expect(reader.properties(of: path)["destination"]?.text == destination, "\(platform)")
        }
    }

    @Test("every rule sets the same properties, so that none of an earlier rule remains")
    func complete() throws {
        for platform in PathConfiguration.Platform.allCases {
            let rules = try PathConfigurationReader(Self.configuration.json(for: platform)).rules
            let names: Set = ["context", "destination", "presentation", "pull_to_refresh_enabled"]
            #expect(rules.count == 6)
            for rule in rules {
                #expect(Set(rule.properties.keys) == (platform == .ios ? names : names.union(["uri"])))
            }
        }
    }

    @Test("the properties are Hotwire's: a sign-in is a modal that replaces what is shown, and cannot be pulled")
    func properties() throws {
        let ios = try PathConfigurationReader(Self.configuration.json(for: .ios))
        #expect(
            ios.properties(of: "/sign-in") == [
                "context": "modal", "destination": "modal", "presentation": "replace_root",
                "pull_to_refresh_enabled": false,
            ])
        #expect(
            ios.properties(of: "/account") == [
                "context": "default", "destination": "web_view", "presentation": "default",
                "pull_to_refresh_enabled": true,
            ])
        for path in ["/auth/x", "/elsewhere", "/over"] {
            #expect(ios.properties(of: path)["presentation"] == "none", "opens nothing in an app that knows no more")
        }
        let android = try PathConfigurationReader(Self.configuration.json(for: .android))
        for path in ["/", "/sign-in", "/auth/x", "/over"] {
            #expect(android.properties(of: path)["uri"] == "hotwire://fragment/web")
        }
        #expect(
            android.properties(of: "/sign-in") == [
                "context": "modal", "destination": "modal", "presentation": "replace",
                "pull_to_refresh_enabled": false, "uri": "hotwire://fragment/web",
            ])
    }

    /// Hotwire Native Android ends the app at such a visit (NavigatorRule throws a NavigatorException).
    @Test("no rule for Android is modal and replace_root")
    func androidModal() async throws {
        let idp = try await ProgramPaths.declared().configuration
        for configuration in [idp, .relyingParty, Self.configuration] {
            let rules = try PathConfigurationReader(configuration.json(for: .android)).rules
            #expect(rules.allSatisfy { $0.properties["context"] != nil && $0.properties["presentation"] != nil })
            #expect(
                !rules.contains {
                    $0.properties["context"] == "modal" && $0.properties["presentation"] == "replace_root"
                })
        }
    }

    // MARK: - The programs' files

    /// One rule per line, as the programs write them for iOS.
    private static let golden = (
        idp: [
            rule(#"".*""#, "default", "web_view", "default", true),
            rule(#""^/sign-in(/|$|\\?)""#, "modal", "modal", "replace_root", false),
            rule(#""^/invitation(/|$|\\?)""#, "modal", "modal", "replace_root", false),
            rule(#""^/auth(/|$|\\?)""#, "default", "browser_session", "none", false),
            rule(
                #""^/auth/sso/authorize($|\\?)","^/auth/sso/complete($|\\?)","^/auth/sso/sign-out($|\\?)""#,
                "default", "web_view", "default", true),
            rule(
                #""^/auth/sso/callback($|\\?)","^/auth/sso/start($|\\?)""#, "default", "system_browser", "none", false),
            rule(
                #""^/oidc/authorize($|\\?)","^/oidc/complete($|\\?)","^/oidc/logout($|\\?)","^/oidc/sign-out($|\\?)""#,
                "default", "web_view", "default", true),
            rule(
                #""^/gate-sign-in($|\\?)","^/gate-sign-in/complete($|\\?)""#, "default", "web_view", "default", true),
            rule(#""^/reset_app($|\\?)""#, "default", "reset", "none", false),
        ],
        relyingParty: [
            rule(#"".*""#, "default", "web_view", "default", true),
            rule(#""^/auth(/|$|\\?)""#, "default", "browser_session", "none", false),
            rule(#""^/auth/sso/start($|\\?)","^/auth/sso/callback($|\\?)""#, "default", "web_view", "default", true),
            rule(#""^/reset_app($|\\?)""#, "default", "reset", "none", false),
        ]
    )

    private static func rule(
        _ patterns: String, _ context: String, _ destination: String, _ presentation: String, _ pulls: Bool
    ) -> String {
        #"{"patterns":[\#(patterns)],"properties":{"context":"\#(context)","destination":"\#(destination)","#
            + #""presentation":"\#(presentation)","pull_to_refresh_enabled":\#(pulls)}}"#
    }

    private static func file(_ rules: [String], _ platform: PathConfiguration.Platform) -> String {
        let all = rules.joined(separator: ",")
        let android = all.replacing("}}", with: #","uri":"hotwire://fragment/web"}}"#)
            .replacing(#""presentation":"replace_root""#, with: #""presentation":"replace""#)
        return #"{"rules":[\#(platform == .ios ? all : android)],"settings":{}}"#
    }

    @Test(
        "the files have these bytes, and apps may keep them for five minutes",
        .oneDeployment, arguments: PathConfiguration.Platform.allCases)
    func served(platform: PathConfiguration.Platform) async throws {
        let deployment = try TestDeployment.shared()
        for (probe, rules) in [
            (deployment.probe(), Self.golden.idp), (deployment.clientProbe(), Self.golden.relyingParty),
        ] {
            let get = try await probe.get(platform.path)
            #expect(get.status == 200)
            #expect(get.text == Self.file(rules, platform))
            #expect(get.header("content-type") == "application/json")
            #expect(get.header("cache-control") == "public, max-age=300")
            #expect(get.all("content-length") == ["\(get.body.count)"])
            let tag = try #require(get.header("etag"))
            let head = try await probe.send("HEAD", platform.path)
            #expect(head.status == 200 && head.body.isEmpty && head.header("etag") == tag)
            #expect(head.all("content-length") == ["\(get.body.count)"])
            let again = try await probe.get(platform.path, [("If-None-Match", "W/\(tag)")])
            #expect(again.status == 304 && again.body.isEmpty && again.header("etag") == tag)
            #expect(try await probe.get(platform.path, [("If-None-Match", "\"other\"")]).status == 200)
            let post = try await probe.post(platform.path, body: [])
            #expect(post.status == 405 && post.header("allow") == "GET, HEAD")
        }
    }

    @Test(
        "they are the same for every user: no cookie, no Vary, no redirect, no session",
        arguments: PathConfiguration.Platform.allCases)
    func public_(platform: PathConfiguration.Platform) async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            deployment.clock.advance(by: .minutes(2))
            let sessions = try await deployment.rows(of: "session")
            for browser in [shell, deployment.browser(language: "de"), deployment.browser(language: "en")] {
                for origin in [deployment.origin, deployment.client.origin] {
                    let reply = try await browser.get(origin + platform.path).reply
                    #expect(reply.status == 200)
                    for name in ["set-cookie", "vary", "location"] { #expect(reply.all(name) == [], "\(name)") }
                }
            }
            #expect(try await deployment.rows(of: "session") == sessions)
        }
    }
}
