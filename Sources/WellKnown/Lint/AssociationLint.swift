public import SSOShared

/// Checks a response body and returns findings. Supports both files.
public enum AssociationLint {
    /// Parses a body and checks it. Never throws: a body that is not JSON results in a finding.
    ///
    /// - Parameter kind: the kind of file, or `nil` to detect it from the file's name and content.
    public static func lint(
        body: [UInt8], as kind: AssociationKind? = nil, options: LintOptions = LintOptions()
    ) -> LintReport {
        let form = BodyForm.of(body)
        let text = if case .signed(let signed) = form { SignedMessage.content(of: body, signed) } else { body }
        let isText = if case .signed = form { text != nil } else { form == .text }
        let document = isText ? JSONReader.read(text ?? []) : JSONDocument(text: body, root: nil, errors: [])
        let kind =
            kind ?? (options.servedPath ?? options.file).flatMap(AssociationKind.guess(fileName:))
            ?? AssociationKind.guess(document) ?? .aasa

        var findings = FindingCollector(document, file: options.file)
        SizeLint.check(body.count, kind: kind, into: &findings)
        BodyLint.check(form, hasContent: text != nil, kind: kind, into: &findings)
        if isText { JSONErrorLint.check(document, kind: kind, into: &findings) }
        if options.mindsFinalNewline, form == .text, body.last != 0x0a {
            let end = document.text.count
            findings.add(
                JSONRules.noFinalNewline, at: end, "The last line does not end with a line break",
                fix: FindingFix([.json(end..<end, "\n")]))
        }

        let isSound = RootLint.check(document, kind: kind, into: &findings)
        let aasa = isSound && kind == .aasa ? AASAFile(document) : nil
        let assetLinks = isSound && kind == .assetlinks ? AssetLinksFile(document) : nil
        if isSound { InvisibleLint.check(document, into: &findings) }
        if let aasa { AASALint.check(aasa, options: options, into: &findings) }
        if let assetLinks {
            AssetLinksLint.check(assetLinks, host: options.domain, into: &findings)
            if let path = options.servedPath, path != AssetLinks.path {
                findings.add(
                    StatementRules.notWellKnown,
                    "The file is at \(path.quoted); readers ask for \(AssetLinks.path) only.")
            }
        }
        return LintReport(
            kind: kind, document: document, findings: findings.sorted, omitted: findings.omitted, aasa: aasa,
            assetLinks: assetLinks)
    }
}

/// The findings of one file.
public struct LintReport: Sendable {
    /// The kind of file that the body was parsed as.
    public let kind: AssociationKind
    /// The parsed text with positions. For a signed file, the signed content.
    public let document: JSONDocument
    /// The findings in the order of the file. Findings about the whole file come first.
    public let findings: [Finding]
    /// The number of findings of each code that ``findings`` leaves out.
    public let omitted: [String: Int]

    /// Apple's file, if it was parsed.
    public let aasa: AASAFile?
    /// Google's file, if it was parsed.
    public let assetLinks: AssetLinksFile?

    public var worst: Severity? { findings.map(\.severity).max() }
}

/// All rules of the linter.
public enum LintCatalogue {
    /// The rules in the order of docs/findings. Codes are unique.
    public static let rules: [LintRule] =
        TransportRules.rules + BodyRules.rules + JSONRules.rules + AppleStructureRules.rules
        + AppleIdentifierRules.rules + AppleOrderRules.rules + AppleComponentRules.rules + ApplePathRules.rules
        + AppleVariableRules.rules + StatementRules.rules + FingerprintRules.rules + DynamicRules.rules
        + ParityRules.rules + ProjectRules.rules + DoctorRules.rules + NeighbourRules.rules

    private static let byCode = Dictionary(rules.map { ($0.code, $0) }) { first, _ in first }

    static func rule(_ code: String) -> LintRule? { byCode[code] }

    /// The codes that the author of a text probably meant: a misspelled one, or those with this name in any group.
    public static func nearest(to text: String) -> [String] {
        let codes = rules.map(\.code)
        if let near = SpellingSuggestion.of(text, among: codes) { return [near] }
        return codes.filter { $0.hasSuffix("." + text) || text.count > 3 && $0.contains(text) }.prefix(3).map(\.self)
    }
}

extension LintRule {
    /// Returns the rule with that code, or `nil` if the code does not exist.
    public static func named(_ code: String) -> LintRule? { LintCatalogue.rule(code) }
}
