public import SSOShared

/// What the linter found in one file.
public struct LintReport: Sendable {
    /// The file it was read as.
    public let kind: AssociationKind
    /// The text with its places; of a signed file, the content inside.
    public let document: JSONDocument
    /// In the order of the file; what concerns the whole comes first.
    public let findings: [Finding]
    /// How many more findings of a code there are than ``findings`` lists: a file of a hundred thousand equal faults is
    /// told from the first hundreds.
    public let omitted: [String: Int]

    /// Apple's file, when it could be read.
    public let aasa: AASAFile?
    /// Google's file, when it could be read.
    public let assetLinks: AssetLinksFile?

    /// The worst of all; `nil` when there is nothing to say.
    public var worst: Severity? { findings.map(\.severity).max() }

    public func count(_ severity: Severity) -> Int { findings.count { $0.severity == severity } }
}
