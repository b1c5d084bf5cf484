/// The version of all programs of this repository, as of CHANGELOG.md.
public enum ProductVersion {
    /// Semantic versioning 2.0.
    public static let text = "0.1.0"
}
