import Testing
import WellKnown

@testable import TestKit

/// Sources: Android, "`<data>` element"; AOSP, `android.os.PatternMatcher` and its tests.
@Suite("Intent filters", .rules)
struct ManifestMatcherTests {
    @Test(
        "the paths of a filter match like Android's",
        arguments: [
            (ManifestPath.Kind.path, "/buy", "/buy", true),
            (.path, "/buy", "/buy/", false),
            (.pathPrefix, "/buy", "/buyer", true),
            (.pathPrefix, "/buy/", "/buy", false),
            (.pathSuffix, ".pdf", "/a/b.pdf", true),
            (.pathSuffix, ".pdf", "/a/b.pdf.html", false),
            (.pathPattern, "/a.*b", "/axxb", true),
            (.pathPattern, "/a.*b", "/abxb", false),
            (.pathPattern, "/.*", "/anything/at/all", true),
            (.pathPattern, "/ab*", "/abbb", true),
            // AOSP: nothing but a last ".*" matches at the end of the path.
            (.pathPattern, "/ab*", "/a", false),
            (.pathPattern, "/ab*c", "/ac", true),
            // The dot after a star is a plain one.
            (.pathPattern, "/.*.pdf", "/a/b.pdf", true),
            (.pathPattern, "/.*.pdf", "/axpdf", false),
            (.pathPattern, "/a\\.b", "/axb", false),
            (.pathPattern, "/a\\.b", "/a.b", true),
            (.pathPattern, ".*\\.pdf", "/a.pdf", true),
            (.pathAdvancedPattern, "/[a-z]+/[0-9]{2,4}", "/item/123", true),
            (.pathAdvancedPattern, "/[a-z]+/[0-9]{2,4}", "/item/1", false),
            (.pathAdvancedPattern, "/[^/]+", "/a/b", false),
            (.pathAdvancedPattern, "/[^/]+", "/ab", true),
            (.pathAdvancedPattern, "/x{2}", "/xx", true),
            (.pathAdvancedPattern, "/x{2}", "/xxx", false),
            (.pathAdvancedPattern, "/x{2,}", "/xxxxx", true),
            (.pathAdvancedPattern, "/[a", "/[a", false),
            (.pathAdvancedPattern, "/x{99999999999999999999}", "/x", false),
            (.pathAdvancedPattern, "*", "/", false),
            (.path, "/café", "/caf%C3%A9", true),
        ])
    func paths(kind: ManifestPath.Kind, pattern: String, path: String, takes: Bool) throws {
        let filter = ProjectLintTests.filter(paths: [ManifestPath(kind, pattern)])
        let url = try #require(LinkURL("https://house.example\(path)"))
        #expect((ManifestMatcher([filter]).filter(for: url) != nil) == takes)
    }

    @Test(
        "the schemes and hosts of a filter match like Android's",
        arguments: [
            (["https"], "house.example", "https://house.example/", true),
            (["https"], "house.example", "http://house.example/", false),
            (["http", "https"], "house.example", "http://HOUSE.example/", true),
            (["https"], "*.house.example", "https://www.house.example/", true),
            (["https"], "*.house.example", "https://house.example/", false),
            (["https"], "house.example", "https://www.house.example/", false),
            (["HTTPS"], "house.example", "https://house.example/", false),
        ])
    func hosts(schemes: [String], host: String, address: String, takes: Bool) throws {
        let filter = ProjectLintTests.filter(schemes: schemes, hosts: [host])
        let url = try #require(LinkURL(address))
        #expect((ManifestMatcher([filter]).filter(for: url) != nil) == takes)
    }
}
