import SSOShared

/// A file after all edits that its findings carry.
public struct AssociationFix: Sendable {
    /// The bytes of the file after the edits.
    public private(set) var body: [UInt8]
    /// The findings whose edits were made, in the order in which they were made.
    public private(set) var fixed: [Finding] = []

    /// An edit can show what was hidden before, and a report lists 200 findings of one code. So the file is linted again
    /// after each round. The limit is for hostile files.
    private static let mostRounds = 40

    /// - Parameter isWanted: whether the finding is to be mended.
    public init(
        _ body: [UInt8], as kind: AssociationKind, options: LintOptions = LintOptions(),
        where isWanted: (Finding) -> Bool = { _ in true }
    ) {
        self.body = body
        guard Self.untouched(body, as: kind) == nil else { return }
        for _ in 0..<Self.mostRounds {
            let report = AssociationLint.lint(body: self.body, as: kind, options: options)
            let round = Self.compatible(report.findings.filter { !$0.edits.isEmpty && isWanted($0) })
            guard !round.isEmpty else { return }
            self.body = Self.apply(round.flatMap(\.edits), to: report.document.text, of: self.body)
            fixed += round
        }
    }

    /// The reason why a program must not change the file. `nil` if it may.
    public static func untouched(_ body: [UInt8], as kind: AssociationKind) -> String? {
        let report = AssociationLint.lint(body: body, as: kind)
        guard let root = report.document.root else { return "it cannot be parsed" }
        guard report.document.text.elementsEqual(body.starts(with: mark) ? body.dropFirst(3) : body[...]) else {
            return "it is not plain UTF-8 text"
        }
        let isOne =
            switch kind {
            case .aasa: root.object?.contains { AASAFile.services.contains($0.key) } == true
            case .assetlinks:
                root.array?.contains { $0.object?.contains { AssetStatement.keys.contains($0.key) } == true } == true
            }
        return isOne ? nil : "it is no association file"
    }

    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// The findings whose edits do not touch one another. The others follow in the next round.
    private static func compatible(_ findings: [Finding]) -> [Finding] {
        var taken: Set<TextEdit> = []
        return findings.filter { finding in
            let fits = finding.edits.allSatisfy { edit in
                taken.contains(edit) || taken.allSatisfy { !touches(edit.range, $0.range) }
            }
            if fits { taken.formUnion(finding.edits) }
            return fits
        }
    }

    private static func touches(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        one.overlaps(other) || one.lowerBound == other.lowerBound
            || one.isEmpty && other.lowerBound < one.lowerBound && one.lowerBound < other.upperBound
            || other.isEmpty && one.lowerBound < other.lowerBound && other.lowerBound < one.upperBound
    }

    /// The text with the edits made, each one once.
    public static func apply(_ edits: [TextEdit], to text: [UInt8], of body: [UInt8]) -> [UInt8] {
        var result: [UInt8] = body.starts(with: mark) && !edits.contains(where: \.isByteOrderMark) ? mark : []
        var offset = 0
        for edit in Set(edits).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += text[offset..<edit.range.lowerBound]
            result += edit.text.utf8
            offset = edit.range.upperBound
        }
        return result + text[offset...]
    }
}
