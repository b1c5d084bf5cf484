import Foundation
import Testing

@testable import TestKit

/// docs/losses.md: each row names a test that exists.
@Suite("The table of losses", .program)
struct LossDocumentTests {
    @Test("it has at least 30 rows, each with a way back and a test that exists")
    func rows() throws {
        let file = TestVectors.repository.appending(path: "docs/losses.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| lost ") && !$0.hasPrefix("| --- ") }
        #expect(rows.count >= 30)
        let sources = try TextSources.files(in: "Tests", ending: "swift")
        for row in rows {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            #expect(cells.count == 6 && !cells[1].isEmpty && !cells[2].isEmpty, "\(row)")
            let cited = try #require(cells[4].wholeMatch(of: #/`(\w+)\.(\w+)`/#), "\(row)")
            let exists = sources.contains { Self.declares($0.text, suite: cited.1, test: cited.2) }
            #expect(exists, "\(cells[4])")
            // A command is one that the documents name.
            if cells[3].hasPrefix("`idp ") {
                #expect(cells[2].hasSuffix(":") || cells[2].hasSuffix("after:"), "\(row)")
            }
        }
    }

    /// Whether a file has a suite with a test function of these names.
    private static func declares(_ text: String, suite: Substring, test: Substring) -> Bool {
        guard let start = text.range(of: "struct \(suite) {")?.upperBound else { return false }
        return text[start...].contains("    func \(test)(")
    }
}
