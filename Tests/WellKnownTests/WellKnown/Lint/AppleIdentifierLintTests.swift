import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Linting app identifiers", .rules)
struct AppleIdentifierLintTests {
    // Source: Apple, "Supporting associated domains": ten characters, a dot, the bundle identifier.
    @Test(
        "each error of an identifier is reported once, by its cause",
        arguments: [
            ("4J6K8M2N9P.com.acme.shop", nil), ("4J6K8M2N9P.Shop-2", nil),
            ("com.acme.shop", "id.no-prefix"), ("shop", "id.no-prefix"), ("", "id.no-prefix"),
            ("my-company-388912.com.acme", "id.no-prefix"), ("acme.com.acme.shop", "id.no-prefix"),
            ("4J6K8M2N9.com.acme.shop", "id.prefix-length"), ("4J6K8M2N9PP.com.acme.shop", "id.prefix-length"),
            ("4j6k8m2n9.com.acme.shop", "id.prefix-length"), ("4j6k8m2n9p.com.acme.shop", "id.prefix-lowercase"),
            ("6479632616.com.acme.shop", "id.prefix-numeric"), ("647963261.com.acme.shop", "id.prefix-length"),
            ("ABCDE12345.com.acme.shop", "id.placeholder"), ("XXXXXXXXXX.com.acme.shop", "id.placeholder"),
            ("TEAM_ID.com.acme.shop", "id.placeholder"), ("YOUR_TEAM_ID.com.acme.shop", "id.placeholder"),
            ("<TeamID>.com.acme.shop", "id.placeholder"), ("$(TeamIdentifierPrefix)com.acme.shop", "id.placeholder"),
            ("4J6K8M2N9P.PRODUCT_BUNDLE_IDENTIFIER", "id.placeholder"), ("0000000000.com.acme.shop", "id.placeholder"),
            ("{{prefix}}.com.acme.shop", "id.placeholder"), ("4J6K8M2N9P.com.todolist.app", nil),
            ("TODO.com.acme.shop", "id.placeholder"), ("4J6K8M2N9P.com.placeholder.works", nil),
            ("4J6K8M2N9P.com.acme.PLACEHOLDER", "id.placeholder"),
            ("4J6K8M2N9P.com.acme.placeholder", "id.placeholder"),
            ("4J6K8M2N9P.com.yourcompany.app", "id.placeholder"), ("APPLE_TEAM.com.acme.shop", "id.placeholder"),
            ("4J6K8M2N9P.com.acme.my_shop", "id.bundle-chars"), ("4J6K8M2N9P.com.acme.käse", "id.bundle-chars"),
            ("4J6K8M2N9P.com acme.shop", "id.bundle-chars"), ("4J6K8M2N9P.com..shop", "id.bundle-chars"),
            ("4J6K8M2N9P.", "id.bundle-chars"), ("4J6K8M2N9P.*", "id.wildcard"), ("*.com.acme.shop", "id.wildcard"),
            (" 4J6K8M2N9P.com.acme.shop", "id.whitespace"), ("4J6K8M2N9P.com.acme.shop\\n", "id.whitespace"),
            ("4J6K8M2N9P.com.acme\\u200b.shop", "json.invisible"), ("4J6K8M2N9P.com.acme.\u{ad}shop", "json.invisible"),
        ])
    func one(app: String, code: String?) {
        #expect(AppleLintTests.codes(AppleExample.credentials(app)) == [code].compactMap { $0 })
    }

    static func services(_ applinks: String, _ credentials: [String], clips: [String] = []) -> String {
        func list(_ apps: [String]) -> String { apps.map { "\"\($0)\"" }.joined(separator: ", ") }
        let appclips = clips.isEmpty ? "" : ", \"appclips\": {\"apps\": [\(list(clips))]}"
        return
            "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(applinks)\"], \"components\": [{\"/\": \"/buy/*\"}]}]}, "
            + "\"webcredentials\": {\"apps\": [\(list(credentials))]}\(appclips)}"
    }

    static let app = AppleLintTests.app
    static let other = AppleLintTests.other

    // Source: Apple, "Supporting associated domains"; "Associating your App Clip with your website".
    @Test(
        "identifiers of several services are compared",
        arguments: [
            (services(app, [app]), []),
            (services(app, [other]), ["id.inconsistent-services", "id.inconsistent-services"]),
            (services(app, [app, other]), ["id.inconsistent-services"]),
            (services(app, ["4J6K8M2N9Q.com.acme.shop"]), ["id.prefix-differs"]),
            // The missing letter is the cause. The mismatch between the services is only its consequence.
            (services(app, ["J6K8M2N9P.com.acme.shop"]), ["id.prefix-length"]),
            (services(app, [app], clips: [app + ".Clip"]), []),
            (services(app, [app], clips: [app]), ["id.clip-in-applinks"]),
            (services(app + ".Clip", [app + ".Clip"]), ["id.clip-in-applinks"]),
        ])
    func several(text: String, expected: [String]) {
        #expect(AppleLintTests.codes(text) == expected)
    }

    @Test("a missing letter is found by comparison with another identifier")
    func neighbour() throws {
        let text = Self.services(Self.app, ["J6K8M2N9P.com.acme.shop"])
        let finding = try #require(AssociationLint.lint(body: Array(text.utf8)).findings.first)
        #expect(finding.fix == "Write \"\(Self.app)\".")
        #expect(finding.pointer == "/webcredentials/apps/0")
    }
}
