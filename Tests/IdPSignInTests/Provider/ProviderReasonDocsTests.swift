import Foundation
import Testing

@testable import IdPProviderSignIn
@testable import IdPProviders
@testable import TestKit

/// docs/providers.md against the words that the log really has.
@Suite("The reasons in docs/providers.md", .rules)
struct ProviderReasonDocsTests {
    /// The part about what the log says, line by line.
    private static func lines() throws -> [Substring] {
        let file = TestVectors.repository.appending(path: "docs/providers.md")
        let all = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let part = all.drop { $0 != "## What goes wrong" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return Array(part)
    }

    @Test("each reason of an answer that is refused, and of a provider that does not work, is explained")
    func explained() throws {
        let text = try Self.lines().joined(separator: "\n")
        let reasons =
            ProviderSignInError.allCases.map(\.rawValue) + ProviderError.DocumentError.allCases.map(\.rawValue)
            + ProviderError.AnswerError.allCases.map(\.rawValue)
            + [ProviderError.timedOut.reason, ProviderError.cancelled.reason, "token_endpoint_refused"]
        #expect(reasons.filter { !text.contains("`\($0)`") } == [])
        // The reason of a call names the endpoint first.
        let problems = ProviderError.CallError.allCases.filter { $0 != .refused }
        #expect(problems.filter { !text.contains("`…_\($0.rawValue)`") } == [])
        #expect(ProviderError.Endpoint.allCases.filter { !text.contains("`\($0.rawValue)`") } == [])
    }

    @Test("what it quotes is a text of a page")
    func quoted() throws {
        let files = try TextSources.files(in: "Sources", ending: "json").filter { $0.path.hasSuffix("/Texts/en.json") }
        let quotes = try Self.lines().flatMap { line in line.matches(of: #/"([^"]+)"/#).map { String($0.1) } }
        #expect(quotes.count > 10)
        for part in quotes.flatMap({ $0.split(separator: "…") }) {
            let words = part.trimmingCharacters(in: .whitespaces)
            #expect(files.contains { $0.text.replacing("\u{2011}", with: "-").contains(words) }, "\(words)")
        }
    }

    @Test("each word of its columns for the log stands in the sources")
    func exists() throws {
        let sources = try TextSources.files(in: "Sources/IdP", ending: "swift").map { $0.text }.joined(separator: "\n")
        // Made of two words, and an error of RFC 6749 that only providers write.
        let made = ["token_endpoint_refused", "invalid_client"]
        // By the header of the first column: the column whose words the log has.
        let columns = ["`reason`": 1, "the user sees": 2]
        var (column, count): (Int?, Int) = (nil, 0)
        for line in try Self.lines() {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count > 2 else {
                column = nil
                continue
            }
            column = column ?? columns[cells[1]]
            for word in column.map({ cells[$0].matches(of: #/`([a-z0-9]+(?:_[a-z0-9]+)+)`/#) }) ?? [] {
                count += 1
                #expect(sources.contains("\"\(word.1)\"") || made.contains(String(word.1)), "\(word.1)")
            }
        }
        #expect(count > 50)
    }
}
