/// The version of all programs of this repository, as of CHANGELOG.md.
public enum ProductVersion {
    /// Semantic versioning 2.0.
    public static let text = "0.1.0"
}

/// Which sources a program was built from.
public struct BuildStamp: Sendable, Equatable {
    /// The first twelve digits of the git commit, with a plus sign after them if there were changes. Or `unknown`.
    public let commit: String
    /// The date of the commit, `2026-11-22`. Or `unknown`.
    public let date: String

    public init(commit: String, date: String) { (self.commit, self.date) = (commit, date) }

    /// For `--version`: `0.1.0 (fcf43fb9c1d2, 2026-11-22)`.
    public var text: String { "\(ProductVersion.text) (\(commit), \(date))" }
}
