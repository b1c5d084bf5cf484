import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("The parts of the linter of Apple's file", .rules)
struct LintPartsTests {
    private static func findings(
        _ file: AASAFile, _ parts: [@Sendable (inout AASALint) -> Void]
    ) -> Set<Finding> {
        var collector = FindingCollector(file.document)
        AASALint.check(file, options: LintOptions(minimumIOS: SystemVersion(12)), parts: parts, into: &collector)
        return Set(collector.findings)
    }

    @Test("The parts give the same findings in any order", arguments: LintFixture.all.filter { $0.kind == .aasa })
    func order(fixture: LintFixture) {
        guard let file = AASAFile(reading: fixture.body) else { return }
        let parts = AASALint.parts
        let expected = Self.findings(file, parts)
        #expect(Self.findings(file, parts.reversed()) == expected)
        for shift in 1..<parts.count {
            #expect(Self.findings(file, Array(parts[shift...] + parts[..<shift])) == expected)
        }
    }
}

@Suite("Groups of intent filters", .rules)
struct FilterGroupLintTests {
    private static func group(_ isAllowed: Bool, _ conditions: (RelativeFilterGroup.Part, ManifestPath.Kind, String)...)
        -> RelativeFilterGroup
    {
        RelativeFilterGroup(
            isAllowed: isAllowed, conditions: conditions.map { .init($0.0, ManifestPath($0.1, $0.2)) })
    }

    private static func texts(_ groups: [RelativeFilterGroup], paths: [ManifestPath] = []) -> [String] {
        var filter = ProjectLintTests.filter(paths: paths)
        filter.groups = groups
        return IntentFilterLint.findings(of: filter, file: "m").filter { $0.code == "project.manifest-group" }
            .map(\.message)
    }

    @Test("A group that never decides has a finding, one that may decide has none")
    func groups() {
        let mail = Self.group(false, (.query, .path, "ref=mail"))
        let open = Self.group(true, (.path, .pathPrefix, "/open/"))
        #expect(Self.texts([mail, open]).isEmpty)
        #expect(Self.texts([open]).isEmpty && Self.texts([open, Self.group(true, (.path, .path, "/a"))]).isEmpty)
        #expect(Self.texts([mail]).map { $0.contains("excludes nothing: no group after it opens a link") } == [true])
        #expect(Self.texts([open, mail]).map { $0.contains("excludes nothing") } == [true])
        #expect(Self.texts([open, open]).map { $0.contains("opens nothing: a group before it") } == [true])
        #expect(Self.texts([Self.group(true), open]).map { $0.contains("has no condition") } == [true])
        let below = Self.group(false, (.path, .pathPrefix, "/shop/admin/"))
        let taken = Self.texts([below, open], paths: [ManifestPath(.pathPrefix, "/shop/")])
        #expect(
            taken.map { $0.contains("android:pathPrefix=\"/shop/\" of the filter takes its links before") } == [true])
        #expect(Self.texts([below, open], paths: [ManifestPath(.pathPrefix, "/help/")]).isEmpty)
    }
}
