/// The release of all programs of this repository, as of CHANGELOG.md.
///
/// The file VERSION names it, and nothing else. A release is a commit whose tag is `v` and this text. ``BuildStamp/version`` tells
/// builds between releases apart.
public enum ProductVersion {
    /// Semantic versioning 2.0.
    public static let text = String(
        decoding: PackageResources.VERSION.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

/// Which sources a program was built from.
public struct BuildStamp: Sendable, Equatable {
    /// `0.2.0` of a release, `0.2.0+5` for the fifth commit after it, `0.1.0-dev.870` for commit 870 of a repository without
    /// a release. ``ProductVersion/text`` where there is no repository and the build was not told.
    public let version: String
    /// The first twelve digits of the git commit, with a plus sign after them if there were changes. Or `unknown`.
    public let commit: String
    /// The date of the commit, `2026-11-22`. Or `unknown`.
    public let date: String

    public init(version: String, commit: String, date: String) {
        (self.version, self.commit, self.date) = (version, commit, date)
    }

    /// For `--version`: `0.1.0 (fcf43fb9c1d2, 2026-11-22)`.
    public var text: String { "\(version) (\(commit), \(date))" }
}
