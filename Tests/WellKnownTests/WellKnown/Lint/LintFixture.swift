import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// A file for tests that hold for every file: the examples of all rules and the files in Tests/Vectors. The corpus of real
/// files is read, too, if a copy lies in Tests/Vectors/wellknown/corpus.
struct LintFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: AssociationKind
    let body: [UInt8]

    var testDescription: String { name }

    static let all: [LintFixture] = examples + vectors

    private static let examples: [LintFixture] = LintCatalogue.rules.flatMap { rule in
        [rule.shownWrong.map { ("wrong", $0) }, rule.shownRight.map { ("right", $0) }].compactMap { $0 }.map {
            LintFixture(name: "\(rule.code) \($0.0)", kind: $0.1.kind, body: Array($0.1.text.utf8))
        }
    }

    private static let vectors: [LintFixture] = {
        let folder = TestVectors.folder.appending(path: "wellknown")
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.sorted().compactMap { name in
            let kind: AssociationKind? =
                name.hasPrefix("corpus/assetlinks/") ? .assetlinks : name.hasPrefix("corpus/aasa/") ? .aasa : nil
            let isFile =
                kind != nil || name.hasSuffix("/apple-app-site-association") || name.hasSuffix("/assetlinks.json")
            guard isFile, let data = try? Data(contentsOf: folder.appending(path: name)),
                let kind = kind ?? AssociationKind.guess(fileName: name)
            else { return nil }
            return LintFixture(name: name, kind: kind, body: Array(data))
        }
    }()

    func lint(_ body: [UInt8]? = nil) -> LintReport { AssociationLint.lint(body: body ?? self.body, as: kind) }
}
