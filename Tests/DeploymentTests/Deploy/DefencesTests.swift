import Foundation
import Testing

@testable import TestKit

/// Tests/defences.md: the defences of docs/threat-model.md, each with the suites that fail without it.
///
/// After a change `SSO_TEST_WRITE=1 script/test --filter DefencesTests` writes the first column. The suites are kept.
@Suite("The table of the defences and their tests", .deployment)
struct DefencesTests {
    private struct Defence {
        let section: String
        let name: String
    }

    @Test("it has every defence of docs/threat-model.md in its order, each with a suite")
    func table() throws {
        let file = TestVectors.repository.appending(path: "Tests/defences.md")
        let present = try String(contentsOf: file, encoding: .utf8)
        let suites = Self.suites(in: present)
        let introduction = present.components(separatedBy: "\n## ")[0]
        var wanted = introduction
        var section = ""
        let defences = try Self.defences()
        #expect(defences.count > 100)
        for defence in defences {
            if defence.section != section {
                section = defence.section
                wanted += "\n## \(section)\n\n| defence | suites |\n| --- | --- |\n"
            }
            let cell = suites["\(section)|\(defence.name)"] ?? ""
            #expect(cell.contains("`"), "add the suites of \(section): \(defence.name)")
            wanted += "| \(defence.name) | \(cell) |\n"
        }
        if ProcessInfo.processInfo.environment["SSO_TEST_WRITE"] != nil {
            try wanted.write(to: file, atomically: true, encoding: .utf8)
        }
        for (line, other) in zip(present.split(separator: "\n"), wanted.split(separator: "\n")) where line != other {
            Issue.record("Tests/defences.md must have \"\(other)\". Write it with SSO_TEST_WRITE=1.")
            return
        }
        #expect(present == wanted)
    }

    /// What stands in bold at the beginning of each item, without links. What is not prevented has no test.
    private static func defences() throws -> [Defence] {
        let page = try ProtocolPage.text(of: "docs/threat-model.md")
        let start = try #require(page.range(of: "\n## Defences\n")?.upperBound)
        let end = try #require(page.range(of: "\n## Keeping users out\n")?.lowerBound)
        var section = ""
        var found: [Defence] = []
        for line in page[start..<end].split(separator: "\n") {
            if line.hasPrefix("### ") { section = String(line.dropFirst(4)) }
            guard let bold = line.firstMatch(of: #/^- \*\*(.+?)\.?\*\*/#)?.1 else { continue }
            let name = bold.replacing(#/\[([^\]]+)\]\([^)]+\)/#) { $0.1 }
            if name != "Not prevented" { found.append(Defence(section: section, name: String(name))) }
        }
        return found + [Defence(section: "Keeping users out", name: "Keeping users out")]
    }

    /// The second cells of the table, by section and defence.
    private static func suites(in page: String) -> [String: String] {
        var section = ""
        var cells: [String: String] = [:]
        for line in page.split(separator: "\n") {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            guard let row = line.firstMatch(of: #/^\| (.+) \| (.*) \|$/#) else { continue }
            cells["\(section)|\(row.1)"] = String(row.2)
        }
        return cells
    }
}
