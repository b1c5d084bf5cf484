import Foundation
import SSOShared
import Testing

/// A row of the table of URLs in `Tests/Vectors/wellknown/match-cases.json`.
struct MatchCase: Sendable, CustomTestStringConvertible {
    let id: String
    let file: [UInt8]
    let app: String
    let url: String
    let expected: String
    let isDisputed: Bool

    var testDescription: String { "\(id) \(url) \(expected)" }

    static let all: [MatchCase] = {
        let path = TestVectors.folder.appending(path: "wellknown/match-cases.json")
        guard let body = try? Data(contentsOf: path) else { return [] }
        let document = JSONReader.read(Array(body))
        return (document.root?.array ?? []).compactMap { node in
            guard let id = node["id"]?.string, let file = node["file"], let app = node["app"]?.string,
                let url = node["url"]?.string, let expected = node["expected"]?.string
            else { return nil }
            return MatchCase(
                id: id, file: Array(document.text[file.range]), app: app, url: url, expected: expected,
                isDisputed: node["certainty"]?.string == "disputed")
        }
    }()
}
