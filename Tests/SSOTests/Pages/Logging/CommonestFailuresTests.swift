import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Each row of the table "The commonest failures" in docs/events.md is followed from the log alone, by an operator who knows what a
/// user reports and nothing else (ASVS 16.2.1, 16.3.1).
@Suite("The commonest failures in the log", .program)
struct CommonestFailuresTests {
    /// A row of the table.
    struct Row: Sendable {
        let symptom: String
        /// The words in the cell of the event: events, and the values of their fields.
        let found: Set<String>
        /// The words in the cell of what to do: the fields to look at, and their values. Settings and commands are no words.
        let needed: Set<String>

        static func all() throws -> [Row] {
            let file = TestVectors.repository.appending(path: "docs/events.md")
            let page = try String(contentsOf: file, encoding: .utf8)
            let start = try #require(page.range(of: "\n## The commonest failures\n")?.upperBound)
            let lines = page[start...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }
            return try lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                try #require(cells.count == 3, "\(line)")
                return Row(symptom: cells[0], found: words(in: cells[1]), needed: words(in: cells[2]))
            }
        }

        private static func words(in cell: String) -> Set<String> {
            Set(cell.matches(of: #/`(?:[a-z]+=)?([a-z]+(?:_[a-z]+)*)`/#).map { String($0.1) })
        }
    }

    @Test("the table and the scenarios have the same symptoms, each once")
    func rows() throws {
        let symptoms = try Row.all().map(\.symptom)
        #expect(symptoms.count > 20 && Set(symptoms).count == symptoms.count)
        #expect(Set(symptoms) == Set(CommonestFailure.all.map(\.symptom)))
        #expect(symptoms.count == CommonestFailure.all.count)
    }

    @Test(
        "from what the user reports the log leads to the event of the table, with all that the remedy needs, and without a secret",
        arguments: CommonestFailure.all)
    func followed(failure: CommonestFailure) async throws {
        let row = try #require(try Row.all().first { $0.symptom == failure.symptom })
        var seen: Set<String> = []
        for way in failure.ways {
            #expect(row.found.contains(way.event), "\(way.event)")
            try await way.setup.open { deployment in
                let browser = deployment.browser()
                let report = try await way.steps(deployment, browser)
                let log = try OperatorsView(deployment)
                let story = try await log.story(of: report)
                let last = try #require(story.last { $0["program"] == way.program }, "no line")
                #expect(last.event == way.event, "\(way.says): \(story.map(\.text).joined())")
                for (name, value) in way.says { #expect(last[name] == value, "\(name): \(last.text)") }
                Self.expectNoSecret(in: story, deployment.secrets(of: browser))
                seen.formUnion(last.fields.filter { $0.value != "-" }.flatMap { [$0.key, $0.value] })
            }
        }
        #expect(row.found.union(row.needed).subtracting(seen) == [])
    }

    private static func expectNoSecret(in story: [LogLine], _ secrets: [String]) {
        for line in story {
            for secret in secrets { #expect(!line.text.contains(secret), "\(secret.prefix(4))… in \(line.text)") }
            for beginning in ["sst_", "inv_", "token="] { #expect(!line.text.contains(beginning), "\(line.text)") }
            // An address is shown as a…@example.com.
            #expect(!line.text.contains(#/[^…"\s]@[a-z]/#), "\(line.text)")
        }
    }
}
