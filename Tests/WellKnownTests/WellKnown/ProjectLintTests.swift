import Testing
import WellKnown

@testable import TestKit

/// Sources: Apple, "Associated Domains Entitlement" and Technote TN3155; Google, "Verify Android App Links".
@Suite("Comparison of server, app and signature", .rules)
struct ProjectLintTests {
    private static let app = "ABCDE12345.com.house.app"

    static func filter(
        autoVerify: Bool = true, actions: [String] = ["android.intent.action.VIEW"],
        categories: [String] = ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"],
        schemes: [String] = ["https"], hosts: [String] = ["house.example"], paths: [ManifestPath] = []
    ) -> IntentFilter {
        IntentFilter(
            activity: ".Main", autoVerify: autoVerify, actions: actions, categories: categories, schemes: schemes,
            hosts: hosts.map { ManifestHost($0) }, paths: paths)
    }

    private static func aasa(_ services: String = "applinks") throws -> AASAFile {
        let text =
            services == "applinks"
            ? #"{"applinks": {"details": [{"appIDs": ["\#(app)"], "components": [{"/": "*"}]}]}}"#
            : #"{"\#(services)": {"apps": ["\#(app)"]}}"#
        return try #require(AASAFile(reading: text.utf8))
    }

    @Test(
        "errors in the values of the entitlement are reported",
        arguments: [
            ("applinks:house.example", nil, nil),
            ("applinks:*.house.example", nil, nil),
            ("webcredentials:house.example", nil, nil),
            ("applinks:xn--caf-dma.example", nil, nil),
            ("applinks:https://house.example/", "project.entitlement-syntax", "applinks:house.example"),
            ("https://house.example", "project.entitlement-syntax", "applinks:house.example"),
            ("house.example", "project.entitlement-syntax", "applinks:house.example"),
            ("applinks:house.example:8443", "project.entitlement-syntax", "applinks:house.example"),
            ("applinks:house.example/buy", "project.entitlement-syntax", "applinks:house.example"),
            ("applinks:house.example/", "project.entitlement-syntax", "applinks:house.example"),
            ("applinks:House.example", "project.entitlement-syntax", "applinks:house.example"),
            (" applinks:house.example", "project.entitlement-syntax", "applinks:house.example"),
            ("applink:house.example", "project.entitlement-syntax", "applinks:house.example"),
            ("applinks:café.example", "project.entitlement-syntax", nil),
            ("applinks:", "project.entitlement-syntax", nil),
            ("applinks:www.*.example", "project.entitlement-syntax", nil),
            ("applinks:*", "project.entitlement-syntax", nil),
            ("applinks:house.example?mode=debug", "project.entitlement-syntax", nil),
            ("applinks:house.example?x=1", "project.entitlement-syntax", "applinks:house.example"),
            ("applinks:house.example?mode=developer", "project.entitlement-mode", "applinks:house.example"),
            ("applinks:house.example?mode=developer+managed", "project.entitlement-mode", "applinks:house.example"),
            ("appclips:*.house.example", "project.entitlement-wildcard-clip", nil),
            ("appclips:house.example", nil, nil),
            ("", "project.entitlement-syntax", nil),
            ("https:", "project.entitlement-syntax", nil),
        ] as [(String, String?, String?)])
    func entitlement(value: String, code: String?, corrected: String?) {
        var project = ProjectLint()
        project.domains = [AssociatedDomain(value)]
        project.isRelease = true
        #expect(project.findings.map(\.code) == [code].compactMap { $0 })
        if let corrected { #expect(project.findings.first?.fix == "Write \"\(corrected)\".") }
    }

    @Test(
        "developer mode is valid in a development build, and reported if the kind of build is unknown",
        arguments: [
            (true, Severity.error), (nil, .warning), (false, nil),
        ] as [(Bool?, Severity?)])
    func mode(isRelease: Bool?, severity: Severity?) {
        var project = ProjectLint()
        project.domains = [AssociatedDomain("applinks:house.example?mode=developer")]
        project.isRelease = isRelease
        #expect(project.findings.first?.severity == severity)
    }

    @Test(
        "differences between file and entitlement are reported",
        arguments: [
            ("applinks", ["applinks:house.example"], app, nil),
            ("applinks", ["applinks:*.house.example"], app, nil),
            ("applinks", ["applinks:house.example?mode=developer"], app, nil),
            ("applinks", [], app, "project.entitlement-missing"),
            ("applinks", ["webcredentials:other.example"], app, "project.entitlement-missing"),
            ("applinks", ["applinks:www.house.example"], app, "project.entitlement-missing"),
            ("applinks", ["applinks:*.example"], app, "project.entitlement-missing"),
            ("webcredentials", ["webcredentials:house.example"], app, nil),
            ("webcredentials", [], app, "project.entitlement-missing"),
            ("applinks", ["applinks:house.example"], "ABCDE12345.com.house.other", "project.app-not-listed"),
            (
                "webcredentials", ["applinks:house.example", "webcredentials:house.example"], app,
                "project.app-not-listed"
            ),
            ("applinks", ["applinks:house.example"], nil, nil),
        ] as [(String, [String], String?, String?)])
    func entitlementAndFile(service: String, domains: [String], app: String?, code: String?) throws {
        var project = ProjectLint(host: "House.example")
        project.aasa = try Self.aasa(service)
        project.domains = domains.map { AssociatedDomain($0) }
        project.appleAppID = app
        project.isRelease = false
        #expect(project.findings.map(\.code) == [code].compactMap { $0 })
    }

    @Test("a wildcard for a parent domain uses another file, and the finding names it")
    func wildcardAbove() throws {
        var project = ProjectLint(host: "www.house.example")
        project.aasa = try Self.aasa()
        project.domains = [AssociatedDomain("applinks:*.house.example")]
        #expect(project.findings.first?.message.contains("reads the file of house.example") == true)
    }

    @Test(
        "errors in autoVerify filters are reported",
        arguments: [
            (filter(), 0),
            (filter(schemes: ["http", "https"]), 0),
            (filter(hosts: ["*.house.example"]), 0),
            (filter(actions: []), 1),
            (filter(categories: ["android.intent.category.DEFAULT"]), 1),
            (filter(categories: ["android.intent.category.BROWSABLE"]), 1),
            (filter(actions: [], categories: []), 1),
            (filter(schemes: ["https", "house"]), 1),
            (filter(schemes: ["house"]), 1),
            (filter(hosts: []), 1),
            (filter(hosts: ["https://house.example"]), 1),
            (filter(hosts: ["house.example/buy"]), 1),
            (filter(hosts: ["house.example:8443"]), 1),
            (filter(hosts: ["*"]), 1),
            (filter(hosts: ["*house.example"]), 1),
            (filter(autoVerify: false, actions: [], schemes: ["house"], hosts: []), 0),
        ])
    func intentFilter(filter: IntentFilter, count: Int) {
        var project = ProjectLint()
        project.filters = [filter]
        #expect(project.findings.map(\.code) == Array(repeating: "project.manifest-filter", count: count))
    }

    @Test(
        "differences between manifest and assetlinks.json are reported",
        arguments: [
            ([filter()], "com.house.app", nil),
            ([filter(hosts: ["*.house.example"])], "com.house.app", nil),
            ([filter(hosts: ["other.example"])], "com.house.app", "no intent filter"),
            ([], "com.house.app", "no intent filter"),
            ([filter(autoVerify: false)], "com.house.app", "no autoVerify"),
            ([filter()], "com.house.other", "does not name com.house.other"),
            ([filter(hosts: ["other.example"])], "com.house.other", nil),
        ] as [([IntentFilter], String, String?)])
    func manifestAndFile(filters: [IntentFilter], package: String, words: String?) throws {
        var project = ProjectLint(host: "house.example")
        project.assetLinks = AssetLinksFile(reading: AssetLinksProbe.app().body.utf8)
        project.filters = filters
        project.package = package
        #expect(project.findings.map(\.code) == (words == nil ? [] : ["project.manifest-host"]))
        if let words { #expect(project.findings.first?.message.contains(words) == true) }
    }

    @Test(
        "a dynamic rule cannot widen the manifest",
        arguments: [
            (#"[{"/": "/buy/*"}, {"/": "*"}]"#, [ManifestPath(.pathPrefix, "/buy")], false),
            (#"[{"/": "/sell/*"}, {"/": "*"}]"#, [ManifestPath(.pathPrefix, "/buy")], true),
            (#"[{"/": "/sell/*", "exclude": true}, {"/": "*"}]"#, [ManifestPath(.pathPrefix, "/buy")], false),
            (#"[{"/": "/sell/*"}, {"/": "*"}]"#, [], false),
        ] as [(String, [ManifestPath], Bool)])
    func dynamicScope(rules: String, paths: [ManifestPath], isTold: Bool) throws {
        var project = ProjectLint(host: "house.example")
        project.assetLinks = AssetLinksFile(reading: AssetLinksProbe.dynamic(rules).body.utf8)
        project.filters = [Self.filter(paths: paths)]
        #expect(project.findings.map(\.code) == (isTold ? ["project.manifest-dynamic-scope"] : []))
    }

    @Test("inputs that are not available cause no findings")
    func nothing() throws {
        #expect(ProjectLint().findings.isEmpty)
        var project = ProjectLint(host: "house.example")
        project.aasa = try Self.aasa()
        project.assetLinks = AssetLinksFile(reading: AssetLinksProbe.app().body.utf8)
        #expect(project.findings.isEmpty)
    }
}
