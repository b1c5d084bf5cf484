import Foundation
import Storage
import Testing

@testable import IdP
@testable import RelyingParty
@testable import TestKit

@Suite("docs/upgrading.md", .deployment)
struct UpgradeDocumentTests {
    private static let programs = ["idp": IdPMigrations.all, "relying-party": RelyingPartyMigrations.all]

    @Test("the table of each program has every step of its schema, once and in order", arguments: programs.keys)
    func steps(program: String) throws {
        let names = try #require(Self.programs[program]).map(\.name)
        let file = DeployTests.folder.deletingLastPathComponent().appending(path: "docs/upgrading.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let rows = lines.drop { !$0.hasPrefix("| step of `\(program)` ") }.dropFirst(2).prefix { $0.hasPrefix("| `v") }
        var listed: [String] = []
        for row in rows {
            let cell = row.split(separator: "|").first ?? ""
            let found = cell.matches(of: #/`(v[^`]+)`/#).map { String($0.1) }
            let bounds = found.compactMap(names.firstIndex)
            #expect(bounds.count == found.count, "\(cell) names a step that does not exist")
            guard let first = bounds.first, let last = bounds.last, first <= last else { continue }
            // A row of two steps with "to" stands for those between them, too.
            listed += cell.contains("` to `") ? names[first...last].map { $0 } : found
        }
        #expect(listed == names)
    }
}
