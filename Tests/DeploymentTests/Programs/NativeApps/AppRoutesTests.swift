import Foundation
import Hummingbird
import SQLiteStorage
import SSONative
import SSOShared
import SSOWeb
import Testing

@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Three descriptions of the same thing: the path configuration that the identity provider serves, the files in the example
/// apps for times without a connection, and the library that decides in the app.
@Suite("Where an app opens the identity provider's paths", .deployment)
struct AppRoutesTests {
    @Test(
        "the files in the example apps have the properties of the served ones",
        arguments: PathConfiguration.Platform.allCases)
    func bundled(platform: PathConfiguration.Platform) async throws {
        let file = platform == .ios ? "ios/App" : "android/app/src/main/assets/json"
        let bundled = try PathRules(Data(ExampleApps.text("\(file)/path-configuration.json").utf8))
        let configuration = try await ProgramPaths.declared().configuration
        let served = try PathRules(Data(configuration.json(for: platform)))
        let paths = [
            "/", "/name", "/sign-in", "/sign-in?flow=x", "/sign-in/code", "/sign-inn", "/reset_app", "/auth",
            "/auth/native/email", "/auth/native/email?challenge=x", "/auth/sso/authorize?client_id=x",
            "/auth/sso/complete?flow=x", "/auth/sso/callback?token=x", "/auth/sso/start", "/auth/sso/verify",
        ]
        for path in paths {
            let properties = served.properties(of: path)
            #expect(properties["context"] != nil && properties["presentation"] != nil)
            #expect(bundled.properties(of: path) == properties, "\(path)")
        }
        #expect(served.properties(of: "/sign-in") != served.properties(of: "/"))
    }

    /// Where the two differ, and why that harms nobody. No page leads an app there.
    private static let differences: [String: (served: String, library: String, reason: String)] = [
        "/hotwire_native/sign_in": (
            "web_view", "ignore reserved", "only the app itself opens it, for a code that it waits for"
        ),
        "/auth/native/complete": (
            "browser_session", "system_browser", "the handoff is in the browser where it began"
        ),
        "/auth/sso/verify": ("browser_session", "system_browser", "no page: relying parties' servers call it"),
        "/auth/sso/ping": ("browser_session", "system_browser", "no page: relying parties' servers call it"),
        "/auth/sso/session": ("browser_session", "system_browser", "no page: relying parties' servers call it"),
        "/auth/mail/inbound": ("browser_session", "system_browser", "no page: the mail service calls it"),
        "/auth/native/{name}": (
            "browser_session", "system_browser", "the example is not the name of a method; HandoffTests has real names"
        ),
        "/auth/{provider}/callback": (
            "browser_session", "system_browser", "the provider leads the browser there, not a page in the app"
        ),
        "/auth/{provider}/notifications": ("browser_session", "system_browser", "no page: Apple's servers call it"),
    ]

    @Test("the library opens every path of the routes as the path configuration says, with the exceptions above")
    func library() async throws {
        let policy = LinkPolicy(
            try .identityProvider(
                server: "https://idp.acme.com".asURL(), callback: "\(ExampleApps.application):/callback".asURL()))
        let declared = try await ProgramPaths.declared()
        let paths = declared.paths
        #expect(Set(Self.differences.keys).subtracting(paths).sorted() == [], "no such route")
        for platform in PathConfiguration.Platform.allCases {
            let rules = try PathRules(Data(declared.configuration.json(for: platform)))
            for path in paths {
                let example = path.replacing(#/\{[a-z]+\}/#, with: "a-b_C.1")
                for query in ["", "?flow=AAAAAAAAAAAAAAAAAAAAAA"] {
                    let url = try "https://idp.acme.com\(example)\(query)".asURL()
                    let served = rules.properties(of: example + query)["destination"]
                    let library = Self.destination(policy.decide(url))
                    if let difference = Self.differences[path] {
                        #expect(served == difference.served && library == difference.library, "\(difference.reason)")
                    } else {
                        // A modal is a page of the web view as well.
                        #expect(library == (served == "modal" ? "web_view" : served), "\(platform): \(path)\(query)")
                    }
                }
            }
        }
    }

    private static func destination(_ decision: LinkPolicy.Decision) -> String {
        switch decision {
        case .webView: "web_view"
        case .systemBrowser: "system_browser"
        case .browserSession: "browser_session"
        case .reset: "reset"
        case .ignore(let reason): "ignore \(reason.rawValue)"
        }
    }
}

/// Reads a path configuration as both Hotwire libraries do: any pattern anywhere in the path, later properties first.
private struct PathRules {
    private let rules: [(patterns: [NSRegularExpression], properties: [String: String])]

    init(_ json: Data) throws {
        let file = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let items = try #require(file["rules"] as? [[String: Any]])
        rules = try items.map { item in
            let patterns = try #require(item["patterns"] as? [String])
            let properties = try #require(item["properties"] as? [String: Any])
            return (try patterns.map { try NSRegularExpression(pattern: $0) }, properties.mapValues { "\($0)" })
        }
    }

    func properties(of path: String) -> [String: String] {
        let range = NSRange(path.startIndex..., in: path)
        return rules.reduce(into: [:]) { all, rule in
            guard rule.patterns.contains(where: { $0.firstMatch(in: path, range: range) != nil }) else { return }
            all.merge(rule.properties) { $1 }
        }
    }
}
